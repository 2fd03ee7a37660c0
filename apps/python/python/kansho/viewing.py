"""The viewer: a cell in the browser, or inline in a notebook."""

from __future__ import annotations

import atexit
import html
import os
import sys
import threading
import webbrowser
from types import TracebackType
from typing import Any, Mapping, Optional, Sequence, Union

from ._kansho import Cell, Job, _serve, _Served

#: Those that are shown: one that nobody holds goes on until it is closed, for somebody may look at it.
_shown: set[View] = set()


class View:
    """A cell that is shown at `url`, to browsers of this machine, until it is closed. As the last line of a cell of a notebook it is shown inline.

    It is a context manager, too: `with kansho.view(cell) as shown: ...` closes it in the end.
    """

    def __init__(self, served: _Served, title: str, height: int):
        self._served, self.title, self.height = served, title, height
        self._over = threading.Event()

    @property
    def url(self) -> str:
        """Where it is shown."""
        return f"http://127.0.0.1:{self._served.port}/"

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._served.closed

    def close(self) -> None:
        """Ends it: nobody can connect any more. It may be closed more than once."""
        _shown.discard(self)
        self._served.close()
        self._over.set()

    def wait(self) -> None:
        """Waits until somebody closes it, in another thread or by Ctrl-C: for scripts, which would end otherwise."""
        try:
            # Waits that last are not interrupted on all systems.
            while not self._over.wait(0.2):
                pass
        except KeyboardInterrupt:
            self.close()

    def __enter__(self) -> View:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        self.close()

    def _repr_html_(self) -> str:
        if self.closed:
            return f"<p>{html.escape(self.title)} is not shown any more: it was closed.</p>"
        return (
            f'<iframe src="{html.escape(self.url)}" width="100%" height="{int(self.height)}" '
            f'style="border:0" title="{html.escape(self.title)}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<kansho.View of {self.title}, {'closed' if self.closed else 'at ' + self.url}>"


def view(
    cell: Union[Cell, Job, str, os.PathLike[str]],
    motions: Union[None, Sequence[Any], Mapping[str, Any]] = None,
    *,
    title: Optional[str] = None,
    port: int = 0,
    browser: Optional[bool] = None,
    height: int = 600,
    kind: str = "ptp",
    **how: Any,
) -> View:
    """Shows a cell, and motions of it, in the browser, as `kansho view` does; in a notebook inline.

    `cell` is a `Cell`, a `Job` or the path of one. `motions` are motions as `Cell.check` takes them (with the same `kind` and others), in a list or by
    their names. A browser is opened where somebody sits at a terminal, unless `browser` says otherwise. Only this machine is answered, at `port`
    (any free one if it is 0). It is shown until it is closed or the program ends; `wait()` keeps a script from ending.

    >>> import kansho, urllib.request
    >>> with kansho.view(kansho.demo_cell(), browser=False) as shown:  # doctest: +SKIP
    ...     page = urllib.request.urlopen(shown.url).read()
    """
    if isinstance(cell, (str, os.PathLike)):
        title = title or os.fspath(cell)
        cell = Cell.load(cell)
    if isinstance(cell, Job):
        cell = cell.cell
    if not isinstance(cell, Cell):
        raise TypeError(f"cell: a Cell, a Job or a path is wanted, not {type(cell).__name__}")
    if not 0 <= port <= 65535:
        raise ValueError("port: a number from 0 to 65535")
    if motions is None:
        named: list[tuple[str, Any]] = []
    elif isinstance(motions, Mapping):
        named = [(str(name), motion) for name, motion in motions.items()]
    else:
        names = [_name(number, motion) for number, motion in enumerate(motions, 1)]
        named = list(zip(names, motions))
    title = title or "cell"
    in_notebook = _in_notebook()
    shown = View(_serve(cell, named, title, port, in_notebook, kind, how), title, height)
    _shown.add(shown)
    if browser if browser is not None else not in_notebook and sys.stdout.isatty():
        webbrowser.open(shown.url)
    return shown


def _name(number: int, motion: Any) -> str:
    if isinstance(motion, (str, os.PathLike)):
        return os.path.splitext(os.path.basename(os.fspath(motion)))[0]
    return f"motion {number}"


def _in_notebook() -> bool:
    """Whether a notebook runs this, which shows what it is given as HTML."""
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython  # type: ignore[import-not-found, unused-ignore]

    shell = get_ipython()
    return shell is not None and hasattr(shell, "kernel")


@atexit.register
def _close_all() -> None:
    for shown in list(_shown):
        shown.close()
