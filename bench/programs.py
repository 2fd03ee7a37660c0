"""What kansho understands of robot programs that other people wrote: a table with a row for each language.

KANSHO_DATA=FOLDER python bench/programs.py [COMMAND ...]; each COMMAND is a `kansho` to ask, for example of an earlier commit. Without one it is
target/release/kansho, or KANSHO_COMMAND. The files are those below KANSHO_DATA/data/programs and KANSHO_DATA/data/toolpaths.
"""

import json
import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ["KANSHO_DATA"]) / "data"
ENDINGS = {
    ".mod": "rapid", ".modx": "rapid", ".prg": "rapid", ".sys": "rapid", ".src": "krl", ".ls": "fanuc",
    ".script": "urscript", ".urscript": "urscript", ".jbi": "jbi",
}  # fmt: skip
COLUMNS = ["files", "not read", "statements", "not understood", "could move", "motions", "reached", "fully known"]


def info(command, file):
    done = subprocess.run([command, "info", str(file), "--json"], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        return None
    return json.loads(done.stdout)["files"][0]


def table(command):
    rows = defaultdict(lambda: defaultdict(int))
    for folder in ("programs", "toolpaths"):
        for file in sorted((DATA / folder).rglob("*")):
            language = ENDINGS.get(file.suffix.lower())
            if language is None or not file.is_file():
                continue
            row = rows[language]
            row["files"] += 1
            found = info(command, file)
            if found is None:
                row["not read"] += 1
                continue
            row["statements"] += found["statements"]
            row["could move"] += found["could_move"]
            row["not understood"] += found["others"]
            row["motions"] += found.get("motion_statements", 0)
            row["reached"] += found.get("reached", 0)
            row["fully known"] += found["could_move"] == 0 and found["moves"] > 0
    print(f"| language | {' | '.join(COLUMNS)} |")
    print("|---" * (len(COLUMNS) + 1) + "|")
    for language, row in sorted(rows.items()):
        print(f"| {language} | {' | '.join(str(row[column]) for column in COLUMNS)} |")


def main():
    commands = sys.argv[1:] or [os.environ.get("KANSHO_COMMAND") or str(HERE.parent / "target/release/kansho")]
    for command in commands:
        print(f"\n{command}\n")
        table(command)


if __name__ == "__main__":
    main()
