"""Examples in docstrings are run."""

import doctest
import importlib
import inspect

import pytest

import kansho

MODULES = ["kansho", "kansho.objects", "kansho.planning_scene", "kansho.sweeps.driver", "kansho.sweeps.variants", "kansho._kansho"]


def examples():
    """Everything with an example, by name; what is written in Rust, too."""
    seen = {}
    for module_name in MODULES:
        module = importlib.import_module(module_name)
        seen.setdefault(module_name, module)
        for name, thing in vars(module).items():
            if name.startswith("_") or not (callable(thing) and (getattr(thing, "__module__", "") or "").startswith("kansho")):
                continue
            seen.setdefault(thing.__name__, thing)
            if inspect.isclass(thing):
                for member, value in vars(thing).items():
                    seen.setdefault(f"{thing.__name__}.{member}", getattr(value, "__func__", value))
    parser = doctest.DocTestParser()
    for name, thing in seen.items():
        text = inspect.getdoc(thing) or ""
        if ">>>" in text:
            yield pytest.param(parser.get_doctest(text, {"kansho": kansho, **vars(kansho)}, name, None, 0), id=name)


ALL = list(examples())


@pytest.mark.parametrize("example", ALL)
def test_example(example):
    pytest.importorskip("yaml")
    out = []
    failed, tried = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=out.append)
    assert tried > 0 and not failed, "".join(out)


def test_there_are_many():
    names = {param.id for param in ALL}
    assert {"kansho", "Cell", "Checker", "Shape", "pose", "grid", "sweep", "demo_files", "Cell.contacts"} <= names
