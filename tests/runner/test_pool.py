"""Worker processes that crash, hang, eat memory, print or leave: each takes its own unit with it and nothing else."""

from __future__ import annotations

import asyncio
import mmap
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import joblib
import pytest

from dpverify.core.errors import AuditError, InputError
from dpverify.runner import pool as pool_module
from dpverify.runner import subprocess_guard
from dpverify.runner.limits import Limits
from dpverify.runner.memory import memory_of_machine
from dpverify.runner.pool import Pool
from dpverify.runner.store.schema import StoreError
from dpverify.runner.subprocess_guard import begun_file, last_lines, printed_file, worker_of_unit
from tests import forked

ROOT = Path(__file__).parents[2]


@pytest.fixture
def cold_workers():
    """Workers as users have them, which import everything anew."""


@pytest.fixture(autouse=True)
def forked_workers(request, monkeypatch):
    """The others are forked, each test's anew."""
    if "cold_workers" not in request.fixturenames:
        for name, value in forked.forking_workers().items():
            monkeypatch.setattr(pool_module, name, value)
    yield
    pool_module.end_workers()


def square(place):
    return place * place


def crash_at(crash, place):
    if place == 2:
        sys.stdout.write("about to fall\n")
        sys.stdout.flush()
        crash()
    time.sleep(0.05)
    return place


def leave():
    os._exit(3)


def fault():
    os.kill(os.getpid(), signal.SIGSEGV)


def once(folder, place):
    """Dies the first time it is at work, as if somebody had killed it."""
    mark = folder / f"{place}.tried"
    if place == 1 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return place


def endless(place):
    subprocess_guard.begin_audits()
    while place == 1:
        pass
    return place


def greedy(place):
    if place == 1:
        taken = bytearray(3 * 2**30)
        return len(taken)
    return place


def prints(place):
    sys.stdout.write(f"hello from {place}\n")
    os.write(2, b"and from below\n")
    return place


def fails(place):
    if place == 0:
        raise ValueError("two\nlines")
    return place


def never(place):
    time.sleep(600)


def no_room(place):
    raise StoreError("no room for the store")


def bad_input(place):
    raise InputError("trials = -1", allowed="more", remedy="pass some")


KEPT = []


def grows(size, place):
    time.sleep(0.6)  # loky looks at a worker's memory once a second
    KEPT.append(b"x" * size)
    return os.getpid()


def maps_much(place):
    """Shared memory, of which RLIMIT_DATA knows nothing."""
    if place == 1:
        shared = mmap.mmap(-1, 2**30)
        for start in range(0, 2**30, 2**20):
            shared[start : start + 2**20] = b"x" * 2**20
        time.sleep(600)
    return place


class Unforeseen(BaseException):
    pass


class UnfitError(Exception):
    """Cannot be made again from its arguments."""

    def __init__(self, first, second):
        super().__init__("unfit")


class HostileError(Exception):
    def __reduce__(self):
        return os._exit, (0,)


def raises(what, place):
    if place == 1:
        raise what
    return place


def slow_to_begin(place):
    """As if the imports of a worker took long; the claim itself takes no time."""
    time.sleep(2.0)
    subprocess_guard.begin_audits()
    return place


def clock_is_set(place):
    subprocess_guard.begin_audits()
    return time.monotonic() > 0 and place


def prints_until_its_file_begins_anew(place):
    subprocess_guard.begin_audits()
    most = 0
    while os.fstat(1).st_size >= most:
        most = os.fstat(1).st_size
        os.write(1, b"x" * 2**14)
        time.sleep(0.01)
    return place


def outcomes(work, count=4, *, jobs=2, deadline=None, **limits):
    with Pool(work, jobs=jobs, limits=Limits(**limits)) as pool:
        found = list(pool.run(range(count), deadline=deadline))
    return {place: (result, problem) for place, result, problem in found}


@pytest.mark.parametrize("jobs", [1, 2])
def test_every_place_once(jobs):
    assert outcomes(square, 9, jobs=jobs) == {place: (place * place, "") for place in range(9)}


@pytest.mark.parametrize(
    ("crash", "said"),
    [(leave, "about to fall"), (fault, "about to fall / Fatal Python error: Segmentation fault")],
)
def test_who_dies_again_alone_is_an_error_with_its_last_lines_and_the_others_finish(cold_workers, crash, said):
    found = outcomes(partial(crash_at, crash))
    assert {place: found[place] for place in (0, 1, 3)} == {0: (0, ""), 1: (1, ""), 3: (3, "")}
    result, problem = found[2]
    assert result is None
    assert "its process died twice" in problem
    assert problem.endswith(f"it printed last: {said}")


def test_whose_worker_was_killed_from_outside_finishes(cold_workers, tmp_path):
    assert outcomes(partial(once, tmp_path)) == {place: (place, "") for place in range(4)}


def test_who_takes_too_long_is_killed_and_named():
    found = outcomes(endless, seconds_per_claim=1.0)
    assert found[1] == (None, "ran longer than the 1 s that one claim may take (--max-seconds-per-claim)")
    assert [found[place] for place in (0, 2, 3)] == [(0, ""), (2, ""), (3, "")]


def test_what_comes_before_the_claims_own_work_is_not_its_time():
    assert outcomes(slow_to_begin, 2, seconds_per_claim=1.0) == {0: (0, ""), 1: (1, "")}


def test_a_step_of_the_clock_is_not_time_that_passed(monkeypatch):
    """An hour forward between the worker's mark and the parent's look."""
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + 3600.0)
    assert outcomes(clock_is_set, 2, seconds_per_claim=60.0) == {0: (0, ""), 1: (1, "")}


