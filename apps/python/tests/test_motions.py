"""Motions of every kind: the same answers, and the same words, as the command line."""

import json
import re

import numpy as np
import pytest

import kansho

#: Near the home of the built-in arm.
HOME = [0, -0.6, 0.26, 0, 0.6, 0]

#: A RAPID module whose tool is defined elsewhere: `tool_of_cell` takes that of the built-in cell.
MODULE = """MODULE weld
  PROC main()
    ConfL\\Off;
    MoveAbsJ [[0,-34.37747,14.89690,0,34.37747,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v500,fine,gun;
{}  ENDPROC
ENDMODULE
"""


def rapid(*targets, zone="fine", last="fine"):
    """A module that goes through targets. The controller starts it again, so it stops at the last one."""
    line = "    MoveL [[{},{},{}],[0,0,1,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v100,{},gun;\n"
    zones = [zone] * (len(targets) - 1) + [last]
    return MODULE.format("".join(line.format(*xyz, zone) for xyz, zone in zip(targets, zones)))


def down(x, y, z):
    """A pose whose tool looks down."""
    return {"xyz": [x, y, z], "rpy_deg": [180, 0, 180]}


@pytest.fixture(scope="module")
def cell(demo_folder):
    return kansho.Cell.load(demo_folder / "cell.toml")


def same(ours, theirs):
    """Whether a report says what the command says in JSON."""
    assert ours.verdict == theirs["verdict"]
    if "laws" in theirs:
        assert (ours.law, ours.laws) == (theirs["law"], {law["law"]: law["verdict"] for law in theirs["laws"]})
    if ours.verdict == "free":
        assert ours.clearance == theirs["clearance"]
        if "nearest" in theirs:
            nearest = theirs["nearest"]
            assert (ours.pair, ours.gap, ours.t) == (nearest["pair"], nearest["gap"], nearest["t"])
            assert np.array_equal(ours.points, nearest["points"])
    elif ours.verdict == "undecided" and "unreached" in theirs:
        assert ours.unreached == theirs["unreached"] > 0 and ours.open is None and ours.certificate is None
    elif ours.verdict == "touches":
        assert [ours.t_before, ours.t] == theirs["t"]
        assert (ours.pair, ours.gap, list(ours.posture)) == (theirs["pair"], theirs["gap"], theirs["posture"])
        assert np.array_equal(ours.points, theirs["points"]) and list(ours.on) == theirs["on"]
        assert ours.at_start == theirs["at_start"]
        told = theirs.get("segment", {"to": theirs.get("move"), "fraction": theirs.get("fraction")})
        assert (ours.move, ours.fraction) == (told["to"], told["fraction"])
        assert (ours.line, ours.seconds) == (theirs.get("line"), theirs.get("seconds"))
        starts = [(start["pair"], start["depth"]) for start in theirs.get("start", [])]
        assert [(pair, depth if depth is None else list(depth)) for pair, depth in ours.start] == starts
    else:
        assert list(ours.open) == theirs["open"]


@pytest.mark.parametrize("law", ["slerp", "swivel-twist", "both"])
@pytest.mark.parametrize("last", [[0.75, 0.2, 1.3], [0.95, 0.1, 0.3]])
def test_lines_of_the_tool(command, cell, demo_folder, tmp_path, law, last):
    moves = [{"ptp": HOME}, {"lin": down(0.75, 0.1, 1.4)}, {"lin": down(*last)}]
    (tmp_path / "m.json").write_text(json.dumps(moves))
    done = command("check", demo_folder / "cell.toml", tmp_path / "m.json", "--law", law, "--json")
    theirs = json.loads(done.stdout)
    assert theirs["verdict"] == ("free" if last[2] > 1 else "touches")
    same(cell.check(tmp_path / "m.json", law=law), theirs)
    same(cell.check(str(tmp_path / "m.json"), law=law), theirs)
    same(cell.check(moves, law=law), theirs)
    with_arrays = [{"ptp": np.array(HOME)}, *moves[1:]]
    same(cell.check(tuple(with_arrays), law=law), theirs)


