"""The cells of examples/cells in Python: the same answers as on the command line, and what their READMEs show."""

import contextlib
import io
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import kansho

CELLS = Path(__file__).parents[3] / "examples/cells"
FENCE = re.compile(r"^```(\w+)(?: ([^\n]+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)

#: By folder: the motion that collides, its first pair, the repaired motion, and its least gap in metres.
EXAMPLES = {
    "arm-at-table": ("collides.csv", "arm/tool|guard", "free.csv", 0.0239),
    "gripper-picking": ("collides.json", "part|bin", "free.json", 0.02),
    "two-arms": ("collides.csv", "right/tool|rod", "free.csv", 0.0182),
    "arm-on-rail": ("collides.mod", "shaft|doors", "free.mod", 0.02),
    "sealing": ("collides.json", "arm/link_6|clamp_front", "free.json", 0.005),
}


def test_all_are_here():
    assert {path.parent.name for path in CELLS.glob("*/cell.toml")} == set(EXAMPLES)


def test_robots_and_meshes_are_those_of_the_script():
    subprocess.run([sys.executable, CELLS / "make", "--check"], check=True, timeout=60)


@pytest.mark.parametrize("name", EXAMPLES)
def test_motions(name, tmp_path):
    collides, pair, free, gap = EXAMPLES[name]
    cell = kansho.Cell.load(CELLS / name / "cell.toml")
    found = cell.check(CELLS / name / collides)
    assert (found.verdict, found.pair, found.at_start) == ("touches", pair, False)
    repaired = cell.check(CELLS / name / free, certificate=True)
    assert repaired.verdict == "free" and repaired.gap == pytest.approx(gap, abs=1e-4)
    path = tmp_path / "proof.json"
    repaired.certificate.save(path)
    certificate = kansho.Certificate.load(path)
    assert certificate.verify(cell, CELLS / name / free)
    assert not certificate.verify(cell, CELLS / name / collides)


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_is_printed_is_what_is_shown(name, tmp_path, monkeypatch):
    shutil.copytree(CELLS, tmp_path / "cells")
    monkeypatch.chdir(tmp_path / "cells" / name)
    names, printed, runs = {}, None, 0
    for language, _, body in FENCE.findall(Path("README.md").read_text()):
        if language == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(body, names)
            printed, runs = out.getvalue(), runs + 1
        elif language == "text" and printed is not None:
            assert printed == body
            printed = None
        else:
            printed = None
    assert runs == 1
