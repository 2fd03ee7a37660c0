"""Python beside the command, in the same run: processor time, one thread, in turns.

KANSHO_DATA=FOLDER python bench/python.py [batch] [single] [sweep]; needs the package, and the command in target/dist or KANSHO_COMMAND. `sweep` needs Ray.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
COMMAND = os.environ.get("KANSHO_COMMAND") or HERE.parent / "target/dist/kansho"
RUNS = int(os.environ.get("KANSHO_RUNS", 5))

#: Asks the same as the command, as a process of its own, and says how long the call alone took.
ASK = """
import sys, time, kansho, numpy as np
kind, cell, rows = sys.argv[1:]
cell = kansho.Cell.load(cell)
rows = np.loadtxt(rows)
cell.prepare()
begun = time.process_time()
if kind == "W3":
    found = (cell.postures(rows, threads=1, models=True).hit == 1).sum()
else:
    found = (cell.check_segments(rows, threads=1).verdict == 1).sum()
print(time.process_time() - begun, found)
"""


def spent(arguments):
    """Processor seconds of a process, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def batch(data):
    """Whole processes: reading, preparing, asking, answering."""
    jobs = [
        ("W3 boxes", "W3", "ur5_boxes.toml", "w3_configs.csv", ["postures", "--explain", "--postures"]),
        ("W3 mixed", "W3", "ur5_mixed.toml", "w3_configs.csv", ["postures", "--explain", "--postures"]),
        ("W4", "W4", "ur5_boxes.toml", "w4_segments.csv", ["check", "--segments"]),
    ]
    for name, kind, cell, rows, words in jobs[int(os.environ.get("KANSHO_FROM", 0)) :]:
        ours, theirs, calls = [], [], []
        for _ in range(RUNS):
            with tempfile.TemporaryDirectory() as folder:
                line = [COMMAND, words[0], data / cell, *words[1:], data / rows, "--threads", 1, "--out", Path(folder) / "r.csv"]
                theirs.append(spent(line)[0])
            secs, out = spent([sys.executable, "-c", ASK, kind, data / cell, data / rows])
            ours.append(secs)
            calls.append(float(out.split()[0]))
        nothing = min(spent([sys.executable, "-c", "import kansho"])[0] for _ in range(3))
        print(
            f"{name}: command {min(theirs):.3f} s, Python {min(ours):.3f} s, of that {nothing:.3f} s to start and import, "
            f"{min(calls):.3f} s the call; ratio {min(ours) / min(theirs):.3f}, without the start {(min(ours) - nothing) / min(theirs):.3f}"
        )


def single(data):
    """One posture a call, beside the same postures in one call."""
    import kansho

    cell = kansho.Cell.load(data / "ur5_boxes.toml")
    rows = np.loadtxt(data / "w3_configs.csv")
    checker = cell.checker(limits=False)
    cell.touches(rows, threads=1)  # Fields are filled.
    [checker.is_valid(row) for row in rows]
    each, together = [], []
    listed = list(rows)
    for _ in range(RUNS):
        begun = time.process_time()
        cell.touches(rows, threads=1)
        together.append(time.process_time() - begun)
        begun = time.thread_time()
        for row in listed:
            checker.is_valid(row)
        each.append(time.thread_time() - begun)
    ours, rust = (1e6 * min(times) / len(rows) for times in (each, together))
    print(f"single postures: {ours:.2f} us a call, {rust:.2f} us each in one call; {ours - rust:.2f} us more (asked: 3)")


#: One of two processes that share the variants, with nothing between them.
ALONE = """
import sys, time
sys.path.insert(0, sys.argv[1])
import python as bench
bench.half(int(sys.argv[2]))
"""

VARIANTS = 64


def question():
    import kansho

    cell = kansho.demo_cell()
    low, high = np.clip(cell.limits, -np.pi, np.pi).T
    postures = np.random.default_rng(5).uniform(low, high, (int(os.environ.get("KANSHO_ROWS", 60_000)), len(low)))
    places = [{"sheet": kansho.pose([1.1, 0.01 * k, 0.75], rpy_deg=[0, 0, 90])} for k in range(VARIANTS)]
    return cell, kansho.grid(at=places), {"postures": postures, "models": True}


def half(which):
    import kansho

    cell, variants, options = question()
    print("ready", flush=True)
    sys.stdin.readline()
    found = kansho.sweep(cell, variants[which::2], "postures", options=options, workers=1)
    print(json.dumps([row["hits"] for row in found.rows]), flush=True)


def sweep(_):
    """64 variants on Ray with two workers, beside two processes that take half of them each."""
    import kansho
    import ray

    cell, variants, options = question()
    begun = time.perf_counter()
    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
    kansho.sweep(cell, variants[:2], "postures", options={**options, "postures": options["postures"][:100]}, ray="auto")
    started = time.perf_counter() - begun
    for _ in range(max(1, RUNS // 2)):
        halves = [
            subprocess.Popen([sys.executable, "-c", ALONE, HERE, str(k)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            for k in (0, 1)
        ]
        assert all(process.stdout.readline() == "ready\n" for process in halves)
        begun = time.perf_counter()
        for process in halves:
            process.stdin.write("\n")
            process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for process in halves]
        two = time.perf_counter() - begun
        [process.wait() for process in halves]
        begun = time.perf_counter()
        found = kansho.sweep(cell, variants, "postures", options=options, ray="auto")
        on_ray = time.perf_counter() - begun
        hits = found.column("hits").astype(int).tolist()
        assert hits[0::2] == answers[0] and hits[1::2] == answers[1]
        print(
            f"64 variants: two processes {two:.1f} s, Ray with two workers {on_ray:.1f} s: {two / on_ray:.2f} of it (asked: 0.8); "
            f"Ray and its workers started in {started:.1f} s before"
        )
    ray.shutdown()


if __name__ == "__main__":
    bench_data = Path(os.environ["KANSHO_DATA"]) / "bench/data"
    wanted = sys.argv[1:] or ["batch", "single", "sweep"]
    for name in wanted:
        {"batch": batch, "single": single, "sweep": sweep}[name](bench_data)
