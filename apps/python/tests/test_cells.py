"""Cells from files and from objects; pickle; variants."""

import pickle

import numpy as np
import pytest

import kansho
from conftest import LIFT


def test_closed_forms(lift):
    # The plate's upper face is 0.01 m over its joint, the shelf's lower one at 0.75 m.
    heights = np.array([[0.0], [0.5], [0.7399], [0.7401], [0.8], [0.9], [1.0]])
    found = lift.postures(heights, find="gap")
    gaps = np.maximum(0, np.maximum(0.75 - (heights[:, 0] + 0.01), (heights[:, 0] - 0.01) - 0.85))
    assert np.allclose(found.distance, gaps, atol=1e-12)
    assert found.hit.tolist() == (gaps == 0).astype(int).tolist()
    report = lift.check([[0.0], [1.0]])
    assert report.verdict == "touches" and not report.free
    assert report.t_before <= 0.74 and abs(report.t - 0.74) < 2e-6
    free = lift.check([[0.0], [0.7]])
    assert free.free and 0.03 <= free.clearance <= 0.04 and abs(free.gap - 0.04) < 1e-12
    assert lift.check([[0.0], [0.7]], clearance=0.05).verdict == "touches"
    assert lift.check([[0.0], [0.7]], clearance_of={"shelf|lift/plate": 0.05}).verdict == "touches"
    assert lift.check([[0.8], [0.9]]).at_start


def test_arrays_of_all_kinds(lift, demo, random_postures):
    postures = random_postures(demo, 50)
    expected = demo.postures(postures).hit.tolist()
    wide = np.zeros((50, 12))
    wide[:, ::2] = postures
    for given in (postures.tolist(), np.asfortranarray(postures), wide[:, ::2], postures[::-1][::-1], postures.astype(">f8")):
        assert demo.postures(given).hit.tolist() == expected
    single = postures.astype(np.float32)
    assert demo.postures(single).hit.tolist() == demo.postures(single.astype(float)).hit.tolist()
    assert lift.postures(np.array([[0], [1]])).hit.tolist() == [0, 0]
    assert lift.postures([0.8]).hit.tolist() == [1]
    read_only = postures.copy()
    read_only.flags.writeable = False
    assert demo.postures(read_only).hit.tolist() == expected
    assert len(demo.postures(np.zeros((0, 6)))) == 0
    assert demo.touches(np.zeros((0, 6))).shape == (0,)


def test_same_for_any_threads(demo, random_postures):
    postures = random_postures(demo, 3000)
    one = demo.postures(postures, threads=1)
    assert np.array_equal(one.hit, demo.postures(postures, threads=2, models=True).hit)
    assert np.array_equal(one.pair_index, demo.postures(postures, models=True).pair_index)
    assert np.array_equal(one.hit == 1, demo.touches(postures))
    segments = np.hstack([postures[:100], postures[100:200]])
    alone, both = (demo.check_segments(segments, threads=n) for n in (1, 2))
    assert np.array_equal(alone.verdict, both.verdict) and np.array_equal(alone.t, both.t, equal_nan=True)


def test_contact_any_is_a_contact(demo, random_postures):
    postures = random_postures(demo, 400)
    segments = np.hstack([postures[:200], postures[200:]])
    first, some = (demo.check_segments(segments, contact=contact) for contact in ("first", "any"))
    assert np.array_equal(first.verdict, some.verdict) and (first.verdict == 1).any() and (first.verdict == 0).any()
    hits = first.verdict == 1
    assert (some.t[hits] >= first.t[hits] - 1e-9).all()


def test_pickle_is_exact(demo, lift, demo_folder):
    lifted = lift.vary(objects={"cone": kansho.Shape.cone(0.1, 0.2).at(kansho.pose([1, 2, 3], rpy=[0.1, 0.2, 0.3]))})
    for cell in (demo, lifted):
        again = pickle.loads(pickle.dumps(cell))
        assert again._print() == cell._print()
        assert again.joints == cell.joints and again.pairs == cell.pairs
        assert again.pairs_not_checked == cell.pairs_not_checked
        assert np.array_equal(again.limits, cell.limits)
    job = kansho.Job.load(demo_folder / "job.toml")
    assert pickle.loads(pickle.dumps(job))._print() == job._print()
    shape = kansho.Shape.box(1, 2, 3).at([1, 0, 0]).on("arm/link_6")
    robot = kansho.Robot.from_text(LIFT).at([1, 2, 3])
    cells = [
        kansho.Cell(robots={"arm": made}, objects={"o": kansho.Shape.box(1, 1, 1)}) for made in (robot, pickle.loads(pickle.dumps(robot)))
    ]
    assert cells[0]._print() == cells[1]._print()
    assert pickle.loads(pickle.dumps(shape)).pieces == 1


