"""The same answers, and the same words, as the command line."""

import csv
import json

import numpy as np
import pytest

import kansho


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def save(path, array):
    np.savetxt(path, array, delimiter=",", fmt="%.17g")


@pytest.mark.parametrize("find, arguments", [("first", []), ("all", ["--all"]), ("gap", ["--distance"])])
def test_postures(command, demo, demo_folder, random_postures, tmp_path, find, arguments):
    postures = random_postures(demo, 400)
    save(tmp_path / "q.csv", postures)
    out = tmp_path / "r.csv"
    command("postures", demo_folder / "cell.toml", "--postures", tmp_path / "q.csv", "--out", out, *arguments, code=1)
    theirs = rows_of(out)
    for cell in (demo, kansho.Cell.load(demo_folder / "cell.toml")):
        ours = cell.postures(postures, find=find)
        assert [str(hit) for hit in ours.hit] == [row["hit"] for row in theirs]
        assert 40 < (ours.hit == 1).sum() < 360
        if find == "all":
            assert [";".join(pairs) for pairs in ours.pairs] == [row["pair"] for row in theirs]
            continue
        assert [pair or "" for pair in ours.pair] == [row["pair"] for row in theirs]
        if find == "gap":
            assert np.array_equal(ours.distance, [float(row["distance"]) for row in theirs])
            points = [[float(row[name]) for name in ("ax", "ay", "az", "bx", "by", "bz")] for row in theirs]
            assert np.array_equal(ours.points.reshape(-1, 6), points)


def test_spheres_of_postures(command, demo, demo_folder, random_postures, tmp_path):
    postures = random_postures(demo, 200)
    save(tmp_path / "q.csv", postures)
    out = tmp_path / "r.csv"
    command("postures", demo_folder / "cell.toml", "--postures", tmp_path / "q.csv", "--out", out, "--spheres", "0.02")
    assert [row["hit"] for row in rows_of(out)] == [str(hit) for hit in demo.postures(postures, spheres=0.02).hit]


def test_real_cells(command, data, tmp_path):
    bench = data / "bench/data"
    postures = np.loadtxt(bench / "w3_configs.csv")[:3000]
    for kind in ("boxes", "mixed"):
        cell = kansho.Cell.load(bench / f"ur5_{kind}.toml")
        truth = np.loadtxt(bench / f"w3_truth_{kind}.csv", dtype=bool)[: len(postures)]
        assert np.array_equal(cell.postures(postures).hit == 1, truth)
        assert np.array_equal(cell.touches(postures), truth)


def test_real_segments(command, data, tmp_path):
    bench = data / "bench/data"
    segments = np.loadtxt(bench / "w4_segments.csv")[:300]
    save(tmp_path / "s.csv", segments)
    out = tmp_path / "r.csv"
    command("check", bench / "ur5_boxes.toml", "--segments", tmp_path / "s.csv", "--out", out, code=1)
    ours = kansho.Cell.load(bench / "ur5_boxes.toml").check_segments(segments)
    words = {0: "free", 1: "touches", -1: "undecided"}
    theirs = rows_of(out)
    assert [words[int(verdict)] for verdict in ours.verdict] == [row["verdict"] for row in theirs]
    assert [pair or "" for pair in ours.pair] == [row["pair"] for row in theirs]
    same = [(t, row["t"]) for t, row in zip(ours.t, theirs) if row["t"]]
    assert same and all(t == float(text) for t, text in same)
    proven = [(c, row["clearance"]) for c, row in zip(ours.clearance, theirs) if row["clearance"]]
    assert proven and all(c == float(text) for c, text in proven)


@pytest.mark.parametrize("kind", ["ptp", "spline"])
@pytest.mark.parametrize("degrees", [[12, -35, 15, 0, 35, 0], [0, 25, 15, 0, 35, 0]])
def test_motions(command, demo, demo_folder, tmp_path, kind, degrees):
    waypoints = np.radians([[0, -35, 15, 0, 35, 0], [0, -30, 15, 0, 35, 0], degrees])
    save(tmp_path / "m.csv", waypoints)
    done = command("check", demo_folder / "cell.toml", tmp_path / "m.csv", "--motion", kind, "--json")
    theirs = json.loads(done.stdout)
    ours = demo.check(waypoints, kind=kind)
    assert ours.verdict == theirs["verdict"]
    if ours.free:
        assert ours.clearance == theirs["clearance"]
        assert (ours.pair, ours.gap) == (theirs["nearest"]["pair"], theirs["nearest"]["gap"])
    else:
        assert [ours.t_before, ours.t] == theirs["t"]
        assert (ours.pair, ours.gap, list(ours.posture)) == (theirs["pair"], theirs["gap"], theirs["posture"])


