"""Hands out work, takes in results."""

from __future__ import annotations

import collections
import hashlib
import os
import sys
import warnings
from typing import Any, Callable, Iterable, Optional, Union

import numpy as np

from .._kansho import Cell, Error, Job, __version__
from . import engines, store, variants
from .task import Row, Task

#: How often a variant may take its worker along before it is given up.
MOST_DEATHS = 3

#: Seconds between two looks at whether somebody wants to stop.
TICK = 0.25


class SweepError(Error):
    """A sweep that could not be done."""


class Sweep:
    """Results of a sweep: one row for each variant, in their order."""

    def __init__(self, rows: list[Row], folder: Optional[str]):
        #: Dicts with `index`, `variant` (as JSON), `verdict`, `error`, `seconds` and what was asked for.
        self.rows = rows
        #: Where they are kept, if they are.
        self.folder = folder

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> np.ndarray:
        """A column as an array; missing numbers are nan, other missing values None."""
        values = [row.get(name) for row in self.rows]
        if all(value is None or isinstance(value, (int, float)) for value in values):
            return np.array([np.nan if value is None else value for value in values], dtype=float)
        return np.array(values, dtype=object)

    def table(self) -> Any:
        """All rows as a pyarrow table."""
        return store.table(self.rows)

    @property
    def errors(self) -> list[Row]:
        """Rows of variants that went wrong."""
        return [row for row in self.rows if row.get("error") is not None]

    def __repr__(self) -> str:
        count = collections.Counter(str(row.get("verdict")) for row in self.rows)
        return f"<kansho.Sweep of {len(self)} variants: {', '.join(f'{n} {word}' for word, n in count.items())}>"


def progress_bar(description: str = "sweep") -> Callable[[int, int], None]:
    """Something to pass as `progress`: a bar of tqdm where that is installed, otherwise a line on standard error."""
    try:
        from tqdm.auto import tqdm
    except ImportError:

        def line(done: int, total: int) -> None:
            end = "\n" if done >= total else ""
            sys.stderr.write(f"\r{description}: {done} of {total}{end}")
            sys.stderr.flush()

        return line
    bar = None

    def show(done: int, total: int) -> None:
        nonlocal bar
        if bar is None:
            bar = tqdm(total=total, desc=description)
        bar.update(done - bar.n)
        if done >= total:
            bar.close()

    return show


