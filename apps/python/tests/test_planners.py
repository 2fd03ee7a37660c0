"""A checker as planners use it, and planning scenes."""

import copy
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import kansho


def test_checker_agrees(demo, random_postures):
    postures = random_postures(demo, 500)
    checker = demo.checker()
    valid = [checker.is_valid(posture) for posture in postures]
    assert valid == (~demo.touches(postures)).tolist()
    assert valid[:20] == [checker(posture.tolist()) for posture in postures[:20]]
    segments = np.hstack([postures[:100], postures[100:200]])
    found = demo.check_segments(segments)
    for row, verdict, t in zip(segments, found.verdict, found.t):
        a, b = row[:6], row[6:]
        assert checker.is_motion_valid(a, b) == checker(a, b) == (verdict == 0)
        last = checker.last_valid(a, b)
        assert last == 1.0 if verdict == 0 else 0.0 <= last <= t
    gaps = demo.postures(postures[:50], find="gap").distance
    assert [checker.gap(posture) for posture in postures[:50]] == gaps.tolist()


def test_limits_and_clearance(lift):
    checker = lift.checker()
    assert checker.is_valid([0.5]) and not checker.is_valid([1.5]) and not checker.is_valid([-0.1])
    assert lift.checker(limits=False).is_valid([1.5])
    assert lift.checker(clearance=0.03).is_valid([0.7]) and not lift.checker(clearance=0.05).is_valid([0.7])
    assert not lift.checker(clearance=0.05).is_motion_valid([0.1], [0.7])
    assert not checker.is_motion_valid([0.5], [-0.5]) and abs(checker.last_valid([0.5], [-0.5]) - 0.5) < 1e-9
    assert checker.last_valid([0.5], [-0.5]) <= 0.5 and checker.last_valid([2.0], [0.5]) == 0.0
    assert abs(checker.last_valid([0.0], [1.0]) - 0.74) < 1e-5


class State:
    """As OMPL's bindings have them: numbers by index, and nothing else."""

    def __init__(self, numbers):
        self.numbers = list(numbers)

    def __getitem__(self, k):
        return self.numbers[k]

    def __len__(self):
        return len(self.numbers)


def test_states_of_others(demo, random_postures):
    checker = demo.checker()
    for posture in random_postures(demo, 20):
        assert checker(tuple(posture)) == checker(posture)
        assert checker(State(posture)) == checker(posture)


def test_rrt_with_callbacks(lift, demo):
    """A small planner that knows nothing but two callbacks."""
    rng = np.random.default_rng(0)
    checker = demo.checker()
    low, high = np.clip(demo.limits, -np.pi, np.pi).T
    start = np.radians([0, -35, 15, 0, 35, 0])
    goal = start + [1.5, 0, 0, 0, 0, 0]
    tree, parent = [start], [None]
    for _ in range(2000):
        wish = goal if rng.random() < 0.2 else rng.uniform(low, high)
        near = int(np.argmin([np.linalg.norm(q - wish) for q in tree]))
        step = wish - tree[near]
        new = tree[near] + step * min(1.0, 0.5 / np.linalg.norm(step))
        if checker.is_valid(new) and checker.is_motion_valid(tree[near], new):
            tree.append(new)
            parent.append(near)
            if np.allclose(new, goal):
                break
    assert np.allclose(tree[-1], goal)
    path, k = [], len(tree) - 1
    while k is not None:
        path.append(tree[k])
        k = parent[k]
    assert demo.check(path[::-1]).free


def test_threads_share_a_checker(demo, random_postures):
    postures = random_postures(demo, 400)
    checker = demo.checker()
    expected = [checker(posture) for posture in postures]
    found = [None] * 4

    def work(k):
        found[k] = [checker(posture) and checker.is_motion_valid(posture, posture) for posture in postures]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert all(answers == expected for answers in found)


def test_way(demo):
    start = np.radians([0, -35, 15, 0, 35, 0])
    way, why = demo.way(start, start + [2, 0, 0, 0, 0, 0])
    assert why is None and np.array_equal(way[0], start) and demo.check(way).free
    assert np.array_equal(way, demo.way(start, start + [2, 0, 0, 0, 0, 0])[0])
    none, why = demo.way(start, np.radians([0, 25, 15, 0, 35, 0]))
    assert none is None and why.startswith("at the goal the gap of ") and why.endswith("|sheet is 0 m")
    none, why = demo.way(start, start + 100)
    assert none is None and "outside the limits" in why


