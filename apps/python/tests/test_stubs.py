"""Stubs say what there is."""

import ast
import inspect
from pathlib import Path

import pytest

import kansho
from kansho import _kansho


def test_stubs_name_all_that_there_is():
    tree = ast.parse((Path(kansho.__file__).parent / "_kansho.pyi").read_text())
    all_stubs = [node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))]
    stubs = {node.name: node for node in all_stubs if not node.name.startswith("_")}
    there = {name for name in dir(_kansho) if not name.startswith("_")}
    assert there == set(stubs)
    for name in there:
        thing = getattr(_kansho, name)
        if not inspect.isclass(thing) or issubclass(thing, Exception):
            continue
        of_stub = {node.name for node in stubs[name].body if isinstance(node, ast.FunctionDef)}
        of_class = {member for member in vars(thing) if not member.startswith("__")}
        assert of_class == {member for member in of_stub if not member.startswith("__")}, name


def test_everything_has_a_doc():
    assert (Path(kansho.__file__).parent / "py.typed").exists()
    for name in kansho.__all__:
        thing = getattr(kansho, name)
        if name.startswith("__"):
            continue
        assert inspect.getdoc(thing), name
        if inspect.isclass(thing) and not issubclass(thing, Exception):
            for member, value in vars(thing).items():
                if not member.startswith("_") and (callable(value) or inspect.isdatadescriptor(value)):
                    assert inspect.getdoc(value), f"{name}.{member}"


def test_stubs_are_true(tmp_path):
    """What can be called, and with what, is as the stubs have it. Names of types are in stubs only; what follows from `**how` is not looked at there."""
    import subprocess
    import sys

    pytest.importorskip("mypy")
    (tmp_path / "allowed").write_text("".join(f"kansho\\._kansho\\.{name}\n" for name in ("MotionLike", "Path", "PoseLike", "Progress", "Verdict")))
    line = [sys.executable, "-m", "mypy.stubtest", "kansho._kansho", "--concise", "--ignore-missing-stub", "--allowlist", tmp_path / "allowed"]
    done = subprocess.run(line, capture_output=True, text=True, cwd=tmp_path, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr


def test_version():
    cargo = Path(__file__).parents[3] / "Cargo.toml"
    assert f'version = "{kansho.__version__}"' in cargo.read_text()