def test_rows_joined_by_lines(command, cell, demo_folder, tmp_path):
    rows = np.array([HOME, [0.1, -0.6, 0.26, 0, 0.6, 0], [0.1, -0.55, 0.26, 0.05, 0.6, 0]])
    np.savetxt(tmp_path / "q.csv", rows, delimiter=",", fmt="%.17g")
    done = command("check", demo_folder / "cell.toml", tmp_path / "q.csv", "--motion", "lin", "--json", code=0)
    same(cell.check(rows, kind="lin"), json.loads(done.stdout))
    same(cell.check(tmp_path / "q.csv", kind="lin"), json.loads(done.stdout))
    # The same as poses of the tip, in each of the ways of writing them.
    poses = [kansho.pose([0.75, y, 1.4], rpy_deg=[180, 0, 180]) for y in (0.1, 0.2)]
    twelve = np.array([np.hstack([pose[:3, :3].ravel(), pose[:3, 3]]) for pose in poses])
    np.savetxt(tmp_path / "p.csv", twelve, delimiter=",", fmt="%.17g")
    more = ["--motion", "lin", "--branch=+++", "--zone", "0.001", "--json"]
    theirs = json.loads(command("check", demo_folder / "cell.toml", tmp_path / "p.csv", *more, code=0).stdout)
    for given in (twelve, np.array(poses), tmp_path / "p.csv"):
        same(cell.check(given, kind="lin", branch="+++", zone=0.001), theirs)
    seven = np.array([[0.75, y, 1.4, 0, 0, 1, 0] for y in (0.1, 0.2)])
    report = cell.check(seven, kind="lin", branch="+++")
    assert report.free and report.clearance == pytest.approx(theirs["clearance"], rel=1e-3)


@pytest.mark.parametrize("kind", ["ptp", "spline"])
def test_files_of_waypoints(command, cell, demo_folder, tmp_path, kind):
    (tmp_path / "m.csv").write_text(
        "joint_1_deg,joint_2_deg,joint_3_deg,joint_4_deg,joint_5_deg,joint_6_deg\n0,-35,15,0,35,0\n5,-30,15,0,35,0\n0,25,15,0,35,0\n"
    )
    done = command("check", demo_folder / "cell.toml", tmp_path / "m.csv", "--motion", kind, "--json", code=1)
    same(cell.check(tmp_path / "m.csv", kind=kind), json.loads(done.stdout))
    degrees = np.array([[0, -35, 15, 0, 35, 0], [5, -30, 15, 0, 35, 0], [0, 25, 15, 0, 35, 0]])
    np.savetxt(tmp_path / "plain.csv", degrees, delimiter=",")
    same(cell.check(tmp_path / "plain.csv", kind=kind, units="deg"), json.loads(done.stdout))


#: A module with a move that is never reached.
NEVER = rapid([750, 100, 1400], [750, 200, 1400]).replace("    MoveL [[750,200", "    IF 1=2 MoveL [[750,200")


@pytest.mark.parametrize(
    "name, text, how, arguments",
    [
        ("free.mod", rapid([750, 100, 1400], [750, 200, 1400], [750, 200, 1300]), {}, []),
        ("rounded.mod", rapid([750, 100, 1400], [750, 200, 1400], [750, 200, 1300], zone="z1"), {}, []),
        ("planted.mod", rapid([950, 100, 1400], [950, 100, 300]), {}, []),
        ("near.mod", rapid([950, 100, 1400], [950, 100, 300]), {"clearance": 0.05}, ["--clearance", "0.05"]),
        ("never.mod", NEVER, {"certificate": True}, []),
    ],
)
def test_programs(command, cell, demo_folder, tmp_path, name, text, how, arguments):
    (tmp_path / name).write_text(text)
    done = command("check", demo_folder / "cell.toml", tmp_path / name, "--tool-of-cell", "--json", *arguments)
    theirs = json.loads(done.stdout)
    ours = cell.check(tmp_path / name, tool_of_cell=True, **how)
    same(ours, theirs)
    assert len(ours.warnings) == len(theirs["warnings"]) > 0
    assert "the way to this target, from wherever the robot stands" in ours.warnings[-1]
    if "planted" in name:
        assert (ours.line, ours.move) == (6, 3) and ours.seconds > 11 * ours.fraction > 0


def same_lines(ours, theirs):
    """The same line by line. (Each face names settings in its own words.)"""
    for key in ("motions", "proven", "proven_lines", "contacts", "assumed"):
        assert ours.get(key) == theirs.get(key), key
    assert [line["line"] for line in ours["open"]] == [line["line"] for line in theirs["open"]]


