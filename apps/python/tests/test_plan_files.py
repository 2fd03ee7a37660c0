"""What a plan writes is what the command writes, byte for byte."""

import json

import pytest

import kansho


#: Robot programs and times are wanted, too.
MORE = """
[output]
post = ["rapid", "krl", "fanuc", "urscript", "jbi"]
[timing]
joint_acceleration_deg = 500
joint_jerk_deg = 5000
"""


@pytest.fixture(scope="module", params=["ptp", "lin"])
def planned(request, demo_folder, command, tmp_path_factory):
    """A plan, and the folder that the command has written for the same job."""
    folder = tmp_path_factory.mktemp("theirs") / "plan"
    path = demo_folder / "programs.toml"
    path.write_text((demo_folder / "job.toml").read_text() + '' + MORE)
    done = command("plan", path, "--out", folder, "--motion", request.param, "--json", code=0)
    return kansho.Job.load(path).plan(motion=request.param, certificate=True), folder, json.loads(done.stdout), path


def test_files(planned, tmp_path):
    plan, theirs, answer, path = planned
    names, notes = plan.save(tmp_path / "ours", title=str(path))
    assert names == answer["files"] and "plan.json" in names
    assert {"path.csv", "map.csv", "map.png", "report.html", "certificate.json", "trajectory.csv"} <= set(names)
    assert any(name.endswith(".mod") for name in names) and any(name.startswith("motion.") for name in names)
    for name in names:
        # Where the job is depends on the folder.
        if name != "plan.json":
            assert (tmp_path / "ours" / name).read_bytes() == (theirs / name).read_bytes(), name
    listed = json.loads((tmp_path / "ours/plan.json").read_text())
    assert listed == {"job": str(path), "files": names}
    assert json.loads((theirs / "plan.json").read_text())["files"] == names
    held = plan.files(str(path))
    assert list(held) == names and held["map.png"].startswith(b"\x89PNG")
    assert held["report.html"] == (theirs / "report.html").read_bytes()
    assert isinstance(notes, list)


def test_answer(planned):
    plan, _, answer, _ = planned
    ours = plan.answer
    for key in set(answer) - {"seconds", "out", "files", "map"}:
        assert ours[key] == answer[key], key
    assert ours["map"]["free"] == answer["map"]["free"]


def test_what_was_written_is_true(planned, command, demo_folder, tmp_path):
    plan, theirs, _, _ = planned
    plan.save(tmp_path / "ours")
    cell = kansho.Cell.load(demo_folder / "cell.toml")
    certificate = kansho.Certificate.load(tmp_path / "ours/certificate.json")
    motion = next((tmp_path / "ours").glob("motion.*"))
    assert certificate.verify(cell, motion)
    assert cell.check(motion, tight=False).free


def test_words(planned, command):
    plan, folder, _, path = planned
    told = (folder / "report.html").read_text()
    first = str(plan).splitlines()[0]
    assert first in told and first.startswith("a path, proven free")


def test_no_path(command, demo_folder, tmp_path):
    """A wall in the work: both say why, in the same words, and write the same map."""
    cell = (demo_folder / "cell.toml").read_text()
    for name in ("path.csv", *(path.name for path in demo_folder.glob("*.stl")), "arm.urdf"):
        if (demo_folder / name).exists():
            (tmp_path / name).write_bytes((demo_folder / name).read_bytes())
    for folder in (path for path in demo_folder.iterdir() if path.is_dir()):
        (tmp_path / folder.name).symlink_to(folder)
    at = kansho.Job.load(demo_folder / "job.toml").tips[5]
    box = f'\n[[object]]\nname = "wall"\nbox = [0.05, 0.05, 0.05]\nat = {{ xyz = [{at[0]}, {at[1]}, {at[2] + 0.04}] }}\n'
    (tmp_path / "cell.toml").write_text(cell + box)
    (tmp_path / "job.toml").write_text((demo_folder / "job.toml").read_text())
    done = command("plan", tmp_path / "job.toml", "--out", tmp_path / "theirs", "--json", code=1)
    plan = kansho.Job.load(tmp_path / "job.toml").plan()
    names, _ = plan.save(tmp_path / "ours", title=str(tmp_path / "job.toml"))
    assert plan.verdict == "no_path" and names == json.loads(done.stdout)["files"]
    for name in names:
        assert (tmp_path / "ours" / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes(), name


def test_nothing_is_left_of_what_cannot_be_written(planned, tmp_path):
    plan = planned[0]
    (tmp_path / "file").write_text("here")
    with pytest.raises(kansho.WriteError):
        plan.save(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "here"


def test_points_inside_have_the_same_words(command, demo_folder, tmp_path):
    for path in demo_folder.iterdir():
        if path.name not in ("job.toml", "plan"):
            (tmp_path / path.name).symlink_to(path)
    text = (demo_folder / "job.toml").read_text()
    assert "[path]" in text
    (tmp_path / "job.toml").write_text(text.replace("[path]", "[path]\noffset = -0.3", 1))
    theirs = command("plan", tmp_path / "job.toml", "--out", tmp_path / "out")
    if theirs.returncode != 3:
        pytest.skip("the offset does not bring points into a body")
    with pytest.raises(kansho.ReadError) as ours:
        kansho.Job.load(tmp_path / "job.toml").plan()
    assert str(ours.value) == theirs.stderr.rstrip()


def test_pickled_jobs_write_the_same(planned, tmp_path):
    import pickle

    plan, _, _, path = planned
    job = pickle.loads(pickle.dumps(kansho.Job.load(path)))
    again = job.plan(motion="lin" if "motion.json" in plan.files() else "ptp", certificate=True)
    theirs, ours = plan.files(), again.files()
    assert list(theirs) == list(ours)
    assert [name for name in theirs if theirs[name] != ours[name]] == []


def test_profiles_are_not_lost_silently(demo_folder):
    """They are not pickled: a job that has some writes no programs then, and says so."""
    import pickle

    (demo_folder / "own.toml").write_text('language = "rapid"\n')
    path = demo_folder / "profiles.toml"
    path.write_text((demo_folder / "job.toml").read_text() + '\n[output]\npost = ["rapid"]\nprofiles = ["own.toml"]\n')
    job = kansho.Job.load(path)
    there = pickle.loads(pickle.dumps(job))
    assert "program.mod" in job.plan().files() and "program.mod" not in there.plan().files()
    assert "not pickled" in there.warnings[-1] and len(there.warnings) == len(job.warnings) + 1
