"""Shapes, robots and poses from objects that people have: trimesh, yourdfpy, arrays, files."""

from __future__ import annotations

import json
import os
from typing import Any, Optional, Sequence

import numpy as np

from ._kansho import Robot, Shape

#: Most boxes that a point cloud may become; each is a body's own part, and is looked at.
MOST_BOXES = 20_000


def pose(
    xyz: Sequence[float] = (0.0, 0.0, 0.0),
    *,
    rpy: Optional[Sequence[float]] = None,
    rpy_deg: Optional[Sequence[float]] = None,
    quat: Optional[Sequence[float]] = None,
) -> np.ndarray:
    """A pose as a 4 x 4 matrix: a translation, and a rotation as roll, pitch and yaw about fixed axes as in URDF (`rpy` in radians or `rpy_deg`), or as
    a unit quaternion w, x, y, z (`quat`).

    >>> pose([1, 2, 3], rpy_deg=[0, 0, 90]).round(12).tolist()
    [[0.0, -1.0, 0.0, 1.0], [1.0, 0.0, 0.0, 2.0], [0.0, 0.0, 1.0, 3.0], [0.0, 0.0, 0.0, 1.0]]
    """
    given = [name for name, value in (("rpy", rpy), ("rpy_deg", rpy_deg), ("quat", quat)) if value is not None]
    if len(given) > 1:
        raise ValueError(f"a rotation is given once, not as {' and '.join(given)}")
    matrix = np.eye(4)
    matrix[:3, 3] = np.asarray(xyz, dtype=float)
    if quat is not None:
        w, x, y, z = np.asarray(quat, dtype=float)
        length = np.sqrt(w * w + x * x + y * y + z * z)
        if not abs(length - 1.0) < 1e-5:
            raise ValueError(f"quat has length {length}, and a rotation has length 1")
        w, x, y, z = np.array([w, x, y, z]) / length
        matrix[:3, :3] = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
        return matrix
    angles = rpy if rpy is not None else np.radians(rpy_deg) if rpy_deg is not None else (0.0, 0.0, 0.0)
    (cr, cp, cy), (sr, sp, sy) = np.cos(angles), np.sin(angles)
    about_x = np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    about_y = np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
    about_z = np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
    matrix[:3, :3] = about_z @ about_y @ about_x
    return matrix


def shape(given: Any) -> Shape:
    """A shape from whatever stands for one: a `Shape`, a mesh of trimesh or Open3D (anything with `vertices` and `faces` or `triangles`), a scene of
    trimesh, the path of a mesh file, or rows of boxes (x, y, z, dx, dy, dz).

    >>> shape([[0, 0, 0, 1, 1, 1], [2, 0, 0, 1, 1, 1]]).pieces
    2
    """
    if isinstance(given, Shape):
        return given
    not_opened(given)
    if isinstance(given, (str, os.PathLike)):
        return Shape.load(given)
    primitive = _trimesh_primitive(given)
    if primitive is not None:
        return primitive
    faces = getattr(given, "faces", None)
    if faces is None:
        faces = getattr(given, "triangles", None)
    vertices = getattr(given, "vertices", None)
    if vertices is not None and faces is not None and len(faces) > 0:
        return Shape.mesh(np.asarray(vertices, dtype=float), np.asarray(faces))
    if hasattr(given, "dump") and hasattr(given, "graph"):
        parts = given.dump(concatenate=False)
        if not len(parts):
            raise ValueError("the scene is empty")
        return Shape.union([shape(part) for part in parts])
    if vertices is not None:
        raise TypeError("points without faces have no surface; kansho.point_cloud(points, voxel) makes a shape of them")
    if isinstance(given, (list, tuple, np.ndarray)):
        return Shape.boxes(given)
    raise TypeError(
        f"{type(given).__name__} is no shape; a Shape, a mesh with vertices and faces, a file, or rows of boxes are"
    )


def not_opened(given: Any) -> None:
    """Refuses a file that somebody has opened, and may have closed since: what it names is looked for beside it, so its path is wanted."""
    if not (hasattr(given, "read") and hasattr(given, "closed")):
        return
    name = getattr(given, "name", None)
    of = f": {name}" if isinstance(name, str) else ""
    if given.closed:
        raise ValueError(f"this file is closed, and its path is wanted{of}")
    raise TypeError(f"the path of the file is wanted, not the open file{of}")


def _trimesh_primitive(given: Any) -> Optional[Shape]:
    """The formula instead of the triangles, where trimesh knows one."""
    sizes = getattr(given, "primitive", None)
    if sizes is None or not type(given).__module__.startswith("trimesh"):
        return None
    kind = type(given).__name__
    if kind == "Box":
        made = Shape.box(*(float(x) for x in sizes.extents))
    elif kind == "Sphere":
        made = Shape.sphere(float(sizes.radius))
    elif kind == "Cylinder":
        made = Shape.cylinder(float(sizes.radius), float(sizes.height))
    elif kind == "Capsule":
        made = Shape.capsule(float(sizes.radius), float(sizes.height))
    else:
        return None
    return made.at(np.asarray(sizes.transform, dtype=float))


