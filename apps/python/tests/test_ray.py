"""Sweeps on a real Ray cluster on this machine, with two workers, one of which is killed."""

import os
import signal
import sys
import time

import pytest

import kansho
from conftest import LIFT
from test_sweeps import HEIGHTS, answers, asked, closed_form, places

ray = pytest.importorskip("ray")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def cluster():
    """A cluster of our own on loopback, two workers."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    here = os.path.dirname(os.path.abspath(__file__))
    ray.init(
        address="local",
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        _node_ip_address="127.0.0.1",
        object_store_memory=200 << 20,
        runtime_env={"env_vars": {"PYTHONPATH": here}},
    )
    yield
    ray.shutdown()


@pytest.fixture
def lift():
    robot = kansho.Robot.from_text(LIFT)
    return kansho.Cell(robots={"lift": robot}, objects={"shelf": kansho.Shape.box(1, 1, 0.1).at([0, 0, 0.8])})


def test_same_answers(cluster, lift, tmp_path):
    told = []
    there = asked(lift, 40, ray="auto", out=tmp_path / "s", progress=lambda done, total: told.append(done))
    assert answers(there) == answers(asked(lift, 40))
    assert told[-1] == 40 and told == sorted(told)
    assert pq.read_table(tmp_path / "s/results.parquet").num_rows == 40


def test_same_plans(cluster, demo_folder):
    job = kansho.Job.load(demo_folder / "job.toml")
    variants = kansho.grid(at=[{"arm": [x, y, 0]} for x in (0.0, 0.1) for y in (-0.1, 0.1)])
    assert answers(kansho.sweep(job, variants, ray="auto")) == answers(kansho.sweep(job, variants, workers=1))


def named(cell, variant):
    """Says who it is, takes its time, and answers."""
    with open(os.path.join(variant["folder"], f"{os.getpid()}-{time.monotonic_ns()}"), "w"):
        pass
    time.sleep(0.3)
    return {"hits": int((cell.postures(HEIGHTS).hit == 1).sum())}


def test_a_worker_that_is_killed(cluster, lift, tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    variants = [{"at": place, "folder": str(notes)} for place in places(24)]
    killed = []

    def kill_one(done, total):
        # Only workers of this cluster write notes; one of them, once.
        workers = sorted({int(name.split("-")[0]) for name in os.listdir(notes)})
        if not killed and workers and done >= 2:
            killed.append(workers[0])
            os.kill(workers[0], signal.SIGKILL)

    found = kansho.sweep(lift, variants, named, ray="auto", out=tmp_path / "s", shard_seconds=1.0, progress=kill_one)
    assert killed and killed[0] != os.getpid()
    assert not found.errors
    assert found.column("hits").tolist() == [closed_form(place["shelf"][2]) for place in places(24)]
    # Blocks were worked on for a second and more: few notes are doubled.
    assert 24 <= len(os.listdir(notes)) <= 24 + 12
    # Others than the one that was killed went on.
    assert len({name.split("-")[0] for name in os.listdir(notes)}) >= 2


def test_resumes_on_ray(cluster, lift, tmp_path):
    def stop(done, total):
        if done >= 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        asked(lift, 30, ray="auto", out=tmp_path / "s", shard_seconds=0, progress=stop)
    kept = sum(pq.read_metadata(path).num_rows for path in (tmp_path / "s").glob("part-*.parquet"))
    assert 4 <= kept < 30
    whole = asked(lift, 30, out=tmp_path / "s")  # The rest here.
    assert answers(whole) == answers(asked(lift, 30))


def test_without_ray(lift, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ImportError, match=r"pip install kansho\[ray\]"):
        asked(lift, 2, ray="auto")
