"""Agreement with other libraries on random postures."""

import numpy as np
import pytest

import kansho


def random_scene(rng, trimesh):
    """Some boxes and a ball of triangles, and a floating body: parts of shape (name, mesh, pose)."""
    parts = []
    for k in range(6):
        mesh = trimesh.creation.box(rng.uniform(0.1, 0.6, 3))
        parts.append((f"box{k}", mesh, kansho.pose(rng.uniform(-1, 1, 3), rpy=rng.uniform(-3, 3, 3))))
    ball = trimesh.creation.icosphere(subdivisions=2, radius=0.3)
    parts.append(("ball", ball, kansho.pose(rng.uniform(-1, 1, 3))))
    moving = trimesh.creation.annulus(0.1, 0.25, 0.2)
    return parts, moving


FLOATING = """<robot name="f"><link name="w"/><link name="b"/>
<joint name="free" type="floating"><parent link="w"/><child link="b"/></joint></robot>"""


def asked(parts, moving, poses):
    """Ours: hits and gaps of a body that floats."""
    robot = kansho.Robot.from_text(FLOATING).with_tool("b", kansho.shape(moving))
    cell = kansho.Cell(robots={"f": robot}, objects={name: kansho.shape(mesh).at(at) for name, mesh, at in parts})
    found = cell.postures(poses, find="gap")
    assert np.array_equal(found.hit == 1, cell.touches(poses))
    return found


def test_python_fcl():
    fcl = pytest.importorskip("fcl")
    trimesh = pytest.importorskip("trimesh")
    rng = np.random.default_rng(11)
    compared = 0
    for _ in range(4):
        parts, moving = random_scene(rng, trimesh)
        poses = np.hstack([rng.uniform(-1.2, 1.2, (250, 3)), rng.uniform(-3, 3, (250, 3))])
        ours = asked(parts, moving, poses)

        def model(mesh):
            made = fcl.BVHModel()
            made.beginModel(len(mesh.vertices), len(mesh.faces))
            made.addSubModel(np.asarray(mesh.vertices), np.asarray(mesh.faces))
            made.endModel()
            return made

        fixed = [fcl.CollisionObject(model(mesh), fcl.Transform(at[:3, :3], at[:3, 3])) for _, mesh, at in parts]
        free = model(moving)
        for pose, gap in zip(poses, ours.distance):
            at = kansho.pose(pose[:3], rpy=pose[3:])
            body = fcl.CollisionObject(free, fcl.Transform(at[:3, :3], at[:3, 3]))
            least = min(fcl.distance(body, other, fcl.DistanceRequest(), fcl.DistanceResult()) for other in fixed)
            touches = any(fcl.collide(body, other, fcl.CollisionRequest(), fcl.CollisionResult()) for other in fixed)
            if touches:
                assert gap == 0
            elif gap > 0:
                assert abs(gap - least) < 1e-6
                compared += 1
            # Where one is wholly inside the other, surfaces do not meet: it touches, and FCL does not know.
    assert compared > 300


def test_coal():
    coal = pytest.importorskip("coal")
    trimesh = pytest.importorskip("trimesh")
    rng = np.random.default_rng(12)
    parts, moving = random_scene(rng, trimesh)
    poses = np.hstack([rng.uniform(-1.2, 1.2, (250, 3)), rng.uniform(-3, 3, (250, 3))])
    ours = asked(parts, moving, poses)

    def model(mesh):
        made = coal.BVHModelOBBRSS()
        made.beginModel(len(mesh.faces), len(mesh.vertices))
        vertices = coal.StdVec_Vec3s()
        [vertices.append(np.asarray(vertex, dtype=float)) for vertex in mesh.vertices]
        triangles = coal.StdVec_Triangle()
        [triangles.append(coal.Triangle(*(int(x) for x in face))) for face in mesh.faces]
        made.addSubModel(vertices, triangles)
        made.endModel()
        return made

    def transform(at):
        return coal.Transform3s(at[:3, :3].copy(), at[:3, 3].copy())

    fixed = [(model(mesh), transform(at)) for _, mesh, at in parts]
    free = model(moving)
    agree = 0
    for pose, hit in zip(poses, ours.hit):
        at = transform(kansho.pose(pose[:3], rpy=pose[3:]))
        touches = any(
            coal.collide(free, at, other, there, coal.CollisionRequest(), coal.CollisionResult()) for other, there in fixed
        )
        # Surfaces alone: what is wholly inside is not known there.
        assert not touches or hit == 1
        agree += touches == (hit == 1)
    assert agree > 240
