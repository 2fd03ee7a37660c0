#!/usr/bin/env python3
"""Writes THIRD-PARTY.md: what the program and the Python package embed, with licences and copyright notices.

    python3 docs/third_party.py            write the file
    python3 docs/third_party.py --check    exit code 1 if the file is out of date

Reads what cargo knows of the crates (their sources must have been fetched) and `node_modules` of the viewer's page.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "THIRD-PARTY.md"
PACKAGES = ["kansho-cli", "kansho-python"]
TARGET = "x86_64-unknown-linux-gnu"
WEB = ROOT / "apps/viewer/web"

# Of several licences that a crate offers, the first one here that it has a text of.
PREFERRED = {
    "MIT": "permission is hereby granted, free of charge",
    "Apache-2.0": "apache license",
    "BSD-2-Clause": "redistribution and use in source",
    "BSD-3-Clause": "redistribution and use in source",
}
# What builds the page and is no part of it.
BUILDERS = {"vite"}
COPYRIGHT = re.compile(r"^\W*(copyright|\(c\)|©)(?! (notice|holders?\b))\W*.*(\d{4}|\(c\)|©|authors|developers)", re.I)
HEADING = re.compile(r"^\W*(the )?(mit|bsd|isc|zlib)?\W*(licen[sc]e)?\W*(\(mit\))?\W*$", re.I)
# A template that Apache's text ends with, not a notice.
TEMPLATE = re.compile(r"\[yyyy\]|\{yyyy\}|\[name of|free software foundation", re.I)


class Package(NamedTuple):
    name: str
    version: str
    licence: str
    folder: Path
    made_with: str


def run(*words: str) -> str:
    return subprocess.run(words, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def crates() -> list[Package]:
    ask = ["cargo", "metadata", "--format-version", "1", "--offline", "--locked", "--filter-platform", TARGET]
    metadata: dict[str, Any] = json.loads(run(*ask))
    known = {(crate["name"], crate["version"]): crate for crate in metadata["packages"]}
    tree = ["cargo", "tree", "-e", "normal", "--offline", "--locked", "--prefix", "none", "--target", TARGET]
    for package in PACKAGES:
        tree += ["-p", package]
    names = {tuple(line.split(" v", 1)) for line in run(*tree).splitlines() if " v" in line}
    found = []
    for name, rest in sorted(names):
        crate = known[name, rest.split()[0]]
        if crate["source"] is not None:
            folder = Path(crate["manifest_path"]).parent
            found.append(Package(name, crate["version"], crate["license"], folder, "Rust"))
    return sorted(set(found))


def scripts(node_modules: Path) -> list[Package]:
    lock: dict[str, Any] = json.loads((WEB / "package-lock.json").read_text())
    found = []
    open_names = sorted(set(lock["packages"][""]["dependencies"]) - BUILDERS)
    known = set(open_names)
    while open_names:
        name = open_names.pop()
        package = lock["packages"][f"node_modules/{name}"]
        more = set(package.get("dependencies", {})) - known
        known |= more
        open_names += sorted(more)
        folder = node_modules / name
        if not folder.is_dir():
            sys.exit(f"{folder} is missing: run `npm ci` in apps/viewer/web first")
        found.append(Package(name, package["version"], package["license"], folder, "JavaScript"))
    return found


def texts(package: Package) -> list[str]:
    """The licence that we take the package under, and its notices."""
    files = sorted(
        path
        for pattern in ("LICEN[SC]E*", "licen[sc]e*", "COPYING*", "UNLICENSE*", "NOTICE*")
        for path in package.folder.glob(pattern)
        if path.is_file() and path.suffix not in (".rs", ".toml", ".html")
    )
    read = [path.read_text(errors="replace").replace("\r\n", "\n").strip() for path in dict.fromkeys(files)]
    offered = [] if " AND " in package.licence else re.split(r" OR |/", package.licence)
    for licence, words in PREFERRED.items():
        if licence in offered and any(words in " ".join(text.lower().split()) for text in read):
            first = next(text for text in read if words in " ".join(text.lower().split()))
            notices = [t for path, t in zip(dict.fromkeys(files), read) if path.name.startswith("NOTICE")]
            return [first, *(notice for notice in notices if licence == "Apache-2.0")]
    return read


def split(text: str) -> tuple[list[str], str]:
    """Copyright lines, and the rest without its heading."""
    notices, body = [], []
    for line in text.splitlines():
        if COPYRIGHT.match(line) and not TEMPLATE.search(line) and len(notices) < 20:
            notices.append(" ".join(line.split()))
        elif body or not HEADING.match(line):
            body.append(line.rstrip())
    return notices, "\n".join(body).strip()


def document(packages: list[Package]) -> str:
    lines = [
        "# Third-party notices",
        "",
        "The program `kansho`, its page for the browser and the Python package embed the packages below. Each is",
        "used under a licence that it offers; the texts follow, each once, with the copyright lines of the packages.",
        "`python3 docs/third_party.py` makes this file, `--check` says whether it is up to date.",
        "",
        "| package | version | licence | language |",
        "|---|---|---|---|",
    ]
    lines += [f"| {p.name} | {p.version} | {p.licence} | {p.made_with} |" for p in packages]
    shared: dict[str, tuple[str, list[str]]] = {}
    without = []
    for package in packages:
        found = texts(package)
        if not found:
            without.append(f"{package.name} {package.version} ({package.licence})")
        for text in found:
            notices, body = split(text)
            key = re.sub(r"\W+", " ", body.lower()).strip()
            of = f"- {package.name} {package.version}" + "".join(f"; {notice}" for notice in notices)
            shared.setdefault(key, (body, []))[1].append(of)
    if without:
        lines += ["", "Without a licence file of their own, under the licence that their manifest names:", ""]
        lines += [f"- {words}" for words in without]
    for number, (body, users) in enumerate(shared.values(), 1):
        lines += ["", f"## Text {number}", "", *users, "", "```text", body.replace("```", "'''"), "```"]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="exit with 1 if the file is out of date")
    parser.add_argument("--node-modules", type=Path, default=WEB / "node_modules", help="where npm has put packages")
    options = parser.parse_args()
    text = document(crates() + scripts(options.node_modules))
    if not options.check:
        OUTPUT.write_text(text)
    elif not OUTPUT.exists() or OUTPUT.read_text() != text:
        sys.exit("THIRD-PARTY.md is out of date: run python3 docs/third_party.py")


if __name__ == "__main__":
    main()