def test_pickle_of_real_cells(data):
    for name in ("ur5_boxes", "ur5_mixed"):
        cell = kansho.Cell.load(data / f"bench/data/{name}.toml")
        again = pickle.loads(pickle.dumps(cell))
        assert again._print() == cell._print()
        postures = np.loadtxt(data / "bench/data/w3_configs.csv")[:500]
        one, other = (c.postures(postures, find="gap") for c in (cell, again))
        assert np.array_equal(one.distance, other.distance)


def test_vary(lift):
    lower = lift.vary(at={"shelf": [0, 0, 0.3]})
    assert lower.postures([[0.1], [0.3]]).hit.tolist() == [0, 1]
    assert lift.postures([[0.1], [0.3]]).hit.tolist() == [0, 0]
    raised = lift.vary(at={"lift": [0, 0, 0.5]})
    assert raised.postures([[0.1], [0.3]]).hit.tolist() == [0, 1]
    empty = lift.vary(without=["shelf"])
    assert empty.bodies == ["lift/plate"]
    ball = lift.vary(objects={"shelf": kansho.Shape.sphere(0.1).at([0, 0, 0.5]), "held": kansho.Shape.box(0.1, 0.1, 0.1).on("lift/base")})
    assert ball.postures([[0.3], [0.45]]).hit.tolist() == [0, 1]
    with pytest.raises(ValueError, match='"shelv".*did you mean "shelf"'):
        lift.vary(at={"shelv": [0, 0, 0]})
    with pytest.raises(ValueError, match='"nothing"'):
        lift.vary(without=["nothing"])
    allowed = lift.vary(allow=[("lift/plate", "shelf")])
    assert allowed.pairs == [] and allowed.vary(without=["shelf"]).bodies == ["lift/plate"]


def test_trimesh(lift):
    trimesh = pytest.importorskip("trimesh")
    box = trimesh.creation.box((1, 1, 0.1))
    box.apply_translation((0, 0, 0.8))
    exact = trimesh.primitives.Box(extents=(1, 1, 0.1), transform=kansho.pose([0, 0, 0.8]))
    scene = trimesh.Scene([trimesh.creation.box((1, 1, 0.1), kansho.pose([0, 0, 0.8]))])
    heights = np.linspace(0, 1, 101)[:, None]
    expected = lift.postures(heights, find="gap").distance
    for given in (box, exact, scene):
        cell = lift.vary(objects={"shelf": given})
        assert np.allclose(cell.postures(heights, find="gap").distance, expected, atol=1e-9)
    with pytest.raises(TypeError, match="point_cloud"):
        lift.vary(objects={"cloud": trimesh.PointCloud([[0, 0, 1]])})
    with pytest.raises(TypeError, match='object "x".*is no shape'):
        lift.vary(objects={"x": 5})


def test_yourdfpy(data):
    yourdfpy = pytest.importorskip("yourdfpy")
    urdf = data / "data/robots/vamp_ur5/ur5.urdf"
    mine = kansho.Cell(robots={"r": kansho.robot(urdf, urdf.with_suffix(".srdf"))})
    theirs = yourdfpy.URDF.load(str(urdf), load_meshes=False, load_collision_meshes=False, build_scene_graph=True)
    other = kansho.Cell(robots={"r": kansho.robot(theirs, urdf.with_suffix(".srdf"), base=urdf.parent)})
    assert mine.joints == other.joints and mine.pairs == other.pairs
    # Forward kinematics is the same, too.
    rng = np.random.default_rng(1)
    for _ in range(20):
        posture = rng.uniform(-3, 3, len(mine.joints))
        theirs.update_cfg({name.split("/")[1]: value for name, value in zip(mine.joints, posture)})
        for link, matrix in zip(mine.links, other.place_links(posture)):
            assert np.allclose(matrix, theirs.get_transform(link.split("/")[1]), atol=1e-9)