SCENE = {
    "name": "room",
    "robot_state": {
        "joint_state": {"name": ["up"], "position": [0.25]},
        "attached_collision_objects": [
            {
                "link_name": "plate",
                "object": {
                    "id": "load",
                    "header": {"frame_id": "plate"},
                    "primitives": [{"type": 1, "dimensions": [0.1, 0.1, 0.1]}],
                    "primitive_poses": [{"position": {"x": 0, "y": 0, "z": 0.06}, "orientation": {"x": 0, "y": 0, "z": 0, "w": 1}}],
                },
            }
        ],
    },
    "world": {
        "collision_objects": [
            {
                "id": "shelf",
                "header": {"frame_id": "world"},
                "pose": {"position": [0, 0, 0.5], "orientation": [0, 0, 0, 1]},
                "primitives": [{"type": "box", "dimensions": [1, 1, 0.1]}],
                "primitive_poses": [{"position": [0, 0, 0.3], "orientation": [0, 0, 0.7071067811865476, 0.7071067811865476]}],
            },
            {
                "id": "tent",
                "meshes": [
                    {
                        "vertices": [{"x": 0, "y": 0, "z": 0}, {"x": 1, "y": 0, "z": 0}, {"x": 0, "y": 1, "z": 0}, {"x": 0, "y": 0, "z": 1}],
                        "triangles": [{"vertex_indices": t} for t in ([0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3])],
                    }
                ],
                "mesh_poses": [{"position": [3, 0, 0], "orientation": [0, 0, 0, 1]}],
            },
            {"id": "can", "primitives": [{"type": "cylinder", "dimensions": [0.2, 0.05]}], "primitive_poses": [{"position": [2, 0, 0]}]},
        ]
    },
    "allowed_collision_matrix": {
        "entry_names": ["plate", "load", "can"],
        "entry_values": [{"enabled": [True, True, False]}, {"enabled": [True, True, False]}, {"enabled": [False, False, True]}],
    },
}


def test_planning_scene(lift, tmp_path):
    yaml = pytest.importorskip("yaml")
    path = tmp_path / "scene.yaml"
    path.write_text(yaml.safe_dump(SCENE))
    for source in (SCENE, path, yaml.safe_dump(SCENE)):
        scene = kansho.planning_scene(source, robot="lift", allowed=True)
        assert list(scene.objects) == ["shelf", "tent", "can", "load"]
        assert scene.joints == {"up": 0.25}
        assert scene.allow == [("lift/plate", "load")]
        cell = lift.vary(objects=scene.objects, allow=scene.allow)
        # The load reaches 0.11 m over the joint.
        assert cell.postures([[0.63], [0.65]]).hit.tolist() == [0, 1]


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda s: s["world"]["collision_objects"][0].pop("id"), r"no id\n --> planning scene, world.collision_objects\[0\]"),
        (lambda s: s["world"]["collision_objects"][0]["header"].update(frame_id="conveyor"), 'frame "conveyor"'),
        (lambda s: s["world"]["collision_objects"][0]["primitives"][0].update(type="prism"), "prism is not known"),
        (lambda s: s["world"]["collision_objects"][0]["primitives"][0].update(dimensions=[1, 1]), "3 finite numbers"),
        (lambda s: s["world"]["collision_objects"][0]["primitives"][0].update(dimensions=[1, 1, -1]), "greater than zero"),
        (lambda s: s["world"]["collision_objects"][0]["primitive_poses"][0].update(orientation=[0, 0, 0, 2]), "length 2"),
        (lambda s: s["world"]["collision_objects"][0].update(primitive_poses=[{}, {}]), "1 primitives, but 2 poses"),
        (lambda s: s["world"]["collision_objects"][2].update(id="shelf"), 'two objects are named "shelf"'),
        (lambda s: s["world"]["collision_objects"][2].update(primitives=[], primitive_poses=[]), "has no shapes"),
        (lambda s: s["world"]["collision_objects"][2].update(operation=1), "operation"),
        (lambda s: s["world"].update(octomap={"octomap": {"data": [1]}}), "octomaps"),
        (lambda s: s["world"]["collision_objects"][1]["meshes"][0]["vertices"][0].pop("x"), "x is missing"),
        (lambda s: s["robot_state"]["joint_state"].update(position=[]), "1 names, but 0 positions"),
        (lambda s: s["robot_state"]["attached_collision_objects"][0].pop("link_name"), "link_name"),
        (lambda s: s["world"].update(collision_objects={"a": 1}), "a list is expected"),
    ],
)
def test_bad_planning_scenes(change, words):
    scene = copy.deepcopy(SCENE)
    change(scene)
    with pytest.raises(kansho.ReadError, match=words):
        kansho.planning_scene(scene)


