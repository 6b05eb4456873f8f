"""The watchdog: a result that comes through whole or one line, whatever the work does, and nobody left behind.

Who holds a pipe's end is alive: the pipe's reader comes to its end when the last of them is gone. A process that slept
through to `LONG` says so instead.
"""

from __future__ import annotations

import asyncio
import ctypes
import faulthandler
import itertools
import json
import math
import mmap
import os
import signal
import sys
import threading
import time
from contextlib import suppress

import pytest

from dpverify.core import watchdog_page
from dpverify.core.errors import AuditError, InputError
from dpverify.runner import watched_process
from dpverify.runner.memory import limit_memory_with_children
from dpverify.runner.watchdog import MOST
from dpverify.runner.watched_process import ReportedError, WatchedProcess

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
linux = pytest.mark.skipif(sys.platform != "linux", reason="the system's own way, on Linux")
LONG = 60.0


@pytest.fixture
def life():
    """``(fork, ended)``: fork a process that sleeps, and whether all of them were killed."""
    reader, writer = os.pipe()

    def fork(*, away=False):
        if os.fork() == 0:
            if away:
                os.setsid()
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                if os.fork() != 0:
                    os._exit(0)
            time.sleep(LONG)
            os.write(writer, b"alive")
            os._exit(0)

    def ended():
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            return pipe.read() == b""

    return fork, ended


def refused(work):
    """The line and the exit status that come in the place of a result."""
    with pytest.raises((InputError, AuditError)) as caught:
        WatchedProcess(work).result()
    return str(caught.value), caught.value.exit_status


@linux
@pytest.mark.parametrize("away", [False, True])
def test_a_forked_process_keeps_no_result_waiting_and_is_killed(life, away):
    fork, ended = life

    def work():
        fork(away=away)
        return "x" * 10**6  # more than a pipe holds at once

    assert WatchedProcess(work).result() == "x" * 10**6
    assert ended()


def test_a_death_is_seen_though_a_forked_process_holds_the_pipe(life):
    fork, ended = life

    def work():
        fork()
        os._exit(7)

    line, status = refused(work)
    assert "died (exit status 7)" in line
    assert status == 3
    assert ended()


def segmentation_fault():
    ctypes.string_at(0)


def abort():
    os.abort()


@pytest.mark.parametrize(
    ("end", "said"),
    [
        (lambda: os._exit(0), "exit status 0"),
        (lambda: os._exit(1), "exit status 1"),
        (segmentation_fault, "signal 11, SIGSEGV"),
        (abort, "signal 6, SIGABRT"),
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "signal 9, SIGKILL"),
        (lambda: os.killpg(0, signal.SIGKILL), "signal 9, SIGKILL"),
    ],
)
def test_an_end_without_a_result_is_one_line_and_status_three(end, said, capfd):
    line, status = refused(end)
    assert f"died ({said}) and left no result" in line
    assert status == 3


def test_a_crash_there_prints_no_stacks_of_a_test_runner_here():
    if not faulthandler.is_enabled():
        pytest.skip("the test runner has none")
    assert WatchedProcess(faulthandler.is_enabled).result() is False


def test_closed_descriptors_are_no_result():
    line, status = refused(lambda: os.closerange(0, 256))
    assert "left no result" in line or "say no more" in line
    assert status == 3


def test_a_pipe_that_is_closed_by_who_lives_on_is_no_result():
    def work():
        os.closerange(3, 64)
        time.sleep(LONG)

    assert "can say no more" in refused(work)[0]


def test_the_watchdog_may_be_killed_too():
    def work():
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(LONG)

    line, status = refused(work)
    assert "its watchdog died and left no result" in line
    assert status == 3


@pytest.mark.parametrize(
    "raised", [SystemExit(0), GeneratorExit(), asyncio.CancelledError(), KeyboardInterrupt(), RecursionError("deep")]
)
def test_whatever_is_raised_is_one_line_and_status_three(raised):
    def work():
        raise raised

    line, status = refused(work)
    assert type(raised).__name__ in line
    assert status == 3


def test_an_error_of_ours_keeps_its_line_and_its_status():
    def work():
        raise InputError("trials = 0", allowed="more")

    assert refused(work) == ("trials = 0; allowed: more", 2)


