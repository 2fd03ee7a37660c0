"""Which variants?"""

from __future__ import annotations

import hashlib
import itertools
import json
import pickle
from typing import Any, Iterable

import numpy as np


def grid(**axes: Iterable[Any]) -> list[dict[str, Any]]:
    """All combinations of some values, the last axis fastest.

    >>> grid(clearance=[0.0, 0.01], tilt_deg=[0, 5])[1]
    {'clearance': 0.0, 'tilt_deg': 5}
    """
    names = list(axes)
    values = [list(axis) for axis in axes.values()]
    for name, axis in zip(names, values):
        if not axis:
            raise ValueError(f"grid: axis {name} has no values")
    return [dict(zip(names, row)) for row in itertools.product(*values)]


def plain(value: Any) -> Any:
    """A value as JSON has it; what JSON has not, by its kind and a hash of all that is in it."""
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if callable(value) and hasattr(value, "__code__"):
        code = value.__code__
        what = repr((value.__module__, value.__qualname__, code.co_code, code.co_names)).encode()
    else:
        what = pickle.dumps(value, protocol=4)
    return f"{type(value).__name__} {hashlib.sha256(what).hexdigest()[:16]}"


def text(value: Any) -> str:
    """A value as JSON, always in the same order."""
    return json.dumps(plain(value), sort_keys=True)
