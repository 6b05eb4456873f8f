"""What a family of processes holds: of its own and shared, what it shares within itself once."""

from __future__ import annotations

import mmap
import os
import signal
import sys
import time

import pytest

from dpverify.runner.memory import memory_of_machine, share_of_machine, use_more_than

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the system's own way, on Linux")
MANY = 2**28


def child(work):
    """A process that did `work` and waits."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        work()
        os.write(writer, b"x")
        time.sleep(60)
        os._exit(0)
    os.read(reader, 1)
    os.close(reader)
    os.close(writer)
    return pid


def end(pid):
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def test_shared_maps_count():
    kept = []

    def work():
        kept.append(mmap.mmap(-1, MANY))
        kept[0].write(b"x" * MANY)
        time.sleep(0.01)

    pid = child(work)
    try:
        assert use_more_than([pid], MANY / 2)
        assert not use_more_than([pid], 16 * MANY)
    finally:
        end(pid)


def test_what_processes_share_with_one_another_counts_once():
    """A copy of a process holds what it has not changed together with it; each counts a part."""
    kept = bytearray(os.urandom(2**20) * (MANY // 2**20))
    alone = os.getpid()
    held = MANY / 4
    while use_more_than([alone], held):  # whatever else this process has kept by now
        held += MANY / 4

    def work():
        assert kept[-1] >= 0

    pid = child(work)
    try:
        assert not use_more_than([alone, pid], held + MANY / 2)
    finally:
        end(pid)


def test_who_is_gone_holds_nothing():
    pid = child(lambda: None)
    end(pid)
    assert not use_more_than([pid], 0)


def test_the_share_leaves_something_to_the_machine():
    assert 0 < share_of_machine() < memory_of_machine()