def test_certificates_both_ways(command, demo_folder, tmp_path):
    # Of the cell in files: that in memory differs from it in last digits of rotations.
    demo = kansho.Cell.load(demo_folder / "cell.toml")
    waypoints = np.radians([[0, -35, 15, 0, 35, 0], [12, -35, 15, 0, 35, 0]])
    held = demo.check(waypoints, certificate=True).certificate
    held.save(tmp_path / "ours.json")
    command("verify", tmp_path / "ours.json", demo_folder / "cell.toml", code=0)
    save(tmp_path / "m.csv", waypoints)
    command("check", demo_folder / "cell.toml", tmp_path / "m.csv", "--certificate", tmp_path / "theirs.json", code=0)
    theirs = kansho.Certificate.load(tmp_path / "theirs.json")
    assert theirs.verify(demo, waypoints)
    assert not theirs.verify(demo, waypoints + 1e-9)
    other = theirs.verify(demo.vary(at={"sheet": kansho.pose([1.1, 0, 0.74], rpy_deg=[0, 0, 90])}))
    assert not other.accepted and "sheet" in other.why
    # Whatever is changed is refused.
    text = (tmp_path / "theirs.json").read_text()
    (tmp_path / "theirs.json").write_text(text.replace('"motion_hash":"', '"motion_hash":"0', 1))
    with pytest.raises(kansho.ReadError):
        kansho.Certificate.load(tmp_path / "theirs.json")


def test_plan(command, demo_folder, tmp_path):
    done = command("plan", demo_folder / "job.toml", "--out", tmp_path / "plan", "--json", "--no-certificate", code=0)
    theirs = json.loads(done.stdout)
    plan = kansho.Job.load(demo_folder / "job.toml").plan()
    assert plan.verdict == theirs["verdict"] == "path"
    states = [int((plan.map == state).sum()) for state in range(5)]
    assert states == [theirs["map"][name] for name in ("free", "collides", "limit", "out_of_reach", "unknown")]
    assert plan.clearance == theirs["path"]["clearance"]
    assert list(plan.cost) == [theirs["path"]["cost"][name] for name in ("motion", "limits", "singularities", "borders")]
    waypoints = np.loadtxt(tmp_path / "plan/motion.csv", delimiter=",", skiprows=1)
    assert np.array_equal(plan.motions[0], waypoints)


def test_spheres(command, data, tmp_path):
    urdf = data / "data/robots/vamp_ur5/ur5.urdf"
    for how in ({"radius": 0.05}, {"count": 6}):
        [(name, size)] = how.items()
        command("spheres", urdf, f"--{name}", size, "--out", tmp_path / "s.urdf", code=0)
        assert (tmp_path / "s.urdf").read_text() == kansho.spherized_urdf(urdf, **how)


def test_contacts_of_blocks(command, tmp_path):
    (tmp_path / "cell.toml").write_text(
        '[[object]]\nname = "block"\nbox = [0.2, 0.1, 0.1]\nat = { xyz = [0, 0, 0.05] }\n'
        '[[object]]\nname = "floor"\nplane = [0, 0, 1, 0]\n'
        '[[object]]\nname = "wall"\nbox = [0.1, 1, 1]\nat = { xyz = [0.15, 0, 0.5] }\n'
    )
    theirs = json.loads(command("contact", tmp_path / "cell.toml", "--moving", "block", "--json", code=0).stdout)
    ours = kansho.Cell.load(tmp_path / "cell.toml").contacts("block")
    assert ours.points.tolist() == [contact["point"] for contact in theirs["contacts"]]
    rows = [[rows.tolist() for rows in conditions] for conditions in ours.conditions]
    assert rows == [contact["rows"] for contact in theirs["contacts"]]
    assert ours.freedoms == theirs["freedoms"]
    assert [branch["rays"].tolist() for branch in ours.branches()] == [branch["rays"] for branch in theirs["branches"]]
    assert [branch["kind"] for branch in ours.branches()] == [branch["kind"] for branch in theirs["branches"]] == ["exact"]
    assert ours.stands() == theirs["stands"]["frictionless"]


BAD_FILES = {
    "cell.toml": '[[object]]\nname = "crate"\nbox = [0.4, 0.3]\n[[object]]\nname = "crate"\nsphere = -1\n',
    "robot.urdf": '<robot name="r"><link name="a"/><joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>',
    "missing.toml": None,
    "job.toml": 'cell = "no.toml"\n[path]\nfile = "none.csv"\n',
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_words_of_faults(command, tmp_path, name):
    path = tmp_path / name
    if BAD_FILES[name] is not None:
        path.write_text(BAD_FILES[name])
    load = kansho.Job.load if name == "job.toml" else kansho.Cell.load
    (tmp_path / "q.csv").write_text("0\n")
    if name == "job.toml":
        theirs = command("plan", path, "--out", tmp_path / "out", code=3)
    else:
        theirs = command("postures", path, "--postures", tmp_path / "q.csv", code=3)
    with pytest.raises(kansho.ReadError) as ours:
        load(path)
    assert str(ours.value) == theirs.stderr.rstrip()


def test_info(command, demo_folder):
    files = [demo_folder / name for name in ("cell.toml", "arm.urdf", "path.csv") if (demo_folder / name).exists()]
    assert files
    done = json.loads(command("info", "--json", *files, code=0).stdout)
    for file, theirs in zip(files, done["files"]):
        assert kansho.info(file) == theirs
    with pytest.raises(kansho.ReadError):
        kansho.info(demo_folder / "none.stl")
