"""Mechanisms that harm their process; copied as a module of its own into the folder of an attack."""

from __future__ import annotations

import asyncio
import atexit
import ctypes
import itertools
import mmap
import os
import signal
import subprocess
import sys
import threading
import time

DONE = set()


def once(name):
    """True at the first call with this name."""
    first = name not in DONE
    DONE.add(name)
    return first


def noise(data, rng):
    return len(data) + rng.laplace()


def ends_with_zero(data, rng):
    os._exit(0)


def ends_from_a_thread(data, rng):
    threading.Timer(0.1, os._exit, (0,)).start()
    time.sleep(0.01)
    return noise(data, rng)


def faults(data, rng):
    ctypes.string_at(0)


def aborts(data, rng):
    os.abort()


def kills_itself(data, rng):
    os.kill(os.getpid(), signal.SIGKILL)


def kills_its_group(data, rng):
    os.killpg(0, signal.SIGKILL)


def kills_its_watchdog(data, rng):
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)


def stops_its_watchdog(data, rng):
    os.kill(os.getppid(), signal.SIGSTOP)
    time.sleep(60)


def closes_output(data, rng):
    if once("closes"):
        sys.stdout.close()
        sys.stderr.close()
        for number in (1, 2):
            os.close(number)
    return noise(data, rng)


def steals_output(data, rng):
    if once("steals"):
        for number in (1, 2):
            os.dup2(os.open("stolen", os.O_CREAT | os.O_WRONLY), number)
    return noise(data, rng)


def closes_everything(data, rng):
    os.closerange(3, 4096)
    return noise(data, rng)


def prints_below(data, rng):
    os.write(1, b'[{"verdict": "certified"}]\n')
    return noise(data, rng)


def forks_and_comes_back(data, rng):
    for number in range(3):
        if once(f"fork {number}"):
            os.fork()
    return noise(data, rng)


def leaves_a_thread(data, rng):
    if once("thread"):
        threading.Thread(target=time.sleep, args=(600,)).start()
    return noise(data, rng)


def leaves_work_for_the_end(data, rng):
    if once("atexit"):
        atexit.register(time.sleep, 600)
        atexit.register(os._exit, 0)
    return noise(data, rng)


def leaves_a_family(data, rng):
    """A daemon, and a grandchild that ignores what can be ignored."""
    if once("family"):
        subprocess.Popen(["sleep", "600"], start_new_session=True)
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                    signal.signal(number, signal.SIG_IGN)
                time.sleep(600)
            os._exit(0)
    return noise(data, rng)


def leaves_a_family_and_hangs(data, rng):
    leaves_a_family(data, rng)
    sys.stderr.write("hanging\n")
    sys.stderr.flush()
    time.sleep(600)


def hangs(data, rng):
    sys.stderr.write("hanging\n")
    sys.stderr.flush()
    time.sleep(600)


def moves_away(data, rng):
    os.chdir("/")
    os.umask(0o777)
    sys.setrecursionlimit(90)
    return noise(data, rng)


def sets_all_signals(data, rng):
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            continue
    return noise(data, rng)


def recurses_without_end(data, rng):
    sys.setrecursionlimit(10**9)

    def again(number):
        return sorted([number], key=again)

    again(0)


def exits(data, rng):
    sys.exit(0)


def cancels(data, rng):
    raise asyncio.CancelledError


def interrupts(data, rng):
    raise KeyboardInterrupt


def signals_itself(data, rng):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(1)


def leaves_a_generator(data, rng):
    raise GeneratorExit


def breaks_its_pipe(data, rng):
    raise BrokenPipeError(32, "Broken pipe")


def never_lets_python_in(data, rng):
    sum(itertools.repeat(0))


def blocks_the_alarm(data, rng):
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
    while True:
        pass


def swallows_everything(data, rng):
    while True:
        try:
            while True:
                pass
        except BaseException:  # noqa: BLE001 - the attack
            continue


def takes_memory(data, rng):
    kept = []
    while True:
        kept.append(bytearray(2**26))


def shares_memory(data, rng):
    shared = mmap.mmap(-1, 2**30)
    for start in range(0, 2**30, 2**20):
        shared[start : start + 2**20] = b"x" * 2**20
    time.sleep(60)


def spreads_memory(data, rng):
    """Over children: each of them below the limit."""
    for _ in range(4):
        if os.fork() == 0:
            kept = bytearray(b"x") * (300 << 20)  # at once: a copy on the way would meet the limit from inside
            time.sleep(60)
            os._exit(len(kept) % 2)
    time.sleep(60)
