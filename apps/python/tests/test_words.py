"""Movements in words: the same answers as the command line."""

import json
from pathlib import Path

import numpy as np
import pytest

import kansho

SCRIPTS = Path(__file__).parents[3] / "examples/words"


@pytest.mark.parametrize("name", ["block_in_slot", "box_in_groove", "peg_in_hole", "tip_on_edge", "robot/script"])
def test_scripts(command, tmp_path, name):
    path = SCRIPTS / f"{name}.toml"
    done = command("move", path, "--json", "--out", tmp_path / "theirs")
    theirs = json.loads(done.stdout)
    moved = kansho.move(path)
    errors = theirs.pop("errors", None)
    assert moved.answer == theirs
    assert moved.status == theirs["status"] and moved.reached == (done.returncode == 0)
    assert (moved.fault is None) == (errors is None)
    names = moved.save(tmp_path / "ours")
    assert sorted(names) == sorted(path.name for path in (tmp_path / "theirs").iterdir())
    for file in names:
        assert (tmp_path / "ours" / file).read_bytes() == (tmp_path / "theirs" / file).read_bytes(), file
    table = np.loadtxt(tmp_path / "theirs/poses.csv", delimiter=",", skiprows=1, ndmin=2)
    assert np.array_equal(moved.poses, table)
    plain = command("move", path)
    assert str(moved) == plain.stdout


def test_the_robot_of_a_script_is_checked(tmp_path):
    moved = kansho.move(SCRIPTS / "robot/script.toml")
    assert moved.motion and "ptp" in moved.motion[0]
    report = kansho.Cell.load(SCRIPTS / "robot/cell.toml").check(moved.motion)
    assert report.free and report.clearance is not None


def test_a_block_comes_down(tmp_path):
    """It is lowered from 0.5 m until its lower face is on the table: its middle is at 0.1 m then, whatever else is true."""
    script = (
        'move = [{ do = "approach", along = "-z", until = "block.A on table.B" }]\n'
        '[fixed.table]\nbox = [1, 1, 0.1]\nat = { xyz = [0, 0, -0.05] }\nB = { face = "+z" }\n'
        '[moved.block]\nbox = [0.2, 0.2, 0.2]\nstart = { xyz = [0.1, 0.2, 0.5] }\nA = { face = "-z" }\n'
    )
    (tmp_path / "s.toml").write_text(script)
    moved = kansho.move(tmp_path / "s.toml")
    assert moved.reached and moved.status == "reached" and moved.motion is None
    assert np.allclose(moved.poses, [[0.1, 0.2, 0.5, 1, 0, 0, 0], [0.1, 0.2, 0.1, 1, 0, 0, 0]], atol=1e-12)
    # Sideways it never gets there.
    (tmp_path / "s.toml").write_text(script.replace('along = "-z"', 'along = "+x"'))
    moved = kansho.move(tmp_path / "s.toml")
    assert not moved.reached and moved.fault and moved.status != "reached"
    # Without time nothing is known.
    (tmp_path / "s.toml").write_text(script)
    assert kansho.move(tmp_path / "s.toml", timeout=0.0).status == "undecided"


def test_faults_have_the_same_words(command, tmp_path):
    (tmp_path / "s.toml").write_text('move = [{ do = "fly" }]\n[moved.block]\nbox = [1, 2]\n')
    theirs = command("move", tmp_path / "s.toml", code=3)
    with pytest.raises(kansho.ReadError) as ours:
        kansho.move(tmp_path / "s.toml")
    assert str(ours.value) == theirs.stderr.rstrip()
    with pytest.raises(kansho.ReadError, match="none.toml"):
        kansho.move(tmp_path / "none.toml")