@pytest.mark.parametrize(
    "what",
    [SystemExit(0), KeyboardInterrupt(), GeneratorExit(), asyncio.CancelledError(), Unforeseen("two\nlines")],
    ids=lambda what: type(what).__name__,
)
def test_what_is_no_exception_is_an_error_of_its_own(what):
    found = outcomes(partial(raises, what), 3)
    assert found[1] == (None, f"{type(what).__name__}: {what}")
    assert [found[place] for place in (0, 2)] == [(0, ""), (2, "")]


@pytest.mark.parametrize(
    "kind", [partial(UnfitError, 1, 2), HostileError], ids=["cannot travel", "acts when unpickled"]
)
def test_an_exception_that_cannot_travel_is_an_error_of_its_own(kind):
    """Raised inside, since it could not be sent there either."""
    found = outcomes(partial(_raises_made, kind), 2)
    assert found[0] == (0, "")
    assert found[1][0] is None
    assert found[1][1].startswith(("UnfitError", "HostileError"))


def _raises_made(kind, place):
    if place == 1:
        raise kind()
    return place


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems limit no memory here")
def test_shared_memory_counts(cold_workers):
    """One that is forked from a large process would be beyond the limit before it begins."""
    found = outcomes(maps_much, memory=2**29)
    assert found[1] == (
        None,
        "took more than the 0.5 GB of memory that it may (--max-memory), shared memory and children included",
    )
    assert [found[place] for place in (0, 2, 3)] == [(0, ""), (2, ""), (3, "")]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems limit no memory here")
def test_who_eats_memory_fails_alone():
    found = outcomes(greedy, memory=2**31)
    assert found[1][0] is None
    assert "MemoryError" in found[1][1]
    assert [found[place] for place in (0, 2, 3)] == [(0, ""), (2, ""), (3, "")]


def test_an_exception_is_one_of_its_own():
    found = outcomes(fails, 2)
    assert found[0] == (None, "ValueError: two\nlines")
    assert found[1] == (1, "")


def test_bad_input_comes_back_as_what_it_is():
    assert outcomes(bad_input, 1)[0] == (None, "InputError: trials = -1; allowed: more; pass some")


def test_a_store_that_fails_ends_the_run_and_is_no_outcome():
    with pytest.raises(StoreError, match="no room for the store"):
        outcomes(no_room)


def deaf(place):
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="no masks here")
def test_no_worker_hears_ctrl_c_from_its_first_moment_on():
    """In a fresh interpreter: what runs beside the workers is started with the first of them."""
    script = "from tests.runner.test_pool import deaf, outcomes; print(sorted(outcomes(deaf, 2).items()))"
    found = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[(0, (True, '')), (1, (True, ''))]"


@pytest.mark.parametrize(("size", "workers"), [(600_000_000, 2), (100_000_000, 1)])
def test_workers_that_grow_by_more_than_a_data_set_are_replaced_without_a_word(size, workers, recwarn):
    pool_module.end_workers()
    with Pool(partial(grows, size), jobs=1, limits=Limits()) as pool:
        found = {place: pid for place, pid, _ in pool.run(range(6))}
    assert list(found) == list(range(6))
    assert len(set(found.values())) == workers
    assert [str(one.message) for one in recwarn] == []


def test_prints_without_end_do_not_fill_the_disk(monkeypatch):
    monkeypatch.setattr(subprocess_guard, "MOST_KEPT", 2**20)
    assert outcomes(prints_until_its_file_begins_anew, 1, seconds_per_claim=60.0)[0] == (0, "")


def test_prints_do_not_reach_the_terminal(capfd):
    with Pool(prints, jobs=1, limits=Limits()) as pool:
        assert len(list(pool.run([0, 1]))) == 2
        assert last_lines(pool.folder, 1) == "hello from 1 / and from below"
    assert capfd.readouterr() == ("", "")
    assert not pool.folder.exists()


def test_the_deadline_leaves_the_rest_and_nobody_behind():
    begun = time.monotonic()
    with Pool(never, jobs=2, limits=Limits()) as pool:
        assert list(pool.run(range(3), deadline=time.monotonic() + 3.0)) == []
        pids = [mark["pid"] for place in range(3) if (mark := worker_of_unit(pool.folder, place))]
    assert time.monotonic() - begun < 300  # no speed: ten minutes were asked for
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_pools_that_break_before_anything_began_are_given_up(monkeypatch):
    monkeypatch.setattr(pool_module, "_work", lambda *_: os._exit(1))
    with pytest.raises(AuditError, match="die before they begin"):
        outcomes(square)


def test_last_lines_are_one_short_line_that_can_be_shown(tmp_path):
    assert last_lines(tmp_path, 0) == ""
    assert worker_of_unit(tmp_path, 0) is None
    printed_file(tmp_path, 0).write_bytes(b"first\n\n" + b"\x1b[31mred\x07\xff\n" * 3 + b"x" * 5000)
    shown = last_lines(tmp_path, 0)
    assert shown.startswith("... ")
    assert len(shown) <= 404
    assert shown.isprintable()
    begun_file(tmp_path, 0).write_text("{")
    assert worker_of_unit(tmp_path, 0) is None


def test_the_machine_says_its_memory():
    assert memory_of_machine() > 2**28


def test_others_in_this_process_may_use_joblibs_own_workers():
    """`ledger --refresh` does: rows are decided in a pool, and then their parts are made."""
    assert outcomes(square, 4) == {place: (place * place, "") for place in range(4)}
    assert joblib.Parallel(n_jobs=2)(joblib.delayed(square)(place) for place in range(4)) == [0, 1, 4, 9]
    assert outcomes(square, 4) == {place: (place * place, "") for place in range(4)}
