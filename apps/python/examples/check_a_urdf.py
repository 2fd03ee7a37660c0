"""Check a URDF in ten lines: python check_a_urdf.py ROBOT.urdf [ROBOT.srdf]"""

import sys

import numpy as np

import kansho

robot = kansho.Robot.load(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None)
cell = kansho.Cell(robots={"robot": robot}, objects={"post": kansho.Shape.cylinder(0.05, 2.0).at([0.5, 0.0, 0.0])})
low, high = np.clip(cell.limits, -np.pi, np.pi).T
found = cell.postures(np.random.default_rng(0).uniform(low, high, (1000, len(cell.joints))))
pairs, counts = np.unique([pair for pair in found.pair if pair], return_counts=True)
print(f"{(found.hit == 1).sum()} of {len(found)} random postures touch")
for pair, count in sorted(zip(pairs, counts), key=lambda both: -both[1])[:10]:
    print(f"{count:5}  {pair}")
