"""Puts the rows that `kansho-bench differ-rows COUNT SEED FOLDER` wrote to another engine, and writes what it says.

    python bench/differ.py FOLDER fcl|coal [MOST_ROWS]

needs numpy and python-fcl or coal. `FOLDER/ENGINE.answers` has two numbers a row: whether they touch, and how far apart they are; not a
number where the engine was not asked or does not know. `kansho-bench differ-static COUNT SEED FOLDER` then compares and explains.
"""

import json
import pathlib
import sys

import numpy as np


class Fcl:
    """FCL by way of python-fcl."""

    def __init__(self):
        import fcl

        self.fcl = fcl

    def shape(self, told):
        """A shape, and where its origin is in ours."""
        fcl = self.fcl
        kind, sizes = next(iter(told.items()))
        if kind == "mesh":
            vertices, faces = np.array(sizes).reshape(-1, 3), np.array(told["triangles"])
            made = fcl.BVHModel()
            made.beginModel(len(vertices), len(faces))
            made.addSubModel(vertices, faces)
            made.endModel()
            return made
        if kind == "box":
            return fcl.Box(*sizes)
        if kind == "sphere":
            return fcl.Sphere(sizes)
        if kind == "cylinder":
            return fcl.Cylinder(*sizes)
        if kind == "capsule":
            return fcl.Capsule(*sizes)
        if kind == "cone":
            return fcl.Cone(*sizes)
        return fcl.Halfspace(np.array(sizes[:3]), sizes[3])

    def ask(self, a, b, turn, place, wants_distance):
        fcl = self.fcl
        first = fcl.CollisionObject(a, fcl.Transform())
        second = fcl.CollisionObject(b, fcl.Transform(turn, place))
        hit = float(fcl.collide(first, second, fcl.CollisionRequest(), fcl.CollisionResult()) > 0)
        distance = np.nan
        # Distances from half-spaces end python-fcl with a fault of memory.
        if wants_distance and not isinstance(a, fcl.Halfspace) and not isinstance(b, fcl.Halfspace):
            distance = fcl.distance(first, second, fcl.DistanceRequest(), fcl.DistanceResult())
        return hit, distance


class Coal:
    """Coal by way of its own package."""

    def __init__(self):
        import coal

        self.coal = coal
        self.origin = coal.Transform3s()

    def shape(self, told):
        coal = self.coal
        kind, sizes = next(iter(told.items()))
        if kind == "mesh":
            made = coal.BVHModelOBBRSS()
            vertices, faces = np.array(sizes).reshape(-1, 3), told["triangles"]
            made.beginModel(len(faces), len(vertices))
            points = coal.StdVec_Vec3s()
            for point in vertices:
                points.append(point)
            triangles = coal.StdVec_Triangle()
            for face in faces:
                triangles.append(coal.Triangle(*face))
            made.addSubModel(points, triangles)
            made.endModel()
            return made
        if kind == "box":
            return coal.Box(*sizes)
        if kind == "sphere":
            return coal.Sphere(sizes)
        if kind == "cylinder":
            return coal.Cylinder(*sizes)
        if kind == "capsule":
            return coal.Capsule(*sizes)
        if kind == "cone":
            return coal.Cone(*sizes)
        return coal.Halfspace(np.array(sizes[:3]), sizes[3])

    def ask(self, a, b, turn, place, wants_distance):
        coal = self.coal
        there = coal.Transform3s(turn, place)
        hit = float(coal.collide(a, self.origin, b, there, coal.CollisionRequest(), coal.CollisionResult()) > 0)
        distance = np.nan
        if wants_distance:
            distance = coal.distance(a, self.origin, b, there, coal.DistanceRequest(), coal.DistanceResult())
        return hit, distance


def main():
    folder, name = pathlib.Path(sys.argv[1]), sys.argv[2]
    engine = {"fcl": Fcl, "coal": Coal}[name]()
    shapes = [engine.shape(told) for told in json.loads((folder / "shapes.json").read_text())]
    rows = np.fromfile(folder / "rows.bin").reshape(-1, 15)
    if len(sys.argv) > 3:
        rows = rows[: int(sys.argv[3])]
    answers = np.full((len(rows), 2), np.nan)
    failed = 0
    for k, row in enumerate(rows):
        a, b = shapes[int(row[0])], shapes[int(row[1])]
        try:
            # Nine numbers of a rotation, row by row, and three of a place.
            answers[k] = engine.ask(a, b, row[3:12].reshape(3, 3).copy(), row[12:].copy(), row[2] != 0)
        except Exception:  # What an engine cannot answer it refuses in its own way.
            failed += 1
        if k % 100_000 == 99_999:
            print(f"{k + 1} of {len(rows)}", flush=True)
    # A distance below zero is a depth.
    answers[:, 1] = np.where(np.isnan(answers[:, 1]), np.nan, np.maximum(answers[:, 1], 0))
    answers.tofile(folder / f"{name}.answers")
    print(f"{name}: {len(rows)} rows, {int(np.nansum(answers[:, 0]))} touch, {failed} not answered")


main()
