"""Distinguishes a Ctrl-C by a person from a KeyboardInterrupt that a mechanism raised.

A person who asks to stop is heard everywhere; a subject that raises the same exception is one that failed. The
difference is the signal: it comes to the main thread, and to whoever listens here. A watched process counts it only
when its watchdog had it too, so that a subject cannot send it to itself.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from dpverify.core.errors import AuditError, one_line
from dpverify.core.watchdog_page import current_page


class _Heard:
    """Tell whether this process listens for Ctrl-C, and whether it came."""

    listening = False
    asked = False


_heard = _Heard()


@contextmanager
def listening() -> Iterator[None]:
    """Note who presses Ctrl-C meanwhile; without effect outside the main thread, and where another handler is set."""
    main = threading.current_thread() is threading.main_thread()
    if _heard.listening or not main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, _ring)
    _heard.listening, _heard.asked = True, False
    try:
        yield
    finally:
        _heard.listening = False
        if signal.getsignal(signal.SIGINT) is _ring:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def asked_to_stop(problem: BaseException) -> bool:
    """Tell whether `problem` is a person's Ctrl-C, as far as this process can know: where nobody listens, any that
    comes to the main thread counts as one.
    """
    if not isinstance(problem, KeyboardInterrupt) or threading.current_thread() is not threading.main_thread():
        return False
    return _heard.asked if _heard.listening else signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


@contextmanager
def handle_ctrl_c_here(what: str, *others: type[BaseException]) -> Iterator[None]:
    """Around what a subject does in this process: an exception that is no Exception, and would end the program, is an
    AuditError; Ctrl-C and `others` go on."""
    try:
        yield
    except BaseException as problem:
        if isinstance(problem, (Exception, *others)) or asked_to_stop(problem):
            raise
        said = one_line(f"{type(problem).__name__}: {problem}").rstrip(": ")
        raise AuditError(f"{what} raised {said}, which is no Exception: it would have ended the program") from problem


def _ring(_number: int, _frame: FrameType | None) -> None:
    page = current_page()
    _heard.asked = _heard.asked or page is None or page.interrupted
    raise KeyboardInterrupt
