"""A plan of many points, 50,000 if nothing is said: the path of the windshield job, with as many points between its points as that takes.

KANSHO_DATA=FOLDER python bench/long_plan.py FOLDER_TO_WRITE [POINTS [ARGUMENTS]]; needs the command in target/dist or KANSHO_COMMAND.
"""

import math
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
COMMAND = os.environ.get("KANSHO_COMMAND") or HERE.parent / "target/dist/kansho"
JOB = Path(os.environ["KANSHO_DATA"]) / "data/windshield/M"


def between(a, b, share):
    """A point on the line of two rows, with the direction turned from one to the other."""
    row = [x + share * (y - x) for x, y in zip(a, b)]
    length = math.hypot(*row[3:])
    return row[:3] + [x / length for x in row[3:]]


def main():
    folder = Path(sys.argv[1])
    points = int(sys.argv[2]) if len(sys.argv) > 2 else 50_000
    folder.mkdir(parents=True, exist_ok=True)
    header, *lines = (JOB / "path.csv").read_text().split()
    rows = [[float(word) for word in line.split(",")] for line in lines]
    parts = math.ceil(points / len(rows))
    # The path is closed: after the last point comes the first.
    dense = [between(a, b, k / parts) for a, b in zip(rows, rows[1:] + rows[:1]) for k in range(parts)]
    (folder / "path.csv").write_text("\n".join([header] + [",".join(f"{x:.9f}" for x in row) for row in dense]) + "\n")
    job = (JOB / "job.toml").read_text().replace('"cell.toml"', f'"{JOB}/cell.toml"')
    (folder / "job.toml").write_text(job)
    print(f"{len(dense)} points", flush=True)
    begun = time.monotonic()
    ended = subprocess.run([COMMAND, "plan", folder / "job.toml", "--out", folder / "plan", "--explain", *sys.argv[3:]])
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"exit {ended.returncode}: {time.monotonic() - begun:.0f} s, {used.ru_utime:.0f} s of processors, {used.ru_maxrss // 1024} MB")
    sys.exit(ended.returncode)


main()
