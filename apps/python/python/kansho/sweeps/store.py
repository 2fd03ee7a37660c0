"""Results in a folder: parts while they come, and one table in the end.

`sweep.json` says which question the rows answer, `part-*.parquet` hold rows of what is done, `results.parquet` all of them. Every file is written whole or not at
all, so whatever a crash leaves behind is good; and rows of another question are never taken for answers.
"""

from __future__ import annotations

import json
import os
import tempfile
import uuid
import warnings
from pathlib import Path
from typing import Any, Union

from .task import Row


class Store:
    """A folder of results, or none: then rows are kept in memory only."""

    def __init__(self, folder: Union[str, os.PathLike[str], None], question: str, count: int):
        self.folder = None if folder is None else Path(folder)
        self.rows: dict[int, Row] = {}
        if self.folder is None:
            return
        _arrow()
        self.folder.mkdir(parents=True, exist_ok=True)
        about = self.folder / "sweep.json"
        mine = {"question": question, "variants": count}
        if about.exists():
            try:
                theirs = json.loads(about.read_text())
            except ValueError as error:
                raise ValueError(f"{about}: this is no sweep: {error}") from error
            if theirs != mine:
                raise ValueError(
                    f"{self.folder}: this folder holds results of another sweep (other variants, options or another cell); "
                    "take another folder, or remove it"
                )
        else:
            _whole(about, json.dumps(mine).encode())
        for path in sorted(self.folder.glob("part-*.parquet")) + [self.folder / "results.parquet"]:
            if path.exists():
                for row in _read(path):
                    if 0 <= row["index"] < count:
                        self.rows[row["index"]] = row

    def add(self, rows: list[Row]) -> None:
        """Keeps rows; the same variant twice has the same answer, and the first one stays."""
        new = [row for row in rows if row["index"] not in self.rows]
        for row in new:
            self.rows[row["index"]] = row
        if self.folder is not None and new:
            name = f"part-{new[0]['index']:08}-{uuid.uuid4().hex[:12]}.parquet"
            _write(self.folder / name, new)

    def finish(self) -> None:
        """One table of all, and no parts."""
        if self.folder is None:
            return
        _write(self.folder / "results.parquet", [self.rows[index] for index in sorted(self.rows)])
        for path in self.folder.glob("part-*.parquet"):
            path.unlink(missing_ok=True)


def _arrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError("results in Parquet need pyarrow: pip install kansho[sweep]") from error
    return pyarrow


def table(rows: list[Row]) -> Any:
    """Rows as a pyarrow table: all columns that any of them has, in the order in which they come."""
    arrow = _arrow()
    names = list(dict.fromkeys(name for row in rows for name in row))
    return arrow.table({name: arrow.array([row.get(name) for row in rows]) for name in names})


def _write(path: Path, rows: list[Row]) -> None:
    arrow = _arrow()
    sink = arrow.BufferOutputStream()
    arrow.parquet.write_table(table(rows), sink)
    _whole(path, sink.getvalue().to_pybytes())


def _whole(path: Path, content: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _read(path: Path) -> list[Row]:
    arrow = _arrow()
    try:
        rows: list[Row] = arrow.parquet.read_table(path).to_pylist()
        if all(isinstance(row.get("index"), int) for row in rows):
            return rows
        why: Any = "there is no column index"
    except (OSError, arrow.ArrowException) as error:
        why = error
    warnings.warn(f"{path}: this cannot be read, and is worked out again: {why}", stacklevel=3)
    path.unlink(missing_ok=True)
    return []
