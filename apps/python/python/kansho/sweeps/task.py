"""What is done with one variant."""

from __future__ import annotations

import os
import time
from typing import Any, Callable, Optional, Union

import numpy as np

from .._kansho import Cell, Job
from . import variants

#: What of a variant makes another cell, and what another job.
OF_CELL = ("at", "robots", "objects", "without", "allow")
OF_JOB = ("clearance", "tilt_deg", "rotation_deg", "motion")

Row = dict[str, Any]


class Task:
    """A question about a variant of a cell or a job. It can be pickled: other processes and machines ask it, too."""

    def __init__(self, base: Union[Cell, Job], do: Union[str, Callable[..., Any]], options: dict[str, Any], threads: Optional[int]):
        if isinstance(do, str) and do not in BUILT_IN:
            raise ValueError(f"do: {', '.join(sorted(BUILT_IN))}, or a function, not {do!r}")
        if do == "plan" and not isinstance(base, Job):
            raise TypeError('do="plan" is for a Job')
        if isinstance(do, str):
            BUILT_IN[do].check(options)
        self.base, self.do, self.options, self.threads = base, do, options, threads
        #: Asked now and then in long calls: raises to stop them.
        self.stopper: Optional[Callable[[int, int], None]] = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "stopper": None}

    @property
    def print(self) -> str:
        """What tells it from others."""
        return "\n".join([self.base._print(), variants.text(self.do), variants.text(self.options)])

    def check(self, number: int, variant: dict[str, Any]) -> None:
        """Refuses a variant with keys that nobody understands."""
        if not isinstance(variant, dict):
            raise TypeError(f"variant {number}: a dict is wanted, not {type(variant).__name__}")
        known = OF_CELL + (OF_JOB if isinstance(self.base, Job) else ())
        unknown = [key for key in variant if key not in known]
        if unknown and isinstance(self.do, str):
            raise ValueError(
                f"variant {number}: {', '.join(map(repr, unknown))} is not known; {', '.join(known)} are"
            )

    def one(self, index: int, variant: dict[str, Any]) -> Row:
        """The row of a variant. What goes wrong with it is a part of the row."""
        began = time.perf_counter()
        row: Row = {"index": index, "variant": variants.text(variant), "verdict": None, "error": None}
        try:
            subject = self.varied(variant)
            if isinstance(self.do, str):
                row.update(BUILT_IN[self.do].run(self, subject))
            else:
                found = self.do(subject, variant)
                if not isinstance(found, dict):
                    raise TypeError(f"a function gives a dict, not {type(found).__name__}")
                row.update(variants.plain(found))
        except Exception as error:  # One variant must not take the others along.
            row["verdict"], row["error"] = "error", f"{type(error).__name__}: {error}"
        row["seconds"] = time.perf_counter() - began
        return row

    def varied(self, variant: dict[str, Any]) -> Union[Cell, Job]:
        """The cell or the job of a variant."""
        of_cell = {key: variant[key] for key in OF_CELL if key in variant}
        of_job = {key: variant[key] for key in OF_JOB if key in variant}
        if isinstance(self.base, Job):
            cell = self.base.cell.vary(**of_cell) if of_cell else None
            return self.base.vary(cell, **of_job) if of_cell or of_job else self.base
        return self.base.vary(**of_cell) if of_cell else self.base


class _Plan:
    KNOWN: tuple[str, ...] = ("timeout", "certificate")
    NEEDED: tuple[str, ...] = ()

    @classmethod
    def check(cls, options: dict[str, Any]) -> None:
        unknown = [key for key in options if key not in cls.KNOWN + cls.NEEDED]
        if unknown:
            raise ValueError(f"options: {', '.join(unknown)} is not known; {', '.join(cls.KNOWN + cls.NEEDED)} are")
        missing = [key for key in cls.NEEDED if key not in options]
        if missing:
            raise ValueError(f"options: {', '.join(missing)} is wanted")

    @staticmethod
    def run(task: Task, job: Any) -> Row:
        plan = job.plan(threads=task.threads, progress=task.stopper, **task.options)
        return {
            "verdict": plan.verdict,
            "why": plan.why,
            "free_share": plan.free_share,
            "clearance": plan.clearance,
            "cost": None if plan.cost is None else float(sum(plan.cost)),
            "limit_margin": plan.limit_margin,
            "waypoints": sum(len(motion) for motion in plan.motions),
            "certified": sum(held is not None for held in plan.certificates),
        }


class _Postures(_Plan):
    KNOWN = ("timeout", "spheres", "models")
    NEEDED = ("postures",)

    @staticmethod
    def run(task: Task, cell: Any) -> Row:
        cell = cell.cell if isinstance(cell, Job) else cell
        found = cell.postures(threads=task.threads, progress=task.stopper, **task.options)
        hits, open_ = int((found.hit == 1).sum()), int((found.hit == -1).sum())
        return {
            "verdict": "touches" if hits else "undecided" if open_ else "free",
            "postures": len(found),
            "hits": hits,
            "undecided": open_,
            "free_share": (len(found) - hits - open_) / max(len(found), 1),
        }


class _Segments(_Plan):
    KNOWN = ("timeout", "clearance", "clearance_of", "contact", "tight")
    NEEDED = ("segments",)

    @staticmethod
    def run(task: Task, cell: Any) -> Row:
        cell = cell.cell if isinstance(cell, Job) else cell
        found = cell.check_segments(threads=task.threads, progress=task.stopper, **task.options)
        touches, open_ = int((found.verdict == 1).sum()), int((found.verdict == -1).sum())
        free = len(found) - touches - open_
        least = float(np.nanmin(found.clearance)) if free else None
        return {
            "verdict": "touches" if touches else "undecided" if open_ else "free",
            "segments": len(found),
            "touches": touches,
            "undecided": open_,
            "clearance": least if least is not None and np.isfinite(least) else None,
        }


class _Check(_Plan):
    KNOWN = ("timeout", "kind", "clearance", "clearance_of", "contact", "tight", "law", "blend", "blend_margin", "zone", "tip", "branch")
    NEEDED = ("waypoints",)

    @classmethod
    def check(cls, options: dict[str, Any]) -> None:
        super().check(options)
        if isinstance(options["waypoints"], (str, os.PathLike)):
            raise ValueError("options: waypoints are an array or a list of moves; a file need not be there where the others work")

    @staticmethod
    def run(task: Task, cell: Any) -> Row:
        cell = cell.cell if isinstance(cell, Job) else cell
        how = {key: value for key, value in task.options.items() if key != "waypoints"}
        found = cell.check(task.options["waypoints"], threads=task.threads, **how)
        return {"verdict": found.verdict, "t": found.t, "pair": found.pair, "clearance": found.clearance}


BUILT_IN: dict[str, Any] = {"plan": _Plan, "postures": _Postures, "segments": _Segments, "check": _Check}


def block(
    task: Task,
    items: list[tuple[int, dict[str, Any]]],
    seconds: float,
    between: Callable[[int, int], None] = lambda done, total: None,
) -> list[Row]:
    """The rows of some variants, one after the other: at least for so many seconds, unless they are all done before. The others go back."""
    until = time.monotonic() + seconds
    rows: list[Row] = []
    for index, variant in items:
        between(len(rows), len(items))
        rows.append(task.one(index, variant))
        if time.monotonic() >= until:
            break
    return rows
