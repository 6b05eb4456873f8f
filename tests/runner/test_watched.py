"""The watchdog and mechanisms that fork: a result that comes through whole, and nobody left behind.

Who holds a pipe's end is alive: the pipe's reader comes to its end when the last of them is gone. A process that slept
through to `LONG` says so instead.
"""

from __future__ import annotations

import os
import time

import pytest
from dpverify.cli.watched import Watched

from dpverify.cli import watched
from dpverify.core.errors import AuditError

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
LONG = 60.0


@pytest.fixture
def life():
    """``(fork, ended)``: fork a process that sleeps, and whether all of them were killed."""
    reader, writer = os.pipe()

    def fork():
        if os.fork() == 0:
            time.sleep(LONG)
            os.write(writer, b"alive")
            os._exit(0)

    def ended():
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            return pipe.read() == b""

    return fork, ended


def test_a_forked_process_keeps_no_result_waiting_and_is_killed(life):
    fork, ended = life

    def work():
        fork()
        return "x" * 10**6  # more than a pipe holds at once

    assert Watched(work, seconds=2 * LONG).result() == "x" * 10**6
    assert ended()


def test_a_death_is_seen_though_a_forked_process_holds_the_pipe(life):
    fork, ended = life

    def work():
        fork()
        os._exit(7)

    with pytest.raises(AuditError, match=r"died \(exit status 7\)"):
        Watched(work, seconds=2 * LONG).result()
    assert ended()


def test_what_takes_too_long_is_killed_with_all_that_it_has_forked(life, monkeypatch):
    fork, ended = life
    monkeypatch.setattr(watched, "GRACE", 0.1)

    def work():
        fork()
        time.sleep(LONG)

    with pytest.raises(AuditError, match=r"stopped 0\.1 s after the limit of 0\.5 s"):
        Watched(work, seconds=0.5).result()
    assert ended()


def test_a_mechanism_that_forks_and_comes_back_twice_has_one_result():
    """The copy's comes first, and is not asked for."""

    def work():
        copy = os.fork()
        if copy == 0:
            return "copy"
        os.waitpid(copy, 0)
        return "work"

    assert Watched(work, seconds=LONG).result() == "work"
