"""Planning scenes in MoveIt's YAML, as MotionBenchMaker and others write them."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Mapping, NoReturn, Optional

import numpy as np

from ._kansho import ReadError, Shape
from .objects import not_opened, pose

#: shape_msgs/SolidPrimitive: numbers and names, and in which order it has the sizes.
_PRIMITIVES = {1: "box", 2: "sphere", 3: "cylinder", 4: "cone"}


@dataclass(frozen=True)
class PlanningScene:
    """What a planning scene says: pass `objects` and `allow` on to `Cell`."""

    #: Name to shape; what is attached to a robot is on its link.
    objects: dict[str, Shape] = field(default_factory=dict)
    #: Pairs that may touch, as links and objects are named there.
    allow: list[tuple[str, str]] = field(default_factory=list)
    #: Joint values of the start state.
    joints: dict[str, float] = field(default_factory=dict)


def planning_scene(
    source: Any, *, robot: str = "robot", frames: Optional[Mapping[str, Any]] = None, allowed: bool = False
) -> PlanningScene:
    """Reads a planning scene: a YAML file, its text, or what a YAML reader made of it.

    `robot` is the name that the robot has in the cell; `frames` says where frames other than the world are (name to pose). With `allowed`, pairs of the
    allowed collision matrix are taken over; without, the SRDF of the robot decides. What is not understood (octomaps, planes of objects, unknown shapes) is
    refused, with its place.

    >>> scene = planning_scene('''
    ... world:
    ...   collision_objects:
    ...     - id: shelf
    ...       primitives: [{type: box, dimensions: [1.0, 0.4, 0.02]}]
    ...       primitive_poses: [{position: [0, 0.5, 1], orientation: [0, 0, 0, 1]}]
    ... ''')
    >>> scene.objects["shelf"].pieces
    1
    """
    name, whole = _read(source)
    reader = _Reader(name, robot, dict(frames or {}))
    objects: dict[str, Shape] = {}
    world = reader.mapping(whole.get("world") or {}, "world")
    octomap = reader.mapping(world.get("octomap") or {}, "world.octomap")
    if reader.mapping(octomap.get("octomap") or {}, "world.octomap.octomap").get("data"):
        reader.refuse("world.octomap", "octomaps are not read; kansho.point_cloud makes a shape of points")
    for number, given in enumerate(reader.items(world.get("collision_objects") or [], "world.collision_objects")):
        place = f"world.collision_objects[{number}]"
        key, made = reader.object(reader.mapping(given, place), place)
        if key in objects:
            reader.refuse(place, f'two objects are named "{key}"')
        objects[key] = made
    state = reader.mapping(whole.get("robot_state") or {}, "robot_state")
    for number, given in enumerate(
        reader.items(state.get("attached_collision_objects") or [], "robot_state.attached_collision_objects")
    ):
        place = f"robot_state.attached_collision_objects[{number}]"
        given = reader.mapping(given, place)
        link = given.get("link_name")
        if not link:
            reader.refuse(place, "there is no link_name")
        inner = reader.mapping(given.get("object") or {}, f"{place}.object")
        key, made = reader.object(inner, f"{place}.object", link=link)
        if key in objects:
            reader.refuse(place, f'two objects are named "{key}"')
        objects[key] = made.on(f"{robot}/{link}")
    joint_state = reader.mapping(state.get("joint_state") or {}, "robot_state.joint_state")
    names, values = joint_state.get("name") or [], joint_state.get("position") or []
    if len(names) != len(values):
        reader.refuse("robot_state.joint_state", f"{len(names)} names, but {len(values)} positions")
    joints = {str(joint): float(value) for joint, value in zip(names, values)}
    allow = reader.allowed(whole.get("allowed_collision_matrix") or {}, set(objects)) if allowed else []
    return PlanningScene(objects, allow, joints)


def _read(source: Any) -> tuple[str, Mapping[str, Any]]:
    if isinstance(source, Mapping):
        return "planning scene", source
    not_opened(source)
    try:
        import yaml
    except ImportError as error:
        raise ImportError("planning scenes need PyYAML: pip install kansho[yaml]") from error
    is_text = isinstance(source, str) and ("\n" in source or ":" in source and not os.path.exists(source))
    name = "planning scene" if is_text else os.fspath(source)
    try:
        if is_text:
            whole = yaml.safe_load(source)
        else:
            with open(source, encoding="utf-8") as file:
                whole = yaml.safe_load(file)
    except OSError as error:
        raise ReadError(f"error: {error.strerror}\n --> {name}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ReadError(f"error: {error}\n --> {name}") from error
    if not isinstance(whole, Mapping):
        raise ReadError(f"error: this is no planning scene, for it has no keys\n --> {name}")
    return name, whole


class _Reader:
    def __init__(self, name: str, robot: str, frames: dict[str, Any]):
        self.name, self.robot, self.frames = name, robot, frames

    def refuse(self, place: str, what: str) -> NoReturn:
        raise ReadError(f"error: {what}\n --> {self.name}, {place}")

    def mapping(self, given: Any, place: str) -> Mapping[str, Any]:
        if not isinstance(given, Mapping):
            self.refuse(place, f"keys and values are expected, not {type(given).__name__}")
        return given

    def items(self, given: Any, place: str) -> list[Any]:
        if not isinstance(given, list):
            self.refuse(place, f"a list is expected, not {type(given).__name__}")
        return given

    def numbers(self, given: Any, count: int, place: str, names: str) -> list[float]:
        """Numbers in a list, or by name."""
        if isinstance(given, Mapping):
            missing = [key for key in names if key not in given]
            if missing:
                self.refuse(place, f"{', '.join(missing)} is missing")
            given = [given[key] for key in names]
        try:
            found = [float(x) for x in given]
        except (TypeError, ValueError):
            self.refuse(place, "numbers are expected")
        if len(found) != count or not np.isfinite(found).all():
            self.refuse(place, f"{count} finite numbers are expected, not {given}")
        return found

    def pose(self, given: Any, place: str) -> np.ndarray:
        given = self.mapping(given or {}, place)
        xyz = self.numbers(given.get("position", [0, 0, 0]), 3, f"{place}.position", "xyz")
        x, y, z, w = self.numbers(given.get("orientation", [0, 0, 0, 1]), 4, f"{place}.orientation", "xyzw")
        try:
            return pose(xyz, quat=[w, x, y, z])
        except ValueError as error:
            self.refuse(f"{place}.orientation", str(error))

    def frame(self, given: Mapping[str, Any], place: str, link: Optional[str]) -> np.ndarray:
        header = self.mapping(given.get("header") or {}, f"{place}.header")
        name = str(header.get("frame_id") or "")
        if name in self.frames:
            return np.asarray(self.frames[name], dtype=float)
        if link is not None:
            if name in ("", link):
                return np.eye(4)
        elif name in ("", "world", "map"):
            return np.eye(4)
        self.refuse(f"{place}.header.frame_id", f'where frame "{name}" is, is not known; say so in frames')
        raise AssertionError

    def object(self, given: Mapping[str, Any], place: str, link: Optional[str] = None) -> tuple[str, Shape]:
        name = given.get("id")
        if not name:
            self.refuse(place, "there is no id")
        operation = given.get("operation", 0)
        if operation not in (0, "add", "ADD", None):
            self.refuse(f"{place}.operation", f"only objects that are added can be read, not {operation}")
        if given.get("planes"):
            self.refuse(f"{place}.planes", "planes are not read; Shape.plane makes one")
        base = self.frame(given, place, link) @ self.pose(given.get("pose"), f"{place}.pose")
        parts = []
        for kind in ("primitives", "meshes"):
            shapes = self.items(given.get(kind) or [], f"{place}.{kind}")
            key = "primitive_poses" if kind == "primitives" else "mesh_poses"
            poses = self.items(given.get(key) or [], f"{place}.{key}")
            if poses and len(poses) != len(shapes):
                self.refuse(f"{place}.{key}", f"{len(shapes)} {kind}, but {len(poses)} poses")
            for number, part in enumerate(shapes):
                where = f"{place}.{kind}[{number}]"
                part = self.mapping(part, where)
                made = self.primitive(part, where) if kind == "primitives" else self.mesh(part, where)
                at = self.pose(poses[number], f"{place}.{key}[{number}]") if poses else np.eye(4)
                parts.append(made.at(base @ at))
        if not parts:
            self.refuse(place, f'"{name}" has no shapes')
        return str(name), Shape.union(parts)

    def primitive(self, given: Mapping[str, Any], place: str) -> Shape:
        kind = given.get("type")
        kind = _PRIMITIVES.get(kind, kind) if isinstance(kind, int) else str(kind).lower()
        sizes = given.get("dimensions")
        try:
            if kind == "box":
                return Shape.box(*self.numbers(sizes, 3, f"{place}.dimensions", "xyz"))
            if kind == "sphere":
                return Shape.sphere(*self.numbers(sizes, 1, f"{place}.dimensions", "r"))
            if kind in ("cylinder", "cone"):
                height, radius = self.numbers(sizes, 2, f"{place}.dimensions", "hr")
                return (Shape.cylinder if kind == "cylinder" else Shape.cone)(radius, height)
        except ValueError as error:
            self.refuse(f"{place}.dimensions", str(error))
        self.refuse(f"{place}.type", f"{given.get('type')} is not known; box, sphere, cylinder and cone are")

    def mesh(self, given: Mapping[str, Any], place: str) -> Shape:
        vertices = [
            self.numbers(vertex, 3, f"{place}.vertices[{number}]", "xyz")
            for number, vertex in enumerate(self.items(given.get("vertices") or [], f"{place}.vertices"))
        ]
        triangles = []
        for number, triangle in enumerate(self.items(given.get("triangles") or [], f"{place}.triangles")):
            corners = triangle.get("vertex_indices") if isinstance(triangle, Mapping) else triangle
            triangles.append([int(x) for x in self.numbers(corners, 3, f"{place}.triangles[{number}]", "xyz")])
        try:
            return Shape.mesh(np.array(vertices).reshape(-1, 3), np.array(triangles, dtype=int).reshape(-1, 3))
        except (ValueError, ReadError) as error:
            self.refuse(place, str(error))

    def allowed(self, given: Any, objects: set[str]) -> list[tuple[str, str]]:
        place = "allowed_collision_matrix"
        given = self.mapping(given, place)
        names = [str(name) for name in given.get("entry_names") or []]
        rows = given.get("entry_values") or []
        if len(rows) != len(names):
            self.refuse(place, f"{len(names)} names, but {len(rows)} rows")
        if given.get("default_entry_names"):
            self.refuse(f"{place}.default_entry_names", "defaults are not read; name the pairs")
        full = [name if name in objects else f"{self.robot}/{name}" for name in names]
        pairs = []
        for i, row in enumerate(rows):
            row = row.get("enabled") if isinstance(row, Mapping) else row
            if not isinstance(row, list) or len(row) != len(names):
                self.refuse(f"{place}.entry_values[{i}]", f"{len(names)} values are expected")
            pairs += [(full[i], full[j]) for j in range(i + 1, len(names)) if row[j]]
        return pairs
