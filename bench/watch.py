"""Memory of `kansho watch` while it answers as fast as it is asked: a posture as soon as the last one is answered.

KANSHO_DATA=FOLDER python bench/watch.py [SECONDS]; needs the command in target/dist or KANSHO_COMMAND, and /proc.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
COMMAND = os.environ.get("KANSHO_COMMAND") or HERE.parent / "target/dist/kansho"
DATA = Path(os.environ["KANSHO_DATA"]) / "bench/data"
SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 600.0

#: The first postures of W3, again and again: whatever grows then is no cache.
ROWS = [f"[{','.join(line.replace(',', ' ').split())}]\n".encode() for line in open(DATA / "w3_configs.csv")][:500]


def memory(process):
    """Kilobytes that a process holds."""
    lines = open(f"/proc/{process.pid}/status").read().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS:")).split()[1])


def main():
    arguments = [str(COMMAND), "monitor", str(DATA / "ur5_boxes.toml"), "--spheres"]
    watch = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    begun, asked, told = time.monotonic(), 0, 2.0
    while (passed := time.monotonic() - begun) < SECONDS:
        for row in ROWS:
            watch.stdin.write(row)
            watch.stdin.flush()
            answer = watch.stdout.readline()
            assert answer and b'"error"' not in answer, answer
        asked += len(ROWS)
        if passed >= told:
            print(f"{passed:.0f} s: {asked} postures, {memory(watch)} kB", flush=True)
            told = passed + max(SECONDS / 10, 1.0)
    watch.stdin.close()
    watch.wait()


main()
