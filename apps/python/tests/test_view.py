"""The viewer, asked as a browser would ask it."""

import gc
import http.client
import json
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import kansho
from kansho import viewing


def asked(port, path="/", headers=None, method="GET"):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path, headers=headers or {})
        answer = connection.getresponse()
        return answer.status, dict((name.lower(), value) for name, value in answer.getheaders()), answer.read()
    finally:
        connection.close()


def port_of(shown):
    return int(shown.url.rstrip("/").rsplit(":", 1)[1])


def names_of(view):
    """Names of the motions that are shown: they stand in the JSON at the head of the shapes."""
    edition = json.loads(asked(port_of(view), "/api/cell")[2])["edition"]
    body = asked(port_of(view), f"/api/{edition}/geometry")[2]
    head, _ = json.JSONDecoder().raw_decode(body[body.index(b"{") :].decode("utf-8", "replace"))
    return [motion["name"] for motion in head["motions"]]


@pytest.fixture
def shown(demo):
    try:
        view = kansho.view(demo, browser=False, title="a <cell>")
    except kansho.Error as error:
        assert "built without the page" in str(error)
        pytest.skip(str(error))
    yield view
    view.close()


def test_it_is_served(shown, demo):
    status, headers, page = asked(port_of(shown))
    assert status == 200 and headers["content-type"].startswith("text/html") and b"<html" in page
    assert "frame-ancestors 'none'" in headers["content-security-policy"] and headers["x-frame-options"] == "DENY"
    status, _, body = asked(port_of(shown), "/api/cell")
    told = json.loads(body)
    assert status == 200 and told["title"] == "a <cell>"
    assert "sheet" in body.decode() and demo.joints[0].split("/")[1] in body.decode()
    # Nobody else is answered.
    assert asked(port_of(shown), headers={"Host": "example.org"})[0] == 403
    assert asked(port_of(shown), headers={"Sec-Fetch-Site": "cross-site"})[0] == 403


def test_it_is_closed(shown):
    port = port_of(shown)
    assert not shown.closed and asked(port)[0] == 200 and shown in viewing._shown
    shown.close()
    shown.close()
    assert shown.closed and shown not in viewing._shown and "closed" in repr(shown)
    with pytest.raises(ConnectionRefusedError):
        asked(port)
    shown.wait()  # Ends at once.
    assert "was closed" in shown._repr_html_() and "<cell>" not in shown._repr_html_()


def test_motions(shown, demo, tmp_path):
    rows = np.radians([[0, -35, 15, 0, 35, 0], [0, 25, 15, 0, 35, 0]])
    np.savetxt(tmp_path / "down.csv", rows, delimiter=",", fmt="%.17g")
    list_of_moves = [{"ptp": [0, -0.6, 0.26, 0, 0.6, 0]}, {"lin": {"xyz": [0.75, 0.1, 1.4], "rpy_deg": [180, 0, 180]}}]
    with kansho.view(demo, [rows, tmp_path / "down.csv", list_of_moves], browser=False) as many:
        told = json.loads(asked(port_of(many), "/api/cell")[2])
        assert names_of(many) == ["motion 1", "down", "motion 3"]
        proof = json.loads(asked(port_of(many), f"/api/{told['edition']}/motion/0")[2])
        assert proof["verdict"] == demo.check(rows).verdict == "touches"
        again = asked(port_of(many), "/api/reload", {"Content-Type": "application/json"}, "POST")
        assert again[0] == 200 and json.loads(again[2])["edition"] == told["edition"] + 1
    assert many.closed
    with kansho.view(demo, {"into the sheet": rows}, browser=False) as named:
        assert names_of(named) == ["into the sheet"]


def test_a_path_or_a_job(shown, demo_folder):
    for given in (demo_folder / "cell.toml", kansho.Job.load(demo_folder / "job.toml")):
        with kansho.view(given, browser=False) as view:
            assert asked(port_of(view), "/api/cell")[0] == 200


def test_in_a_notebook(shown, demo, monkeypatch):
    """A page of this machine may show it in a frame there: the page itself only, and nobody else may."""
    monkeypatch.setattr(viewing, "_in_notebook", lambda: True)
    opened = []
    monkeypatch.setattr(viewing.webbrowser, "open", opened.append)
    with kansho.view(demo, title='"x"', height=321) as inline:
        told = inline._repr_html_()
        assert told.startswith("<iframe ") and inline.url in told and 'height="321"' in told and "&quot;x&quot;" in told
        frame = {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Dest": "iframe", "Sec-Fetch-Mode": "navigate"}
        status, headers, _ = asked(port_of(inline), headers=frame)
        assert status == 200 and "x-frame-options" not in headers
        allowed = headers["content-security-policy"].split("frame-ancestors ")[1]
        assert "http://localhost:*" in allowed and "http://127.0.0.1:*" in allowed and "'none'" not in allowed and " * " not in allowed
        assert asked(port_of(inline), "/api/cell", frame)[0] == 403
        assert asked(port_of(inline), headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "script"})[0] == 403
    assert opened == []
    assert asked(port_of(shown), headers=frame)[0] == 403


def test_browsers(shown, demo, monkeypatch):
    opened = []
    monkeypatch.setattr(viewing.webbrowser, "open", opened.append)
    with kansho.view(demo) as quiet:  # Nobody sits at a terminal.
        assert opened == [] and quiet.url
    with kansho.view(demo, browser=True) as loud:
        assert opened == [loud.url]


def test_bad_calls(shown, demo):
    with pytest.raises(TypeError, match="a Cell, a Job or a path"):
        kansho.view(5, browser=False)
    with pytest.raises(ValueError, match="port"):
        kansho.view(demo, port=70000, browser=False)
    with pytest.raises(kansho.Error, match="cannot listen on 127.0.0.1"):
        kansho.view(demo, port=port_of(shown), browser=False)
    with pytest.raises(ValueError, match="NaN"):
        kansho.view(demo, [np.full((2, 6), np.nan)], browser=False)
    with pytest.raises(kansho.ReadError, match="no.toml"):
        kansho.view("no.toml", browser=False)


def test_it_goes_on_until_it_is_closed(shown, demo):
    view = kansho.view(demo, browser=False)
    port = port_of(view)
    del view
    gc.collect()
    assert asked(port)[0] == 200  # Somebody may look at it.
    for left in [view for view in viewing._shown if port_of(view) == port]:
        left.close()


def test_a_script_ends(shown):
    """Ctrl-C ends a script that waits, and one that does not wait ends by itself; neither leaves a port open."""
    import signal

    for wait in (True, False):
        code = f"""
        import kansho
        shown = kansho.view(kansho.demo_cell(), browser=False)
        print(shown.url, flush=True)
        if {wait}:
            shown.wait()
            print("over", flush=True)
        """
        process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True)
        try:
            port = int(process.stdout.readline().strip().rstrip("/").rsplit(":", 1)[1])
            if wait:
                assert asked(port)[0] == 200
                time.sleep(0.5)
                process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=60)
            assert process.returncode == 0 and out == ("over\n" if wait else "")
            with pytest.raises(ConnectionRefusedError):
                asked(port)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
