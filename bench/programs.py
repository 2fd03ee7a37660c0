"""What kansho understands and decides of robot programs that other people wrote: a table with a row for each language, and the reasons of refusals.

KANSHO_DATA=FOLDER python bench/programs.py [COMMAND ...]; each COMMAND is a `kansho` to ask, for example of an earlier commit. Without one it is
target/release/kansho, or KANSHO_COMMAND. The files are those below KANSHO_DATA/data/programs, the robots those below KANSHO_DATA/data/robots: one for
each language. With --reasons it lists what stands in the way, most frequent first, and with --files a row for each file.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ["KANSHO_DATA"]) / "data"
ENDINGS = {
    ".mod": "rapid", ".modx": "rapid", ".prg": "rapid", ".sys": "rapid", ".src": "krl", ".ls": "fanuc",
    ".script": "urscript", ".urscript": "urscript", ".jbi": "jbi",
}  # fmt: skip
# Robots to try, with how their axes are counted where they stand for one of another maker: the best answer counts.
SMALL_ABB = 'language = "rapid"\nbase = "base_link"\nsigns = [-1, 1, 1, -1, 1, -1]\noffsets_deg = [0, 90, -90, 0, 0, 0]\n'
LARGE_ABB = 'language = "rapid"\nbase = "base_link"\nsigns = [1, 1, -1, -1, -1, -1]\n'
KR6, M10, UR5 = "kuka_kr6_support/urdf/kr6r900sixx.urdf", "fanuc_m10ia_support/urdf/m10ia.urdf", "ur_description/urdf/ur5e.urdf"
ROBOTS = {
    "rapid": [("abb_irb2400_support/urdf/irb2400.urdf", None), (KR6, SMALL_ABB), (M10, LARGE_ABB)],
    "krl": [(KR6, None)], "fanuc": [(M10, None)], "urscript": [(UR5, None)],
    "jbi": [("motoman_ma2010_support/urdf/ma2010.urdf", None)],
}  # fmt: skip
LINKS = {"ur5e": "wrist_3_link", "ma2010": "link_6_t"}

# A cell of the robot alone, with a gripper that stands for the tools that programs only name.
CELL = """
[[robot]]
name = "arm"
urdf = "{urdf}"
packages = ["{packages}"]
{srdf}
tool = {{ box = [0.05, 0.05, 0.1], on = "tool0", at = {{ xyz = [0, 0, 0.06] }}, tcp = {{ xyz = [0, 0, 0.11] }} }}
[allow]
pairs = [["arm/tool", "arm/{link}"]]
"""
WITH = True
OPTIONS = ["--tool-of-cell", "--allow-outside-limits"]
COLUMNS = ["files", "read", "motion statements", "reached", "decided", "files in full"]
SECONDS = 20


def run(command, *arguments):
    try:
        done = subprocess.run([command, *arguments], capture_output=True, text=True, timeout=6 * SECONDS)
    except subprocess.TimeoutExpired:
        return None
    return json.loads(done.stdout) if done.stdout.startswith("{") else None


def reason(text):
    """A reason without the names, numbers and lines that it is about."""
    return re.sub(r"-?\d+(\.\d+)?", "0", re.sub(r"'[^']*'|\"[^\"]*\"", "'...'", text))


def faults(answer):
    """Reasons of a refusal, as far as they are listed."""
    for fault in (answer or {}).get("faults", []):
        yield fault.get("what", "")


def cell_of(robot, profile, folder):
    """A cell for a robot, and how its axes are counted, written to a folder."""
    urdf = DATA / "robots" / robot
    cell = Path(folder) / f"{urdf.stem}.toml"
    srdf = next(iter(sorted(urdf.parent.parent.glob("srdf/*.srdf"))), None)
    srdf = f'srdf = "{srdf}"' if srdf else ""
    link = LINKS.get(urdf.stem, "link_6")
    cell.write_text(CELL.format(urdf=urdf, packages=urdf.parent.parent, link=link, srdf=srdf))
    if profile is None:
        return [str(cell)], []
    (Path(folder) / f"{urdf.stem}-profile.toml").write_text(profile)
    return [str(cell)], ["--profile", str(Path(folder) / f"{urdf.stem}-profile.toml")]


def beside(file):
    """Files of one repository lie beside each other as those of one controller, with its name before theirs."""
    others = sorted(file.parent.glob(file.name.split("__")[0] + "__*")) if WITH else []
    return [part for other in others if other != file for part in ("--with", str(other))]


def decide(command, folder, file, language, motions):
    """How many motion statements are proven free or shown to touch with the robot that fits best, and why not the others."""
    tried = []
    for robot, profile in ROBOTS[language]:
        cell, more = cell_of(robot, profile, folder)
        options = [*OPTIONS, *more, "--timeout", str(SECONDS), "--json", *beside(file)]
        answer = run(command, "check", *cell, str(file), *options)
        tried.append(decided(answer, motions))
    return max(tried, key=lambda one: one[0])


def decided(answer, motions):
    if answer is None or "verdict" not in answer:
        return 0, [reason(text) for text in faults(answer)]
    partial = answer.get("partial")
    if partial is None:
        return (motions if answer["verdict"] == "free" else 1), []
    lines = {contact["line"] for contact in partial["contacts"]}
    return partial["proven"] + len(lines), [reason(one["why"]) for one in partial["open"]]


def table(command, folder, wants_reasons, wants_files):
    rows, reasons, where = defaultdict(lambda: defaultdict(int)), Counter(), defaultdict(set)
    for file in sorted((DATA / "programs").rglob("*")):
        language = ENDINGS.get(file.suffix.lower())
        if language is None or not file.is_file():
            continue
        row = rows[language]
        row["files"] += 1
        found = run(command, "info", str(file), "--json")
        found = found["files"][0] if found and "files" in found else None
        if found is None or "motion_statements" not in found:
            if wants_files:
                print(f"{language} {file.name}: not read")
            continue
        motions = found["motion_statements"]
        row["read"] += 1
        row["motion statements"] += motions
        row["reached"] += found["reached"]
        decided, why = decide(command, folder, file, language, motions) if motions else (0, [])
        row["decided"] += min(decided, motions)
        row["files in full"] += motions > 0 and decided >= motions
        reasons.update(why)
        for one in set(why):
            where[one].add(file.name)
        if wants_files:
            print(f"{language} {file.name}: {decided} of {motions}")
    print(f"| language | {' | '.join(COLUMNS)} |")
    print("|---" * (len(COLUMNS) + 1) + "|")
    for language, row in sorted(rows.items()):
        print(f"| {language} | {' | '.join(str(row[column]) for column in COLUMNS)} |")
    total = [sum(row[column] for row in rows.values()) for column in COLUMNS]
    print(f"| all | {' | '.join(map(str, total))} |")
    if wants_reasons:
        print("\n| times | files | reason |\n|---|---|---|")
        for one, count in reasons.most_common(60):
            print(f"| {count} | {len(where[one])} | {one} |")


def main():
    flags = {"--reasons", "--files"}
    commands = [one for one in sys.argv[1:] if one not in flags]
    commands = commands or [os.environ.get("KANSHO_COMMAND") or str(HERE.parent / "target/release/kansho")]
    for command in commands:
        print(f"\n{command}\n")
        with tempfile.TemporaryDirectory() as folder:
            table(command, folder, "--reasons" in sys.argv, "--files" in sys.argv)


if __name__ == "__main__":
    main()