def test_bad_yaml(tmp_path):
    pytest.importorskip("yaml")
    for text in ("a: [1, 2", "- 1\n- 2\n"):
        (tmp_path / "bad.yaml").write_text(text)
        with pytest.raises(kansho.ReadError, match="bad.yaml"):
            kansho.planning_scene(tmp_path / "bad.yaml")
    with pytest.raises(kansho.ReadError, match="none.yaml"):
        kansho.planning_scene(tmp_path / "none.yaml")


def moveit(problem):
    """A problem as MoveIt writes it."""
    objects = []
    for given in problem["objects"]:
        sizes = given["size"] if given["type"] == "box" else [given["height"], given["radius"]]
        objects.append(
            {
                "id": given["name"],
                "header": {"frame_id": "world"},
                "primitives": [{"type": given["type"], "dimensions": sizes}],
                "primitive_poses": [{"position": given["position"], "orientation": given["quat_xyzw"]}],
            }
        )
    return {"world": {"collision_objects": objects}}


@pytest.mark.parametrize("name", ["ur5", "panda"])
def test_rooms(data, name):
    """MotionBenchMaker's rooms, by both readers, beside what FCL says of them."""
    import csv
    import json

    whole = json.loads((data / f"data/problems/{name}_problems.json").read_text())
    robot = kansho.Robot.load(data / "data" / whole["urdf"])
    rooms = kansho.load_problems(data / f"data/problems/{name}_problems.json", robot)
    given = {(kind, problem["index"]): problem for kind, list_ in whole["problems"].items() for problem in list_}
    assert len(rooms) == len(given) == 500
    with open(data / f"data/problems/{name}_configs.csv", newline="") as file:
        truth = list(csv.DictReader(file))
    for room in rooms[::50]:
        problem = given[room["category"], room["index"]]
        cell = room["cell"]
        by_yaml = kansho.Cell(robots={"robot": robot}, objects=kansho.planning_scene(moveit(problem)).objects)
        joints = [joint.split("/")[1] for joint in cell.joints]
        rows = [row for row in truth if row["category"] == room["category"] and int(row["index"]) == room["index"]]
        postures = np.array([[float(row[joint]) for joint in joints] for row in rows])
        objects = {given["name"] for given in problem["objects"]}
        expected = [row["mesh_env_collision_fcl"] == "1" for row in rows]
        for asked in (cell, by_yaml):
            pairs = asked.postures(postures, find="all").pairs
            assert [any(set(pair.split("|")) & objects for pair in of_row) for of_row in pairs] == expected


class Indexed:
    """Numbers by index, and no length: as OMPL 2 has its states. What lies beyond the last number is nobody's."""

    def __init__(self, numbers):
        self.numbers = list(numbers)

    def __getitem__(self, k):
        assert k < len(self.numbers), "OMPL reads memory that is not its own there"
        return self.numbers[k]


def test_states_without_length(demo, random_postures):
    checker = demo.checker()
    for posture in random_postures(demo, 20):
        assert checker(Indexed(posture)) == checker(posture)
        assert checker.is_motion_valid(Indexed(posture), posture) == checker.is_valid(posture)
    with pytest.raises(ValueError, match="finite"):
        checker(Indexed([0, 0, float("nan"), 0, 0, 0]))


OMPL = '''
import re, sys
import numpy as np
import kansho
from ompl import util
util.setLogLevel(util.LogLevel.LOG_ERROR) if hasattr(util, "LogLevel") else None

cell = kansho.demo_cell()
checker = cell.checker()
text = open(sys.argv[1]).read()
[recipe] = [block for block in re.findall(r"```python\\n(.*?)```", text, re.S) if "from ompl" in block]
exec(recipe)

start = np.radians([0, -35, 15, 0, 35, 0])
goal = start + [1.5, 0, 0, 0, 0, 0]
states = []
for numbers in (start, goal):
    state = space.allocState()
    for k, number in enumerate(numbers):
        state[k] = float(number)
    states.append(state)
setup.setStartAndGoalStates(*states)
setup.setPlanner(og.RRTConnect(setup.getSpaceInformation()))
assert setup.solve(30.0)
path = [[state[k] for k in range(6)] for state in setup.getSolutionPath().getStates()]
assert np.allclose(path[0], start) and np.allclose(path[-1], goal), path
report = cell.check(path)
assert report.free, report
print("free", len(path))
'''


def test_ompl_finds_a_proven_path_with_the_recipe(tmp_path):
    """The recipe of the README with the package itself: what it finds is free at every instant."""
    script = tmp_path / "with_ompl.py"
    script.write_text(OMPL)
    readme = Path(__file__).parents[1] / "README.md"
    # In a process of its own: the bindings tell about references that they leak when they end.
    run = subprocess.run([sys.executable, str(script), str(readme)], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0 and run.stdout.startswith("free"), run.stdout + run.stderr