def test_programs_that_are_run_once(command, cell, demo_folder, tmp_path):
    """Nobody knows how a corner goes from the last line of a round to the first move of the next. In one round there is none."""
    (tmp_path / "p.mod").write_text(rapid([750, 100, 1400], [750, 200, 1400], zone="z1", last="z1"))
    report = cell.check(tmp_path / "p.mod", tool_of_cell=True)
    assert report.verdict == "undecided"
    assert any("the corner at this target" in line["why"] for line in report.partial["open"]), report.partial
    done = command("check", demo_folder / "cell.toml", tmp_path / "p.mod", "--tool-of-cell", "--json", code=2)
    same_lines(report.partial, json.loads(done.stdout)["partial"])
    once = cell.check(tmp_path / "p.mod", tool_of_cell=True, once=True)
    assert once.free and once.partial is None


def test_lines_around_what_is_not_understood(command, cell, demo_folder, tmp_path):
    """What can be proven of a program is, line by line, as by the command."""
    text = rapid([750, 100, 1400], [750, 200, 1400], [750, 200, 1300])
    lines = text.splitlines(keepends=True)
    lines.insert(len(lines) - 3, "    SomethingElse;\n")
    (tmp_path / "part.mod").write_text("".join(lines))
    done = command("check", demo_folder / "cell.toml", tmp_path / "part.mod", "--tool-of-cell", "--json", code=2)
    report = cell.check(tmp_path / "part.mod", tool_of_cell=True)
    assert report.verdict == "undecided" and not report.free
    same_lines(report.partial, json.loads(done.stdout)["partial"])
    assert report.partial["proven"] >= 1 and any("somethingelse" in line["why"] for line in report.partial["open"])


def test_trajectories(command, cell, demo_folder, tmp_path):
    names = ", ".join(f"joint_{k}" for k in range(1, 7))
    (tmp_path / "t.yaml").write_text(
        f"joint_names: [{names}]\npoints:\n"
        "- positions: [0, -0.6, 0.26, 0, 0.6, 0]\n  time_from_start: {sec: 0, nanosec: 0}\n"
        "- positions: [0, 0.45, 0.26, 0, 0.6, 0]\n  time_from_start: {sec: 2, nanosec: 0}\n"
    )
    done = command("check", demo_folder / "cell.toml", tmp_path / "t.yaml", "--json", code=1)
    ours = cell.check(tmp_path / "t.yaml")
    same(ours, json.loads(done.stdout))
    assert ours.line > 1 and 0 < ours.seconds < 2


BAD = {
    "unknown.mod": (MODULE.format("    Grip;\n"), {}, []),
    "far.mod": (rapid([5000, 0, 0]), {"tool_of_cell": True}, ["--tool-of-cell"]),
    "cut.src": ("DEF a( )\nPTP {A1 0", {}, []),
    "zone.mod": (rapid([750, 100, 1400]), {"tool_of_cell": True, "zone": 0.1}, ["--tool-of-cell", "--zone", "0.1"]),
    "entry.mod": (rapid([750, 100, 1400]), {"tool_of_cell": True, "entry": "other"}, ["--tool-of-cell", "--entry", "other"]),
    "robot.mod": (rapid([750, 100, 1400]), {"tool_of_cell": True, "robot": "other"}, ["--tool-of-cell", "--robot", "other"]),
    "missing.mod": (None, {}, []),
    "missing.csv": (None, {}, []),
    "far.json": (json.dumps([{"ptp": HOME}, {"lin": down(9, 0, 1)}]), {}, []),
    "tip.json": (json.dumps([{"ptp": HOME}, {"lin": down(0.75, 0.1, 1.4)}]), {"tip": "arn"}, ["--tip", "arn"]),
    "blend.json": (
        json.dumps([{"ptp": HOME}, {"lin": down(0.75, 0.1, 1.4), "zone": 0.01}, {"lin": down(0.75, 0.2, 1.4)}]),
        {"blend": "unknown"},
        ["--blend", "unknown"],
    ),
    "law.csv": ("0,-0.6,0.26,0,0.6,0\n0.1,-0.6,0.26,0,0.6,0\n", {"law": "both"}, ["--law", "both"]),
    "words.csv": ("0,-0.6,0.26,zero,0.6,0\n0.1,-0.6,0.26,0,0.6,0\n", {}, []),
    "outside.csv": ("0,-0.6,0.26,0,0.6,0\n100,-0.6,0.26,0,0.6,0\n", {}, []),
}


