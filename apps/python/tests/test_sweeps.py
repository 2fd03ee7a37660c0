"""Sweeps: the same answers wherever they run, nothing lost when something dies."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import kansho

pq = pytest.importorskip("pyarrow.parquet")

HEIGHTS = np.linspace(0, 1, 21)[:, None]


def closed_form(top):
    """How many of HEIGHTS touch a shelf whose middle is there."""
    gap = np.maximum(0, np.maximum(top - 0.05 - (HEIGHTS[:, 0] + 0.01), (HEIGHTS[:, 0] - 0.01) - (top + 0.05)))
    return int((gap <= 1e-12).sum())


def places(count):
    return [{"shelf": [0, 0, top]} for top in np.linspace(0.3141, 0.8273, count)]


def answers(found):
    """Rows without what depends on the clock."""
    return [{name: value for name, value in row.items() if name != "seconds"} for row in found.rows]


def asked(lift, count, **keywords):
    return kansho.sweep(lift, kansho.grid(at=places(count)), "postures", options={"postures": HEIGHTS}, **keywords)


def test_closed_forms(lift):
    found = asked(lift, 30)
    assert len(found) == 30 and not found.errors
    assert found.column("hits").tolist() == [closed_form(place["shelf"][2]) for place in places(30)]
    assert [row["index"] for row in found.rows] == list(range(30))


def test_all_questions(lift):
    at = kansho.grid(at=places(3))
    segments = np.array([[0.0, 0.2], [0.0, 1.0]])
    found = kansho.sweep(lift, at, "segments", options={"segments": segments})
    assert found.column("touches").tolist() == [1, 1, 1]
    found = kansho.sweep(lift, at, "check", options={"waypoints": [[0.0], [1.0]]})
    expected = [place["shelf"][2] - 0.06 for place in places(3)]
    assert np.allclose(found.column("t"), expected, atol=2e-6)
    found = kansho.sweep(lift, at, lambda cell, variant: {"bodies": len(cell.bodies), "z": variant["at"]["shelf"][2]})
    assert found.column("bodies").tolist() == [2, 2, 2]


def test_objects_and_tools(lift):
    shapes = [kansho.Shape.box(1, 1, h).at([0, 0, 0.8]) for h in (0.1, 0.3)]
    found = kansho.sweep(lift, kansho.grid(objects=[{"shelf": shape} for shape in shapes]), "check", options={"waypoints": [[0.0], [1.0]]})
    assert np.allclose(found.column("t"), [0.74, 0.64], atol=2e-6)


def test_plans(demo_folder):
    job = kansho.Job.load(demo_folder / "job.toml")
    variants = kansho.grid(at=[{"arm": [x, 0, 0]} for x in (0.0, 0.1)], clearance=[0.0, 0.005])
    found = kansho.sweep(job, variants, workers=2)
    assert not found.errors and set(found.column("verdict")) <= {"path", "no_path"}
    for row, variant in zip(found.rows, variants):
        plan = job.vary(job.cell.vary(at=variant["at"]), clearance=variant["clearance"]).plan()
        assert (row["verdict"], row["free_share"], row["clearance"]) == (plan.verdict, plan.free_share, plan.clearance)
    # The job as it is, by its file.
    [row] = kansho.sweep(demo_folder / "job.toml", [{}]).rows
    assert row["cost"] == sum(job.plan().cost)


def test_the_path_goes_with_its_work(demo_folder):
    """Robot and all objects moved together: the same map."""
    job = kansho.Job.load(demo_folder / "job.toml")
    shift = np.array([0.3, -0.2, 0.0])
    world = kansho.pose([1.1, 0, 0.75], rpy_deg=[0, 0, 90])
    moved = world.copy()
    moved[:3, 3] += shift
    cell = job.cell.vary(at={"arm": shift, "sheet": moved, "fixture": moved})
    other = job.vary(cell)
    assert np.allclose(other.tips - job.tips, shift, atol=1e-12)
    assert np.array_equal(other.plan().map, job.plan().map)


def test_processes(lift):
    assert answers(asked(lift, 10, engine="processes", workers=2)) == answers(asked(lift, 10, workers=1))


def test_results_are_kept(lift, tmp_path):
    first = asked(lift, 20, out=tmp_path / "s", workers=2, shard_seconds=0)
    table = pq.read_table(tmp_path / "s/results.parquet")
    assert table.column("hits").to_pylist() == first.column("hits").tolist()
    assert sorted(path.name for path in (tmp_path / "s").iterdir()) == ["results.parquet", "sweep.json"]
    begun = time.perf_counter()
    again = asked(lift, 20, out=tmp_path / "s")
    assert again.rows == first.rows and time.perf_counter() - begun < 60
    with pytest.raises(ValueError, match="another sweep"):
        asked(lift, 21, out=tmp_path / "s")
    with pytest.raises(ValueError, match="another sweep"):
        asked(lift.vary(at={"lift": [0, 0, 0.01]}), 20, out=tmp_path / "s")


def test_shards(lift, tmp_path):
    for i in (2, 0):
        part = asked(lift, 20, out=tmp_path / "s", shard=(i, 3))
        assert [row["index"] for row in part.rows] == list(range(i, 20, 3))
        assert not (tmp_path / "s/results.parquet").exists()
    whole = asked(lift, 20, out=tmp_path / "s")
    assert answers(whole) == answers(asked(lift, 20)) and (tmp_path / "s/results.parquet").exists()


def test_damaged_parts_are_worked_out_again(lift, tmp_path):
    asked(lift, 20, out=tmp_path / "s", shard=(0, 2))
    parts = sorted((tmp_path / "s").glob("part-*.parquet"))
    parts[0].write_bytes(parts[0].read_bytes()[:-20])
    with pytest.warns(UserWarning, match="worked out again"):
        whole = asked(lift, 20, out=tmp_path / "s")
    assert answers(whole) == answers(asked(lift, 20))


def test_resumes_after_an_interrupt(lift, tmp_path):
    told = []

    def stop(done, total):
        told.append(done)
        if done >= 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        asked(lift, 40, out=tmp_path / "s", workers=1, shard_seconds=0, progress=stop)
    kept = sum(pq.read_metadata(path).num_rows for path in (tmp_path / "s").glob("part-*.parquet"))
    assert 5 <= kept < 40
    told.clear()
    whole = asked(lift, 40, out=tmp_path / "s", progress=lambda done, total: told.append(done))
    assert told[0] == kept and told[-1] == 40
    assert answers(whole) == answers(asked(lift, 40))


SLOW = """
import sys, time
sys.path.insert(0, {tests!r})
import kansho, numpy as np
from conftest import LIFT
import test_sweeps
lift = kansho.Cell(robots={{"lift": kansho.Robot.from_text(LIFT)}}, objects={{"shelf": kansho.Shape.box(1, 1, 0.1).at([0, 0, 0.8])}})
print("begun", flush=True)
kansho.sweep(lift, kansho.grid(at=test_sweeps.places(40)), test_sweeps.slowly, out={out!r}, workers=1, shard_seconds=0.1)
"""


def slowly(cell, variant):
    time.sleep(0.1)
    return {"hits": int((cell.postures(HEIGHTS).hit == 1).sum())}


def test_resumes_after_the_driver_was_killed(lift, tmp_path):
    out = tmp_path / "s"
    code = SLOW.format(tests=os.path.dirname(__file__), out=str(out))
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begun\n"
    until = time.monotonic() + 60
    while len(list(out.glob("part-*.parquet"))) < 3 and time.monotonic() < until:
        time.sleep(0.05)
    process.kill()
    process.wait()
    kept = sum(pq.read_metadata(path).num_rows for path in out.glob("part-*.parquet"))
    assert 3 <= kept < 40
    told = []
    whole = kansho.sweep(lift, kansho.grid(at=places(40)), slowly, out=out, progress=lambda done, total: told.append(done))
    assert told[0] >= kept
    assert whole.column("hits").tolist() == [closed_form(place["shelf"][2]) for place in places(40)]


def die_once(cell, variant):
    """Takes its process along, the first time."""
    mark = variant["mark"]
    if variant.get("deadly") and not os.path.exists(mark):
        open(mark, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return {"hits": int((cell.postures(HEIGHTS).hit == 1).sum())}


def die_always(cell, variant):
    if variant.get("deadly"):
        os.kill(os.getpid(), signal.SIGKILL)
    return {"hits": 1}


def test_a_process_that_dies(lift, tmp_path):
    variants = [{"at": place, "mark": str(tmp_path / "mark"), "deadly": k == 4} for k, place in enumerate(places(8))]
    found = kansho.sweep(lift, variants, die_once, engine="processes", workers=2)
    assert not found.errors and os.path.exists(tmp_path / "mark")
    assert found.column("hits").tolist() == [closed_form(place["shelf"][2]) for place in places(8)]
    with pytest.warns(UserWarning, match="1 of 8 variants went wrong"):
        found = kansho.sweep(lift, variants, die_always, engine="processes", workers=1)
    assert [row["index"] for row in found.errors] == [4] and "died 3 times" in found.errors[0]["error"]


def test_faults_are_rows(lift):
    variants = [{"at": {"shelf": [0, 0, 0.5]}}, {"at": {"nothing": [0, 0, 0]}}]
    with pytest.warns(UserWarning, match="1 of 2"):
        found = kansho.sweep(lift, variants, "check", options={"waypoints": [[0.0], [0.1]]})
    assert found.rows[0]["verdict"] == "free"
    assert found.rows[1]["verdict"] == "error" and 'named "nothing"' in found.rows[1]["error"]


@pytest.mark.parametrize(
    "keywords, error, words",
    [
        ({"do": "dance"}, ValueError, "dance"),
        ({"do": "plan"}, TypeError, "Job"),
        ({"do": "check"}, ValueError, "waypoints is wanted"),
        ({"do": "check", "options": {"waypoints": [[0.0]], "speed": 1}}, ValueError, "speed is not known"),
        ({"variant_list": [{"att": {}}]}, ValueError, "'att' is not known"),
        ({"variant_list": [5]}, TypeError, "variant 0: a dict is wanted"),
        ({"shard": (3, 3)}, ValueError, "shard"),
        ({"workers": 0}, ValueError, "workers"),
        ({"engine": "steam"}, ValueError, "engine"),
    ],
)
def test_bad_sweeps(lift, keywords, error, words):
    given = {"variant_list": [{}], "do": "check", "options": {"waypoints": [[0.0], [0.1]]}, **keywords}
    if keywords.get("do") and "options" not in keywords:
        given["options"] = {}
    with pytest.raises(error, match=words):
        kansho.sweep(lift, **given)
    with pytest.raises(ValueError, match="no values"):
        kansho.grid(at=[])


def test_without_pyarrow(lift, tmp_path):
    code = """
    import sys
    sys.modules["pyarrow"] = None
    import kansho
    cell = kansho.demo_cell()
    assert len(kansho.sweep(cell, [{}], "postures", options={"postures": [[0.0] * 6]})) == 1
    try:
        kansho.sweep(cell, [{}], "postures", options={"postures": [[0.0] * 6]}, out=sys.argv[1])
    except ImportError as error:
        assert "pip install kansho[sweep]" in str(error)
        sys.exit(7)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "s")], timeout=120)
    assert done.returncode == 7
