"""The same random postures by kansho and by python-fcl, on the same triangles: they must agree.

python compare_with_fcl.py [ROBOT.urdf [ROBOT.srdf]]; needs python-fcl. Without arguments the built-in cell is taken, without its floor.

FCL's meshes are surfaces: a body wholly inside another is free to it. Such postures are counted by themselves.
"""

import sys
import time
from typing import Any

import fcl
import numpy as np
from numpy.typing import NDArray

import kansho

COUNT = 2000


def model(vertices: NDArray[np.float64], triangles: NDArray[np.uint32]) -> Any:
    made = fcl.BVHModel()
    made.beginModel(len(vertices), len(triangles))
    made.addSubModel(vertices, triangles)
    made.endModel()
    return made


def main() -> None:
    if len(sys.argv) > 1:
        cell = kansho.Cell(robots={"robot": kansho.Robot.load(*sys.argv[1:3])})
    else:
        cell = kansho.demo_cell().vary(without=["floor"])
    bodies = {name: model(*cell.body_mesh(name, deviation=1e-6)) for name in cell.bodies}
    pairs = [pair.split("|") for pair in cell.pairs]
    low, high = np.clip(cell.limits, -np.pi, np.pi).T
    postures = np.random.default_rng(1).uniform(low, high, (COUNT, len(low)))
    cell.prepare()
    begun = time.perf_counter()
    ours = cell.postures(postures, threads=1).hit == 1
    ours_secs = time.perf_counter() - begun
    begun = time.perf_counter()
    theirs = np.zeros(COUNT, dtype=bool)
    for row, posture in enumerate(postures):
        places = {name: fcl.Transform(at[:3, :3], at[:3, 3]) for name, at in zip(cell.bodies, cell.place_bodies(posture))}
        placed = {name: fcl.CollisionObject(bodies[name], at) for name, at in places.items()}
        hits = (fcl.collide(placed[a], placed[b], fcl.CollisionRequest(), fcl.CollisionResult()) for a, b in pairs)
        theirs[row] = any(hits)
    theirs_secs = time.perf_counter() - begun
    assert not (theirs & ~ours).any(), "FCL finds a contact that kansho does not"
    inside = int((ours & ~theirs).sum())
    print(f"{COUNT} postures, {ours.sum()} touch; FCL agrees on {COUNT - inside}; on {inside} one body is inside another, its surface apart")
    print(f"kansho {1e6 * ours_secs / COUNT:.1f} us a posture, python-fcl {1e6 * theirs_secs / COUNT:.1f} us")
    assert inside <= COUNT // 50


if __name__ == "__main__":
    main()
