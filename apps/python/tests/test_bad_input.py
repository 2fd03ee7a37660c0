"""What is wrong is told, and nothing is answered."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import kansho


@pytest.mark.parametrize(
    "given, error, words",
    [
        (np.zeros((3, 5)), ValueError, r"shape \(n, 6\) is wanted.*arm/joint_1.*shape \(3, 5\)"),
        (np.zeros((2, 3, 6)), ValueError, r"two dimensions.*\(2, 3, 6\)"),
        (np.zeros(5), ValueError, "shape"),
        (0.0, ValueError, "shape"),
        (np.array([[0, 0, 0, np.nan, 0, 0]]), ValueError, r"row 0, column 3 \(arm/joint_4\) is NaN"),
        (np.array([[0.0] * 6, [0, 0, 0, 0, 0, np.inf]]), ValueError, r"row 1, column 5.*inf"),
        (np.zeros((2, 6), dtype=complex), TypeError, "complex128"),
        (np.zeros((2, 6), dtype=object), TypeError, "object"),
        (np.zeros((2, 6), dtype=bool), TypeError, "bool"),
        (np.zeros((2, 6), dtype=np.longdouble), TypeError, "longdouble|float128"),
        ([["a"] * 6], TypeError, "dtype"),
        ([[0.0] * 6, [0.0] * 5], ValueError, "no array of numbers"),
        (None, (TypeError, ValueError), "numbers"),
        ("text", (TypeError, ValueError, kansho.ReadError), "numbers|no such file"),
    ],
)
def test_arrays(demo, given, error, words):
    for ask in (demo.postures, demo.touches, demo.check):
        with pytest.raises(error, match=words):
            ask(given)


def test_single_postures(demo):
    checker = demo.checker()
    for given, words in (
        ([0, 0], "6 numbers are wanted"),
        (np.zeros(7), "6 numbers are wanted"),
        ([0, 0, 0, 0, 0, np.nan], "arm/joint_6 is NaN"),
        (np.zeros((2, 6)), "one is wanted"),
    ):
        with pytest.raises(ValueError, match=words):
            checker.is_valid(given)
        with pytest.raises(ValueError, match=words):
            checker.is_motion_valid(np.zeros(6), given)
    for given in (None, object(), {}, "x"):
        with pytest.raises((TypeError, ValueError)):
            checker.is_valid(given)


@pytest.mark.parametrize(
    "keywords, words",
    [
        ({"find": "some"}, '"first", "all" or "gap", not "some"'),
        ({"threads": 0}, "1 to 512"),
        ({"timeout": -1.0}, "seconds"),
        ({"timeout": float("nan")}, "seconds"),
        ({"progress": 5}, "can be called"),
        ({"spheres": -1.0}, "spheres"),
    ],
)
def test_options(demo, keywords, words):
    with pytest.raises(ValueError, match=words):
        demo.postures(np.zeros((1, 6)), **keywords)


def test_options_of_motions(demo):
    two = np.zeros((2, 6))
    for keywords, words in (
        ({"kind": "arc"}, '"ptp", "spline" or "lin", not "arc"'),
        ({"clearance": -1}, "zero or more"),
        ({"clearance": np.nan}, "zero or more"),
        ({"contact": "last"}, '"first" or "any"'),
        ({"clearance_of": {"arm/tool|shet": 0.1}}, "did you mean arm/tool|sheet"),
        ({"clearance_of": {"arm/tool|arm/link_6": 0.1}}, "are not checked: allowed"),
    ):
        with pytest.raises(ValueError, match=words):
            demo.check(two, **keywords)
    with pytest.raises(ValueError, match="motion: 1 postures: a motion needs two"):
        demo.check(two[:1])
    with pytest.raises(ValueError, match=r"shape \(n, 12\)"):
        demo.check_segments(two)


@pytest.mark.parametrize(
    "pose, words",
    [
        (np.eye(3), "shape"),
        (np.diag([1, 1, 2, 1.0]), "at:"),
        (np.diag([1, 1, -1, 1.0]), "at:"),
        ([0, 0, 0, 2, 0, 0, 0], "at:"),
        ([0, 0, np.nan], "no finite number"),
        (np.vstack([np.eye(4)[:3], [0, 0, 1, 1]]), "last row"),
        ([], "shape"),
        (1e9 * np.ones(3), "at:"),
    ],
)
def test_poses(lift, pose, words):
    with pytest.raises(ValueError, match=words):
        lift.vary(at={"shelf": pose})
    with pytest.raises(ValueError, match=words):
        kansho.Shape.box(1, 1, 1).at(pose)


def test_shapes():
    for make, words in (
        (lambda: kansho.Shape.box(1, -1, 1), "greater than zero"),
        (lambda: kansho.Shape.sphere(float("nan")), "greater than zero"),
        (lambda: kansho.Shape.boxes([[0, 0, 0, 1, 1]]), "shape"),
        (lambda: kansho.Shape.boxes(np.zeros((0, 6))), "there is none"),
        (lambda: kansho.Shape.mesh(np.zeros((3, 2)), [[0, 1, 2]]), "vertices"),
        (lambda: kansho.Shape.mesh(np.eye(3), [[0, 1, -1]]), "vertex -1"),
        (lambda: kansho.Shape.mesh(np.eye(3), [[0, 1]]), "triangles"),
        (lambda: kansho.Shape.box(1, 1, 1).spheres(), "one of radius and count"),
        (lambda: kansho.Shape.box(1, 1, 1).spheres(radius=0), "radius|greater|zero"),
        (lambda: kansho.Shape.union([]), "no shape"),
        (lambda: kansho.Shape.load("x.stl", scale=0), "scale"),
    ):
        with pytest.raises(ValueError, match=words):
            make()
    with pytest.raises(TypeError, match="whole numbers"):
        kansho.Shape.mesh(np.eye(3), [[0.5, 1, 2]])
    for vertices, triangles in ((np.eye(3), [[0, 1, 3]]), (np.eye(3), np.zeros((0, 3), int)), (np.zeros((3, 3)), [[0, 1, 2]])):
        with pytest.raises(kansho.ReadError):
            kansho.Shape.mesh(vertices, triangles)
    with pytest.raises(kansho.ReadError, match="none.stl"):
        kansho.Shape.load("none.stl")
    assert kansho.Shape.mesh(np.eye(3), [[0, 1, 2]]).warnings  # It is open.


def test_files_that_somebody_has_opened(demo_folder, lift, tmp_path):
    """Paths are wanted: whoever gives a file is told so, with its name, and that it is closed if it is."""
    path = demo_folder / "cell.toml"
    with open(path) as file:
        for load in (kansho.Cell.load, kansho.Job.load, kansho.Robot.load, kansho.Shape.load, kansho.Certificate.load, kansho.move):
            with pytest.raises(TypeError, match="the path of the file is wanted, not the open file: .*cell.toml"):
                load(file)
        with pytest.raises(TypeError, match="not the open file"):
            kansho.Robot.from_text(file)
        with pytest.raises(TypeError, match="not the open file"):
            lift.check(file)
        with pytest.raises(TypeError, match="not the open file"):
            kansho.Robot.load(path, file)
    for load in (kansho.Cell.load, kansho.Job.load, kansho.Shape.load, kansho.Certificate.load, kansho.Robot.from_text, kansho.move, lift.check):
        with pytest.raises(ValueError, match="this file is closed, and its path is wanted: .*cell.toml"):
            load(file)
    with pytest.raises(ValueError, match="closed"):
        lift.save(file)
    for wrong in (5, None, ["a"], b"none.toml"):
        with pytest.raises((TypeError, kansho.ReadError)):
            kansho.Cell.load(wrong)


def test_closed_files_of_others(tmp_path):
    """Readers in Python that take files take open ones only."""
    pytest.importorskip("yaml")
    with open(tmp_path / "scene.yaml", "w+") as file:
        file.write("name: room\n")
    with pytest.raises((TypeError, ValueError), match="closed|path"):
        kansho.planning_scene(file)
    with pytest.raises((TypeError, ValueError), match="closed|path"):
        kansho.shape(file)
    with pytest.raises((TypeError, ValueError), match="closed|path"):
        kansho.robot(file)


def test_names():
    box = kansho.Shape.box(1, 1, 1)
    for name in ("a/b", "a|b", "", "a\nb"):
        with pytest.raises(ValueError, match="name"):
            kansho.Cell(objects={name: box})
    with pytest.raises(kansho.ReadError, match="on \"arm/x\""):
        kansho.Cell(objects={"held": box.on("arm/x")})
    with pytest.raises(kansho.ReadError, match="nothing has that name"):
        kansho.Cell(objects={"a": box}, allow=[("a", "c")])


def test_late_answers_are_undecided(demo, random_postures):
    found = demo.postures(random_postures(demo, 2000), timeout=0.0)
    assert (found.hit == -1).any() and not (found.hit == 0).all()
    report = demo.check(np.radians([[0, -35, 15, 0, 35, 0], [12, -35, 15, 0, 35, 0]]), timeout=0.0)
    assert report.verdict == "undecided" and report.open is not None


def test_progress(demo, random_postures):
    told = []
    demo.postures(random_postures(demo, 500), progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (500, 500) and all(done <= total for done, total in told)

    def fail(done, total):
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        demo.postures(random_postures(demo, 500), progress=fail)


LONG = {
    "postures": "cell.postures(np.random.default_rng(0).uniform(-3, 3, (2_000_000, 6)), find='gap')",
    "segments": "cell.check_segments(np.random.default_rng(0).uniform(-2, 2, (400_000, 12)), tight=True)",
    "touches": "cell.touches(np.random.default_rng(0).uniform(-3, 3, (30_000_000, 6)))",
    "check": "cell.check(np.tile(np.radians([[0, -35, 15, 0, 35, 0], [12, -35, 15, 0, 35, 0]]), (20_000, 1)), certificate=True)",
    "lin": "cell.check(np.tile(np.radians([[0, -35, 15, 0, 35, 0], [12, -35, 15, 0, 35, 0]]), (5_000, 1)), kind='lin', certificate=True)",
    "move": "kansho.move(script)",
    "plan": "kansho.Job.load(kansho.demo_files(tempfile.mkdtemp(), points=1, degrees=1)).plan(certificate=True)",
    "sweep": "kansho.sweep(cell, kansho.grid(at=[{'sheet': [1, 0, z]} for z in np.linspace(0, 1, 50)]), 'postures', "
    "options={'postures': np.random.default_rng(0).uniform(-3, 3, (2_000_000, 6)), 'models': True})",
}


@pytest.mark.skipif(os.name == "nt", reason="signals are sent otherwise there")
@pytest.mark.parametrize("what", LONG)
def test_interrupt(what):
    code = f"""
    import kansho, numpy as np, signal, sys, tempfile
    signal.signal(signal.SIGINT, signal.default_int_handler)  # Jobs in the background are begun with it ignored.
    cell = kansho.demo_cell()
    cell.prepare()
    script = tempfile.mkdtemp() + "/script.toml"
    with open(script, "w") as file:
        slide = '{{ do = "slide", along = "%sx", keep = ["block.A on table.B"], by = 0.1 }},\\n'
        file.write('move = [{{ do = "approach", along = "-z", until = "block.A on table.B" }},\\n' + (slide % "+" + slide % "-") * 5000)
        file.write(']\\n[fixed.table]\\nbox = [1, 1, 0.1]\\nat = {{ xyz = [0, 0, -0.05] }}\\nB = {{ face = "+z" }}\\n')
        file.write('[moved.block]\\nbox = [0.2, 0.2, 0.2]\\nstart = {{ xyz = [0, 0, 0.5] }}\\nA = {{ face = "-z" }}\\n')
    print("begun", flush=True)
    try:
        {LONG[what]}
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        sys.exit(7)
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "begun\n", process.stderr.read()
        # As many moves as a script may have take a second or two.
        time.sleep(0.3 if what == "move" else 2.0)
        assert process.poll() is None, "it was too short"
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
        assert (process.returncode, out) == (7, "interrupted\n"), errors
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def test_other_threads_go_on(demo, random_postures):
    import threading

    postures = random_postures(demo, 20_000)
    ticks = 0
    done = threading.Event()

    def work():
        demo.postures(postures, find="gap", threads=1)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        ticks += 1
        time.sleep(0.005)
    thread.join()
    # With the lock held, there would be none between the first and the last.
    assert ticks > 20


def test_after_a_fork(demo):
    if not hasattr(os, "fork"):
        pytest.skip("there is no fork here")
    code = """
    import os, sys, warnings
    warnings.simplefilter("ignore")
    import kansho, numpy as np
    cell = kansho.demo_cell()
    first = cell.touches(np.zeros((5000, 6)))
    child = os.fork()
    if child == 0:
        again = cell.touches(np.zeros((5000, 6)))
        os._exit(0 if (again == first).all() else 1)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    assert subprocess.run([sys.executable, "-c", textwrap.dedent(code)], timeout=120).returncode == 0
