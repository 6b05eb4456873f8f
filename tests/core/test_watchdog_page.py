"""The page that a watched process shares with its watchdog."""

from __future__ import annotations

import math
import os
import signal
import threading
import time

import pytest

from dpverify.core.errors import AuditError, InputError
from dpverify.core.watchdog_page import Page, asked_to_stop, handle_ctrl_c_here, listening


def test_the_first_limit_counts_until_it_is_taken_back():
    page, one, other = Page(), object(), object()
    page.say("whole", "too long", 3)
    assert page.passed(1e300) is None
    page.ends("whole", one, 5.0)
    page.ends("whole", other, 7.0)
    assert page.passed(4.9) is None
    assert page.passed(5.1) == ("too long", 3)
    page.ends("whole", one, math.inf)
    assert page.passed(6.9) is None
    assert page.passed(7.1) == ("too long", 3)
    page.ends("whole", other, math.inf)
    page.ends("whole", other, math.inf)
    assert page.passed(1e300) is None


def test_a_long_line_is_cut_and_a_call_goes_before_the_whole():
    page = Page()
    page.say("whole", "w" * 5000, 3)
    page.say("call", "é" * 5000, 2)
    page.ends("whole", page, 1.0)
    assert page.passed(2.0) == ("w" * 900, 3)
    page.ends("call", page, 1.0)
    line, status = page.passed(2.0)
    assert set(line) == {"é"}
    assert status == 2
    assert page.memory == math.inf
    page.memory = 2.0**30
    assert page.memory == 2.0**30


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_both_processes_see_it():
    page = Page()
    if (child := os.fork()) == 0:
        page.ends("call", page, 3.0)
        page.interrupt()
        os._exit(0)
    os.waitpid(child, 0)
    assert page.interrupted
    assert page.passed(4.0) == ("", 0)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_limit_that_is_being_written_is_never_read_as_passed():
    """Many fast calls: `struct` wrote zeros before the number, and a watchdog that read them ended a sound process."""
    page = Page()
    page.say("call", "too long", 2)
    ends = time.monotonic() + 0.5
    if (writer := os.fork()) == 0:
        while time.monotonic() < ends:
            page.ends("call", page, math.inf)
            page.ends("call", page, ends + 60.0)
        os._exit(0)
    looks = [page.passed(time.monotonic()) for _ in iter(lambda: time.monotonic() < ends, False)]
    os.waitpid(writer, 0)
    assert len(looks) > 1_000 and not any(looks)


def test_what_is_said_again_is_written_once_and_another_line_at_once():
    page = Page()
    page.ends("call", page, 1.0)
    for line, status in [("a", 2), ("a", 2), ("b", 2), ("b", 3), ("a", 2)]:
        page.say("call", line, status)
        assert page.passed(2.0) == (line, status)


@pytest.fixture(autouse=True)
def _hears():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def press():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(10)


def test_who_listens_tells_the_two_apart():
    with listening():
        assert not asked_to_stop(KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt) as caught:
            press()
        assert asked_to_stop(caught.value)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_where_nobody_listens_it_counts_as_a_persons():
    assert asked_to_stop(KeyboardInterrupt())
    assert not asked_to_stop(SystemExit())


def test_where_it_is_ignored_it_is_nobodys():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    assert not asked_to_stop(KeyboardInterrupt())


def test_in_another_thread_it_is_nobodys():
    found = []
    thread = threading.Thread(target=lambda: found.append(asked_to_stop(KeyboardInterrupt())))
    thread.start()
    thread.join()
    assert found == [False]


def test_another_handler_stays_where_it_is():
    def own(_number, _frame):
        pass

    signal.signal(signal.SIGINT, own)
    with listening():
        assert signal.getsignal(signal.SIGINT) is own


def test_what_is_contained_is_one_line_and_the_rest_goes_on():
    with listening():
        for raised in (KeyboardInterrupt(), SystemExit(0), GeneratorExit()):
            with pytest.raises(AuditError, match=f"^it raised {type(raised).__name__}"), handle_ctrl_c_here("it"):
                raise raised
        with pytest.raises(InputError), handle_ctrl_c_here("it"):
            raise InputError("bad", allowed="good")
        with pytest.raises(SystemExit), handle_ctrl_c_here("it", SystemExit):
            raise SystemExit
        with pytest.raises(KeyboardInterrupt), handle_ctrl_c_here("it"):
            press()
