"""Examples run, and say what they should."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


def run(name, *arguments, folder):
    done = subprocess.run(
        [sys.executable, EXAMPLES / name, *map(str, arguments)], capture_output=True, text=True, timeout=600, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_check_a_urdf(tmp_path):
    from conftest import LIFT

    (tmp_path / "lift.urdf").write_text(LIFT)
    assert "0 of 1000 random postures touch" in run("check_a_urdf.py", tmp_path / "lift.urdf", folder=tmp_path)


def test_check_a_real_urdf(data, tmp_path):
    urdf = data / "data/robots/vamp_ur5/ur5.urdf"
    out = run("check_a_urdf.py", urdf, urdf.with_suffix(".srdf"), folder=tmp_path)
    assert "of 1000 random postures touch" in out and "post" in out


def test_compare_with_fcl(tmp_path):
    pytest.importorskip("fcl")
    assert "FCL agrees on" in run("compare_with_fcl.py", folder=tmp_path)


def test_compare_with_fcl_on_a_real_robot(data, tmp_path):
    pytest.importorskip("fcl")
    urdf = data / "data/robots/vamp_ur5/ur5.urdf"
    assert "FCL agrees on" in run("compare_with_fcl.py", urdf, urdf.with_suffix(".srdf"), folder=tmp_path)


def test_base_placement(demo_folder, tmp_path):
    pytest.importorskip("matplotlib")
    out = run("base_placement.py", demo_folder / "job.toml", "--size", 2, "--out", tmp_path / "s", folder=tmp_path)
    assert "Sweep of 4 variants" in out and "best: x" in out
    assert (tmp_path / "placement.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "s/results.parquet").exists()
