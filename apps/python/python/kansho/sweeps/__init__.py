"""Sweeps: many variants of a cell or a job, each checked or planned.

| part | does |
|---|---|
| `variants` | which variants? |
| `task` | what is done with one of them |
| `store` | results in Parquet, kept while they come, found again after a crash |
| `engines` | threads, processes, or a Ray cluster |
| `driver` | hands out work, takes in results |
"""

from .driver import Sweep, SweepError, progress_bar, sweep
from .variants import grid

__all__ = ["Sweep", "SweepError", "grid", "progress_bar", "sweep"]
