"""What all tests share."""

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import kansho

#: A plate that is lifted toward a shelf: closed forms for all of it. The plate is 0.02 m thick, the shelf's lower face at 0.75 m.
LIFT = """<robot name="lift">
  <link name="base"/>
  <link name="plate"><collision><geometry><box size="0.2 0.2 0.02"/></geometry></collision></link>
  <joint name="up" type="prismatic"><parent link="base"/><child link="plate"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="1" effort="1" velocity="1"/></joint>
</robot>"""


@pytest.fixture(scope="session")
def command():
    """The command, to compare answers with: KANSHO_COMMAND names it."""
    found = os.environ.get("KANSHO_COMMAND") or shutil.which("kansho")
    if not found:
        pytest.skip("KANSHO_COMMAND does not name the command to compare with")

    def run(*arguments, code=None):
        done = subprocess.run([found, *map(str, arguments)], capture_output=True, text=True, timeout=600)
        if code is not None:
            assert done.returncode == code, done.stderr
        return done

    return run


@pytest.fixture(scope="session")
def data():
    """Real files."""
    found = os.environ.get("KANSHO_DATA")
    if not found:
        pytest.skip("KANSHO_DATA is not set, so there are no real files to test with")
    return Path(found)


@pytest.fixture(scope="session")
def demo():
    return kansho.demo_cell()


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory):
    """The built-in cell in files, and a job of a part of its path, so that planning is quick."""
    folder = tmp_path_factory.mktemp("demo")
    job = Path(kansho.demo_files(folder, points=20, degrees=10))
    job.write_text(job.read_text().replace("closed = true", "closed = false"))
    path = folder / "path.csv"
    path.write_text("\n".join(path.read_text().splitlines()[:31]) + "\n")
    return folder


@pytest.fixture
def lift():
    robot = kansho.Robot.from_text(LIFT)
    return kansho.Cell(robots={"lift": robot}, objects={"shelf": kansho.Shape.box(1, 1, 0.1).at([0, 0, 0.8])})


@pytest.fixture
def random_postures():
    def make(cell, count, seed=7):
        low, high = np.clip(cell.limits, -np.pi, np.pi).T
        return np.random.default_rng(seed).uniform(low, high, size=(count, len(low)))

    return make