def sweep(
    base: Union[Cell, Job, str, os.PathLike[str]],
    variant_list: Iterable[dict[str, Any]],
    do: Union[str, Callable[[Any, dict[str, Any]], dict[str, Any]]] = "plan",
    *,
    options: Optional[dict[str, Any]] = None,
    out: Optional[Union[str, os.PathLike[str]]] = None,
    workers: Optional[int] = None,
    engine: str = "threads",
    ray: Optional[str] = None,
    threads: int = 1,
    shard: Optional[tuple[int, int]] = None,
    shard_seconds: float = 1.0,
    progress: Optional[Callable[[int, int], None]] = None,
) -> Sweep:
    """Asks the same question of many variants of a cell or a job.

    A variant is a dict: `at` (robots or objects elsewhere: name to pose), `robots`, `objects`, `without`, `allow` as in `Cell.vary`; of a job also `clearance`,
    `tilt_deg`, `rotation_deg`, `motion` as in `Job.vary`. `do` is "plan" (jobs), "postures", "segments" or "check" (with `postures`, `segments` or
    `waypoints` in `options`), or a function of the cell or job and the variant that gives a dict of plain values.

    By default it runs on `workers` threads of this process (all cores); with engine="processes" in processes of their own; with `ray` (the address of a cluster, "auto",
    or "local" for one that is started here) on Ray. The answers are the same. With `out`, results are kept in that folder as Parquet while they come, and the
    same call goes on where an earlier one ended, however it ended. Work is handed out in blocks of at least `shard_seconds`; a block whose worker dies is
    handed out again. `shard` = (i, n) does only every n-th variant from the i-th on, for jobs started by other means into one folder; the same call without `shard`
    puts all together. What goes wrong with a variant is in its row (`error`).

    >>> import kansho
    >>> cell = kansho.demo_cell()
    >>> found = kansho.sweep(cell, kansho.grid(at=[{"sheet": [1.1, 0, z]} for z in (0.2, 1.0)]), "postures", options={"postures": [[0, 0, 0, 0, 0, 0]]})
    >>> [row["verdict"] for row in found.rows]
    ['free', 'free']
    """
    subject = _loaded(base)
    question = Task(subject, do, dict(options or {}), threads)
    all_variants = list(variant_list)
    for number, variant in enumerate(all_variants):
        question.check(number, variant)
    if shard is not None and not (0 <= shard[0] < shard[1]):
        raise ValueError("shard: (i, n) with 0 <= i < n")
    if not shard_seconds >= 0:
        raise ValueError("shard_seconds: zero or more")
    if workers is not None and workers < 1:
        raise ValueError("workers: one or more")
    if ray is None and engine not in ("threads", "processes"):
        raise ValueError('engine: "threads" or "processes"')
    digest = hashlib.sha256("\n".join([__version__, question.print, *map(variants.text, all_variants)]).encode())
    kept = store.Store(out, digest.hexdigest(), len(all_variants))
    wanted = range(len(all_variants)) if shard is None else range(shard[0], len(all_variants), shard[1])
    left = collections.deque(index for index in wanted if index not in kept.rows)
    total = len(wanted)
    if progress is not None:
        progress(total - len(left), total)
    if left:
        # What all variants share is prepared once.
        (subject.cell if isinstance(subject, Job) else subject).prepare()
        if ray is not None:
            worked_by: Any = engines.Ray(question, workers, shard_seconds, ray)
        elif engine == "processes":
            worked_by = engines.Processes(question, workers, shard_seconds)
        else:
            worked_by = engines.Threads(question, workers, shard_seconds)
        try:
            _drive(worked_by, all_variants, left, kept, lambda done: progress and progress(done, total), total)
        finally:
            worked_by.close()
    if shard is None or len(kept.rows) == len(all_variants):
        kept.finish()
    rows = [kept.rows[index] for index in wanted]
    wrong = sum(row.get("error") is not None for row in rows)
    if wrong:
        warnings.warn(f"{wrong} of {len(rows)} variants went wrong; `errors` of the result says how", stacklevel=2)
    return Sweep(rows, None if out is None else os.fspath(out))


def _loaded(base: Any) -> Union[Cell, Job]:
    if isinstance(base, (Cell, Job)):
        return base
    path = os.fspath(base)
    if path.endswith(".urdf"):
        return Cell.load(path)
    with open(path, encoding="utf-8") as file:
        is_job = any(line.lstrip().startswith("[path]") for line in file)
    return Job.load(path) if is_job else Cell.load(path)


def _drive(
    worked_by: Any,
    all_variants: list[dict[str, Any]],
    left: collections.deque[int],
    kept: store.Store,
    tell: Callable[[int], Any],
    total: int,
) -> None:
    deaths: collections.Counter[int] = collections.Counter()
    flying: dict[Any, list[int]] = {}
    alone: collections.deque[int] = collections.deque()  # Those whose worker died are tried one at a time.

    def next_block() -> list[int]:
        if alone:
            return [alone.popleft()]
        size = max(1, -(-len(left) // (2 * worked_by.in_flight)))
        return [left.popleft() for _ in range(min(size, len(left)))]

    while left or alone or flying:
        while (left or alone) and len(flying) < worked_by.in_flight:
            numbers = next_block()
            flying[worked_by.submit([(index, all_variants[index]) for index in numbers])] = numbers
        changed = False
        for handle in worked_by.wait(list(flying), TICK):
            numbers = flying.pop(handle)
            changed = True
            try:
                rows = worked_by.result(handle)
            except engines.Crashed as error:
                for index in numbers:
                    # Of several, it is not known which it was.
                    deaths[index] += len(numbers) == 1
                    if deaths[index] < MOST_DEATHS:
                        alone.append(index)
                        continue
                    what = f"its worker died {MOST_DEATHS} times: {error}"
                    row = {"index": index, "variant": variants.text(all_variants[index]), "verdict": "error", "error": what}
                    kept.add([{**row, "seconds": None}])
                continue
            kept.add(rows)
            done = {row["index"] for row in rows}
            left.extendleft(index for index in reversed(numbers) if index not in done)
        if changed:
            tell(total - len(left) - len(alone) - sum(map(len, flying.values())))
