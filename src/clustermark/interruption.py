"""Interruption of long work by Ctrl-C, or by another signal whose handler raises.

Python runs the handler of a signal in the main thread, between two steps of Python code, but not while a library is
working in that thread.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator

T = TypeVar("T")

_GLANCE = 0.25
"""Seconds between two calls of `glance`."""
_OVER = b"\0"
"""A byte that is no signal number."""


def attend(
    work: Callable[[], T],
    *,
    stop: Callable[[], object] = lambda: None,
    glance: Callable[[], object] | None = None,
    patience: float | None = None,
    abandon: Callable[[threading.Event], object] = lambda _: None,
) -> T:
    """Return the result of `work`, which runs in another thread, so that this thread can be interrupted.

    stop: ends the work when this thread is interrupted. patience: after this number of seconds, work that has not ended
    is abandoned, and `abandon` is called with the event of its end; None waits for the end. glance: called now and
    then.
    """
    import threading  # not needed to score a few labels

    if glance is None and threading.current_thread() is not threading.main_thread():
        return work()  # signals do not reach this thread
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # raised again below
            errors.append(error)
        finally:
            over.set()

    over = threading.Event()  # a thread may seem ended when a signal interrupts the thread that joins it
    thread = threading.Thread(target=run, name="clustermark", daemon=True)
    try:
        thread.start()
        while not over.wait(_GLANCE):
            if glance is not None:
                glance()
    except BaseException:
        stop()
        if thread.ident is not None and not over.wait(patience):
            abandon(over)
        raise
    if errors:
        raise errors.pop()
    return results.pop()


@contextmanager
def stop_on_signals(stop: Callable[[], object]) -> Iterator[None]:
    """Call `stop` when a terminating signal arrives, for work that must be done in this thread.

    The handler of the signal runs as soon as the work has ended.
    """
    import threading

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    import signal  # here, because these two take longer to import than the rest of the package
    from socket import socketpair

    ending = {signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)}
    ours, theirs = socketpair()
    theirs.setblocking(False)
    before = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)

    def listen() -> None:
        while (number := ours.recv(1)) != _OVER:
            if number[0] in ending:
                stop()
            if before != -1:  # another reader, such as the loop of asyncio
                with suppress(OSError):
                    os.write(before, number)

    listener = threading.Thread(target=listen, name="clustermark", daemon=True)
    listener.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        theirs.send(_OVER)
        listener.join()
        ours.close()
        theirs.close()
