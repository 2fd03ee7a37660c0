"""The Python chapter of the guide does what it shows. Its commands are run by apps/cli/tests/it/guide.rs."""

import contextlib
import io
import re
from pathlib import Path

GUIDE = Path(__file__).parents[3] / "docs/guide"
FENCE = re.compile(r"^```(\w+)(?: ([^\n]+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_what_is_printed_is_what_is_shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    chapter = (GUIDE / "13-python.md").read_text()
    needed = re.search(r"^Needs the files of .*$", chapter, re.MULTILINE).group()
    for name in re.findall(r"\((\S+\.md)\)", needed):
        for language, file, body in FENCE.findall((GUIDE / name).read_text()):
            if file and language != "sh":
                Path(file).write_text(body)
    names, printed, runs = {}, None, 0
    for language, _, body in FENCE.findall(chapter):
        if language == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(body, names)
            printed, runs = out.getvalue(), runs + 1
        elif language == "text":
            assert printed == body
            printed = None
    assert runs >= 4