@pytest.mark.parametrize("name", BAD)
def test_words_of_faults(command, cell, demo_folder, tmp_path, name):
    text, how, arguments = BAD[name]
    path = tmp_path / name
    if text is not None:
        path.write_text(text)
    theirs = command("check", demo_folder / "cell.toml", path, *arguments, code=3)
    with pytest.raises(kansho.ReadError) as ours:
        cell.check(path, **how)
    # The command tells what is odd, too, before it refuses.
    refused = theirs.stderr[theirs.stderr.index("error: ") :].rstrip()
    # Settings are named as options there, and as arguments here.
    arguments = re.sub(r"--([a-z-]+)", lambda option: option[1].replace("-", "_"), refused)
    assert re.sub(r"\b([a-z_]+)='?([A-Za-z]+)'?", r"\1 \2", str(ours.value)) == arguments
    assert "--" not in str(ours.value).splitlines()[0] and "⟦" not in str(ours.value)


def test_what_is_outside_limits_is_refused_unless_allowed(cell):
    rows = [HOME, [100, *HOME[1:]]]
    with pytest.raises(kansho.ReadError, match="(?s)5729.578 deg.*outside its limits of .* deg.*row 2"):
        cell.check(rows)
    report = cell.check(rows, allow_outside_limits=True)
    assert len(report.warnings) == 1 and "row 2" in report.warnings[0] and "outside its limits" in report.warnings[0]
    with pytest.raises(kansho.ReadError, match="row 2"):
        cell.check(rows, strict=True, allow_outside_limits=True)
    assert cell.check([HOME, HOME]).warnings == []


def test_bad_moves(cell):
    for moves, error, words in (
        ([{"ptp": HOME}], kansho.ReadError, "needs two"),
        ([{"ptp": HOME}, {"fly": HOME}], kansho.ReadError, "move 2"),
        ([{"ptp": HOME}, {"lin": {"xyz": [0, 0, np.nan], "quat": [1, 0, 0, 0]}}], ValueError, "finite"),
        ([{"ptp": HOME}, {"lin": object()}], TypeError, "moves hold"),
        ([{"ptp": HOME}, 5], kansho.ReadError, "move 2"),
    ):
        with pytest.raises(error, match=words):
            cell.check(moves)
    for keywords, error, words in (
        ({"law": "other"}, ValueError, '"slerp", "swivel-twist" or "both", not "other"'),
        ({"law": 5}, TypeError, "law: a text"),
        ({"blend": "x"}, ValueError, "blend"),
        ({"zone": -1.0}, ValueError, "zone"),
        ({"branch": "+"}, ValueError, "branch: .* three signs"),
        ({"units": "yards"}, ValueError, "units"),
        ({"units": "deg"}, ValueError, "arrays are in metres and radians"),
        ({"colour": "red"}, TypeError, "colour"),
    ):
        with pytest.raises(error, match=words):
            cell.check([HOME, HOME], kind="lin", **keywords)
    with pytest.raises(ValueError, match=r"shape \(n, 6\)"):
        cell.check(np.zeros((2, 5)), kind="lin")
    with pytest.raises(kansho.ReadError, match="(?s)not a rotation.*motion:2"):
        cell.check(np.zeros((2, 12)), kind="lin")


def test_certificates_of_routes(command, cell, demo_folder, tmp_path):
    (tmp_path / "p.mod").write_text(rapid([750, 100, 1400], [750, 100, 1450], zone="z1"))
    held = cell.check(tmp_path / "p.mod", certificate=True, tool_of_cell=True).certificate
    assert held.about == "route"
    held.save(tmp_path / "ours.json")
    command("verify", tmp_path / "ours.json", demo_folder / "cell.toml", tmp_path / "p.mod", "--tool-of-cell", code=0)
    arguments = ("check", demo_folder / "cell.toml", tmp_path / "p.mod", "--certificate", tmp_path / "theirs.json")
    command(*arguments, "--tool-of-cell", code=0)
    assert (tmp_path / "theirs.json").read_text() == (tmp_path / "ours.json").read_text()
    assert held.verify(cell, tmp_path / "p.mod", tool_of_cell=True)
    (tmp_path / "other.mod").write_text(rapid([750, 100, 1400], [750, 110, 1450], zone="z1"))
    other = held.verify(cell, tmp_path / "other.mod", tool_of_cell=True)
    assert not other and other.why == "it is about another motion"
    assert not held.verify(cell, [HOME, HOME])
