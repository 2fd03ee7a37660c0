"""Offline robot programming with proof.

A cell holds robots, tools and objects. It is asked whether postures touch, whether motions are free at every instant, what a
contact allows, and how a tool gets along a work path. Answers are proven: *free* with a certificate, *touches* with a witness, or
honestly undecided. Lengths are metres, angles radians, unless a name says otherwise.

>>> import kansho, numpy as np
>>> cell = kansho.demo_cell()
>>> cell.joints[0], len(cell.bodies)
('arm/joint_1', 11)
>>> report = cell.check(np.radians([[0, -35, 15, 0, 35, 0], [0, 25, 15, 0, 35, 0]]))
>>> report.verdict, report.pair
('touches', 'arm/tool|sheet')

| what | where |
|---|---|
| cells from files and objects | `Cell`, `Robot`, `Shape`, `pose`, `point_cloud`, `planning_scene`, `load_problems` |
| do they touch? | `Cell.postures`, `Cell.touches`, `Cell.check`, `Cell.check_segments`, `Cell.checker` |
| why not? | `Certificate` |
| what does a contact allow? | `Cell.contacts`, `Cell.disassembly` |
| from here to there | `Cell.way`, `Job`, `move` |
| spheres | `Shape.spheres`, `Robot.spheres`, `spherized_urdf` |
| many variants | `grid`, `sweep` |
| what is in a file? | `info` |
| in the browser | `view` |
"""

from ._kansho import (
    Cell,
    Certificate,
    Checker,
    Contacts,
    Error,
    Job,
    Moved,
    Plan,
    Postures,
    ReadError,
    Report,
    Robot,
    Segments,
    Shape,
    Verified,
    WriteError,
    __version__,
    demo_cell,
    demo_files,
    info,
    load_problems,
    move,
    spherized_urdf,
)
from .objects import point_cloud, pose, robot, shape
from .planning_scene import PlanningScene, planning_scene
from .sweeps import Sweep, SweepError, grid, progress_bar, sweep
from .viewing import View, view

__all__ = [
    "Cell",
    "Certificate",
    "Checker",
    "Contacts",
    "Error",
    "Job",
    "Moved",
    "Plan",
    "PlanningScene",
    "Postures",
    "ReadError",
    "Report",
    "Robot",
    "Segments",
    "Shape",
    "Sweep",
    "SweepError",
    "Verified",
    "View",
    "WriteError",
    "__version__",
    "demo_cell",
    "demo_files",
    "grid",
    "info",
    "load_problems",
    "move",
    "planning_scene",
    "point_cloud",
    "pose",
    "progress_bar",
    "robot",
    "shape",
    "spherized_urdf",
    "sweep",
    "view",
]
