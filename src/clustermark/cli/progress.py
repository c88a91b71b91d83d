"""A sign of life while something takes long: what is done, how much of it, since when and for how long still."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

from clustermark.cli.terminal import in_ascii, is_ascii, make_visible, wants_colour

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_CERTAIN = 0.05
"""From this share on, what is left is told: before, it would be a guess."""
_PATIENCE = 2.0
"""Nobody need know how long is left of what has taken no more than so many seconds."""


@contextmanager
def show_progress(doing: str, quiet: bool) -> Iterator[Callable[[float], None] | None]:
    """A moving sign and the time on a terminal, and a function that shows what share is done; nothing elsewhere."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.live import Live
    from rich.spinner import Spinner
    from rich.text import Text

    doing = make_visible(in_ascii(f"{doing} …") if is_ascii(sys.stderr) else f"{doing} …")
    console = Console(stderr=True, color_system="auto" if wants_colour() else None)
    spinner = Spinner("line" if is_ascii(sys.stderr) else "dots")
    clock = Clock()

    def draw() -> Spinner:
        spinner.update(text=Text(f"{doing} {clock}"))
        return spinner

    with Live(get_renderable=draw, console=console, refresh_per_second=12.5, transient=True):
        yield clock.tell


class Clock:
    """How long something takes.

    >>> clock = Clock(lambda: 0.0)
    >>> clock.tell(0.25)
    >>> clock.now = lambda: 75.0
    >>> str(clock)
    '25%, 1:15, about 3:45 left'
    """

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self.now = now
        self._begin = self._step = now()
        self._share: float | None = None

    def tell(self, share: float) -> None:
        """Note what share is done; a smaller one than before is that of a new step."""
        if self._share is not None and share < self._share:
            self._step = self.now()
        self._share = share

    def __str__(self) -> str:
        now = self.now()
        parts = [] if self._share is None else [f"{self._share:.0%}"]
        parts.append(_minutes(now - self._begin))
        share, taken = self._share, now - self._step
        if share is not None and _CERTAIN <= share < 1 and taken >= _PATIENCE:
            parts.append(f"about {_minutes(taken * (1 - share) / share)} left")
        return ", ".join(parts)


def _minutes(seconds: float) -> str:
    """A time as people read it.

    >>> _minutes(3.2), _minutes(75), _minutes(4000)
    ('0:03', '1:15', '1:06:40')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