def test_urdf_text_of_files(data):
    urdf = data / "data/robots/vamp_ur5/ur5.urdf"
    text = kansho.robot(urdf.read_text(), urdf.with_suffix(".srdf"), base=urdf.parent)
    cells = [kansho.Cell(robots={"r": robot}) for robot in (text, kansho.robot(urdf, urdf.with_suffix(".srdf")))]
    assert cells[0]._print() == cells[1]._print()


def test_point_cloud_leaves_no_point_out():
    rng = np.random.default_rng(3)
    for _ in range(20):
        voxel = 10 ** rng.uniform(-3, -1)
        points = rng.normal(0, 0.2, (200, 3))
        points[:50] = np.round(points[:50] / voxel) * voxel  # On borders of the grid.
        cloud = kansho.point_cloud(points, voxel)
        probe = kansho.Robot.from_text(PROBE)
        cell = kansho.Cell(robots={"p": probe}, objects={"cloud": cloud})
        assert (cell.postures(points).hit == 1).all()
        far = points + np.where(rng.random((200, 3)) < 0.5, -1, 1) * 2.0
        assert (cell.postures(far).hit == 0).all()
    with pytest.raises(ValueError, match="row 1"):
        kansho.point_cloud([[0, 0, 0], [0, np.nan, 0]], 0.1)
    with pytest.raises(ValueError, match="larger voxel"):
        kansho.point_cloud(rng.uniform(-1, 1, (60_000, 3)), 1e-3)


def slide(number, parent, axis, shape=""):
    """A link that slides along an axis."""
    return (
        f'<link name="l{number}">{shape}</link><joint name="j{number}" type="prismatic"><parent link="{parent}"/>'
        f'<child link="l{number}"/><axis xyz="{axis}"/><limit lower="-10" upper="10" effort="1" velocity="1"/></joint>'
    )


#: A tiny ball that goes anywhere.
BALL = '<collision><geometry><sphere radius="1e-9"/></geometry></collision>'
PROBE = f"""<robot name="p"><link name="w"/>{slide(0, "w", "1 0 0")}{slide(1, "l0", "0 1 0")}{slide(2, "l1", "0 0 1", BALL)}</robot>"""


def test_robots(lift):
    robot = kansho.Robot.from_text(LIFT)
    tool = kansho.Shape.box(0.02, 0.02, 0.2).at([0, 0, 0.1])
    with_tool = kansho.Cell(robots={"lift": robot.with_tool("plate", tool, [0, 0, 0.2])}, objects={"shelf": kansho.Shape.box(1, 1, 0.1).at([0, 0, 0.8])})
    assert "lift/tool" in with_tool.bodies
    assert with_tool.postures([[0.54], [0.56]]).hit.tolist() == [0, 1]
    held = kansho.Cell(robots={"lift": robot.holding({"up": 0.8})}, objects={"shelf": kansho.Shape.box(1, 1, 0.1).at([0, 0, 0.8])})
    with pytest.raises(ValueError, match="nothing in this cell moves"):
        held.postures([[0.0]])
    with pytest.raises(kansho.ReadError, match='holds joint "upp".*did you mean "up"'):
        kansho.Cell(robots={"lift": robot.holding({"upp": 0.8})})
    spheres = robot.spheres(radius=0.05)
    centres, radii = spheres["plate"]
    assert centres.shape == (len(radii), 3) and (radii <= 0.05).all()


def test_saved_cells_are_the_same(demo, tmp_path):
    demo.save(tmp_path / "cell")
    again = kansho.Cell.load(tmp_path / "cell/cell.toml")
    assert again.pairs == demo.pairs and again.joints == demo.joints


def test_disassembly():
    boxes = {f"b{k}": kansho.Shape.box(0.1, 0.1, 0.1).at([0, 0, 0.05 + 0.1 * k]) for k in range(3)}
    steps, left = kansho.Cell(objects=boxes).disassembly(stays="b0")
    assert left == ["b0"] and sorted(part for step in steps for part in step["parts"]) == ["b1", "b2"]
    with pytest.raises(kansho.Error, match="overlaps b1"):
        kansho.Cell(objects={**boxes, "b0": kansho.Shape.box(0.1, 0.1, 0.1).at([0, 0, 0.1])}).contacts("b0").freedoms