def test_no_status_of_a_message_reads_as_a_verdict():
    """Whoever writes into the pipe himself has an error, and no verdict."""
    assert refused_message({"problem": "x", "status": 0}) == ("x", 3)
    assert refused_message({"problem": "x", "status": 1}) == ("x", 3)
    for text in (b"", b"[]", b"7", b'{"status": 0}', b"[" * 100_000, b"\xff"):
        with pytest.raises(AuditError, match="left no result"):
            watched_process._result(text)


def refused_message(found):
    with pytest.raises(ReportedError) as caught:
        watched_process._result(json.dumps(found).encode())
    return str(caught.value), caught.value.exit_status


def test_a_message_without_end_is_none():
    """Written into whichever pipe is new in the work's process."""
    before = descriptors()

    def work():
        for number, _ in descriptors() - before:
            with suppress(OSError):
                os.write(number, (MOST + 1).to_bytes(8) + b"x")
        time.sleep(LONG)

    assert "can say no more" in refused(work)[0]


def descriptors():
    """What is open, by its number and its file: a number that was closed in between comes back with another file."""
    found = set()
    for number in range(4096):
        with suppress(OSError):
            found.add((number, os.fstat(number).st_ino))
    return found


def test_a_limit_on_the_page_is_kept_from_outside(life):
    fork, ended = life

    def work():
        fork()
        page = watchdog_page.current_page()
        page.say("call", "one call took too long", 2)
        page.ends("call", work, time.monotonic() + 0.3)
        sum(itertools.repeat(0))  # in C, for ever, and nothing is let in

    assert refused(work) == ("one call took too long", 2)
    assert ended()


def test_a_limit_that_is_taken_back_ends_nobody():
    def work():
        page = watchdog_page.current_page()
        page.say("whole", "too long", 3)
        page.ends("whole", work, time.monotonic() + 0.2)
        page.ends("whole", work, math.inf)
        time.sleep(0.6)
        return "done"

    assert WatchedProcess(work).result() == "done"


@linux
def test_shared_memory_counts():
    def work():
        limit_memory_with_children(2**29)
        shared = mmap.mmap(-1, 2**30)
        for start in range(0, 2**30, 2**20):
            shared[start : start + 2**20] = b"x" * 2**20
        time.sleep(LONG)

    line, status = refused(work)
    assert "more than the 0.5 GB" in line
    assert status == 3


def test_a_mechanism_that_forks_and_comes_back_twice_has_one_result():
    """The copy's comes first, and is not asked for."""

    def work():
        copy = os.fork()
        if copy == 0:
            return "copy"
        os.waitpid(copy, 0)
        return "work"

    assert WatchedProcess(work).result() == "work"


def test_a_thread_and_what_is_left_for_the_end_keep_nothing_waiting():
    import atexit

    def work():
        threading.Thread(target=time.sleep, args=(LONG,)).start()
        atexit.register(time.sleep, LONG)
        return "done"

    begun = time.monotonic()
    assert WatchedProcess(work).result() == "done"
    assert time.monotonic() - begun < LONG / 2


def test_ctrl_c_here_is_told_from_one_that_the_work_makes_itself():
    """The work hears the person's, and may make a result of it; its own is an error."""

    def work(ready):
        try:
            os.write(ready, b"x")
            time.sleep(LONG)
        except KeyboardInterrupt:
            return "told"

    reader, writer = os.pipe()
    look = WatchedProcess(lambda: work(writer))
    os.read(reader, 1)
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    assert look.result() == "told"
    for descriptor in (reader, writer):
        os.close(descriptor)

    def own():
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(LONG)

    line, status = refused(own)
    assert "KeyboardInterrupt" in line
    assert status == 3


def test_ctrl_c_of_which_the_work_makes_nothing_goes_on_to_the_caller():
    reader, writer = os.pipe()

    def work():
        os.write(writer, b"x")
        time.sleep(LONG)

    look = WatchedProcess(work)
    os.read(reader, 1)
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        look.result()
    for descriptor in (reader, writer):
        os.close(descriptor)