def point_cloud(points: Any, voxel: float, *, margin: float = 0.0) -> Shape:
    """A shape around a cloud of points: every cube of edge `voxel` (metres) of a grid that holds a point, larger by `margin` on every side. So no point is
    left out, and what touches is nearer to a point than `voxel * 3**0.5 + margin`.

    >>> cloud = point_cloud([[0, 0, 0], [0.011, 0, 0], [0.5, 0, 0]], 0.01)
    >>> cloud.pieces
    2
    """
    points = np.asarray(getattr(points, "vertices", points), dtype=float)
    if points.ndim != 2 or points.shape[1] != 3 or len(points) == 0:
        raise ValueError(f"points: shape (n, 3) is wanted, with n > 0; this has shape {points.shape}")
    if not np.isfinite(points).all():
        row = int(np.argwhere(~np.isfinite(points).all(axis=1))[0, 0])
        raise ValueError(f"points: row {row} holds what is no finite number")
    if not (voxel > 0 and np.isfinite(voxel)) or not (margin >= 0 and np.isfinite(margin)):
        raise ValueError("voxel: a length greater than zero; margin: zero or more")
    if np.abs(points).max() / voxel > 2**40:
        raise ValueError("voxel: too small for where the points are")
    cells = np.unique(np.floor(points / voxel).astype(np.int64), axis=0)
    # Runs along x become one box.
    order = np.lexsort((cells[:, 0], cells[:, 1], cells[:, 2]))
    cells = cells[order]
    new = np.ones(len(cells), dtype=bool)
    new[1:] = (cells[1:, 1:] != cells[:-1, 1:]).any(axis=1) | (cells[1:, 0] != cells[:-1, 0] + 1)
    first = np.flatnonzero(new)
    last = np.append(first[1:], len(cells)) - 1
    if len(first) > MOST_BOXES:
        raise ValueError(
            f"points: {len(first)} boxes are more than the {MOST_BOXES} that a shape may have; take a larger voxel"
        )
    low, high = cells[first] * voxel, (cells[last] + 1) * voxel
    # A point on a border of the grid belongs to one cube by rounding: the cubes overlap by a little.
    rounding = 4 * np.finfo(float).eps * np.abs(points).max()
    return Shape.boxes(np.hstack([(low + high) / 2, high - low + 2 * (margin + rounding)]))


def robot(given: Any, srdf: Any = None, *, base: Any = None, packages: Sequence[Any] = ()) -> Robot:
    """A robot from a `Robot`, the path of a URDF, the text of one, or a URDF of yourdfpy. Meshes are looked for in the folder `base` of a text, and where
    yourdfpy looked for them.

    >>> robot('<robot name="r"><link name="a"/></robot>').name
    'r'
    """
    packages = list(packages)
    if isinstance(given, Robot):
        return given
    not_opened(given)
    if hasattr(given, "write_xml_string"):
        text = given.write_xml_string()
        text = text.decode() if isinstance(text, bytes) else text
        if base is None:
            base = getattr(given, "_mesh_dir", None) or _folder_of(given) or "."
        return Robot.from_text(text, _text_of(srdf), base=base, packages=packages)
    if isinstance(given, str) and given.lstrip().startswith("<"):
        return Robot.from_text(given, _text_of(srdf), base=base or ".", packages=packages)
    if isinstance(given, (str, os.PathLike)):
        return Robot.load(given, srdf, packages=packages)
    raise TypeError(f"{type(given).__name__} is no robot; a Robot, a URDF file, its text, or a yourdfpy.URDF are")


def _folder_of(given: Any) -> Optional[str]:
    handler = getattr(given, "_filename_handler", None)
    folder = getattr(handler, "keywords", {}).get("dir") if handler is not None else None
    return folder


def _text_of(srdf: Any) -> Optional[str]:
    if srdf is None or (isinstance(srdf, str) and srdf.lstrip().startswith("<")):
        return srdf
    with open(srdf, encoding="utf-8") as file:
        return file.read()


def moves_as_json(moves: Sequence[Any]) -> str:
    """A list of moves as a file has it; numpy's arrays and numbers become lists and numbers."""

    def plain(value: Any) -> Any:
        if isinstance(value, (np.ndarray, np.generic)):
            return value.tolist()
        raise TypeError(f"motion: moves hold numbers, lists and texts, not {type(value).__name__}")

    try:
        return json.dumps(moves, default=plain, allow_nan=False)
    except ValueError as error:
        raise ValueError(f"motion: moves hold finite numbers: {error}") from None
