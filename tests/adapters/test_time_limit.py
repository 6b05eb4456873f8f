"""Limits on a call and on the whole, in the main thread and in others; what they do not break into."""

import math
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import dpverify as dpv
from dpverify.adapters import time_limit
from dpverify.adapters.callable_mechanism import CallableMechanism
from dpverify.adapters.time_limit import Interrupted, OutOfTimeError, TimeLimit
from dpverify.core.errors import InputError
from dpverify.core.verdict import Status

SOON = 0.05
CLAIM = dpv.PureDP(epsilon=1.0)


def endless(data, rng):
    while True:
        pass


def endless_on_more(data, size, rng):
    while len(data) > 1:
        pass
    return rng.laplace(size=size)


def stubborn(data, rng):
    for _ in range(3):
        try:
            endless(data, rng)
        except Exception:  # noqa: BLE001 - what an Interrupted must get past
            continue
        except BaseException:  # noqa: BLE001 - swallowed: it comes again
            continue
    endless(data, rng)


def swallows(data, rng):
    try:
        endless(data, rng)
    except BaseException:  # noqa: BLE001 - the fault
        return 1.0


def in_thread(work):
    """What `work()` returns or raises in another thread."""
    found = []

    def run():
        try:
            found.append(work())
        except BaseException as problem:  # noqa: BLE001 - handed over
            found.append(problem)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found[0]


def draw_endlessly(function):
    with TimeLimit(per_call=SOON) as limit:
        CallableMechanism(function, limit=limit).sample([1], 1, rng=np.random.default_rng(0))


@pytest.mark.parametrize("function", [endless, stubborn])
def test_a_call_that_does_not_end_is_one_line_that_names_the_limit(function):
    with pytest.raises(InputError, match=r"one call of \w+ ran longer than its limit of 0\.05 s") as caught:
        draw_endlessly(function)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("function", [endless, stubborn])
def test_in_another_thread_too(function):
    problem = in_thread(lambda: draw_endlessly(function))
    assert isinstance(problem, InputError)
    assert "ran longer than its limit of 0.05 s" in str(problem)


def test_a_sleep_is_broken_into():
    began = time.monotonic()
    with pytest.raises(InputError, match="ran longer"):
        draw_endlessly(lambda data, rng: time.sleep(60))
    assert time.monotonic() - began < 30  # no speed: a minute was asked for


def test_c_code_that_holds_the_interpreter_is_refused_when_it_returns():
    with pytest.raises(InputError, match="ran longer"):
        draw_endlessly(lambda data, rng: float(sum(range(20_000_000))))


@pytest.mark.parametrize("inside", [lambda work: work(), in_thread])
def test_a_call_that_swallows_the_ring_and_returns_is_refused_all_the_same(inside):
    def work():
        try:
            draw_endlessly(swallows)
        except InputError as problem:
            return str(problem)

    assert "ran longer" in inside(work)


@pytest.mark.parametrize("inside", [lambda work: work(), in_thread])
def test_calls_in_time_go_on_and_nothing_rings_later(inside):
    def work():
        with TimeLimit(per_call=0.5, seconds=100) as limit:
            mechanism = CallableMechanism(lambda data, rng: 1.0, limit=limit)
            outputs = mechanism.sample([1], 200, rng=np.random.default_rng(0))
            until = time.monotonic() + 0.6  # longer than one call may take, and between calls
            while time.monotonic() < until:
                pass
        return outputs.sum()

    assert inside(work) == 200


def test_the_whole_limit_breaks_into_calls_and_into_what_is_between():
    for work in (
        lambda limit: CallableMechanism(endless, limit=limit).sample([1], 1, rng=None),
        lambda _: endless(0, 0),
    ):
        with (
            pytest.raises(OutOfTimeError, match=r"limit of 0\.05 s for the whole audit"),
            TimeLimit(seconds=SOON, per_call=100) as limit,
        ):
            work(limit)


TRACED_LATER = """
import sys, threading, time
from dpverify.adapters.time_limit import Interrupted, TimeLimit
from tests.adapters.test_time_limit import SOON, draw_endlessly, endless, in_thread, swallows

for function in (endless, swallows):
    print(in_thread(lambda: draw_endlessly(function)))

def traced():
    return "done"

sys.settrace(lambda *_: None)
traced()
sys.settrace(None)
print(traced())
"""


def test_no_note_of_a_pending_exception_is_left_behind():
    run = subprocess.run([sys.executable, "-c", TRACED_LATER], capture_output=True, text=True, timeout=120, check=False)
    assert run.stdout.count("ran longer than its limit") == 2, run.stderr
    assert run.stdout.endswith("done\n")


def test_another_timer_is_put_back():
    rang = []
    before = signal.signal(signal.SIGALRM, lambda *_: rang.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 100.0)
        with TimeLimit(seconds=50):
            assert signal.getitimer(signal.ITIMER_REAL)[0] <= 50
        assert 50 < signal.getitimer(signal.ITIMER_REAL)[0] <= 100
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.raise_signal(signal.SIGALRM)
        assert rang == [1]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("value", [0, -1, 1e300, math.inf, math.nan])
def test_limits_are_finite_and_positive(value):
    with pytest.raises(InputError, match="max_seconds = "):
        TimeLimit(seconds=value)
    with pytest.raises(InputError, match="max_seconds_per_call = "):
        TimeLimit(per_call=value)


def test_interrupted_is_no_exception_that_a_callable_may_handle():
    assert not issubclass(Interrupted, Exception)


# Whole audits


def test_an_audit_that_the_clock_stops_is_inconclusive_and_shows_no_number():
    def slow(data, rng):
        time.sleep(0.001)
        return len(data) + rng.laplace() * 1e-9  # so leaky that any bound from the draws made would refute

    result = dpv.audit(slow, [1, 2], [1], claim=CLAIM, max_seconds=0.5, max_seconds_per_call=10)
    assert result.verdict is Status.INCONCLUSIVE
    assert result.epsilon_lower is None
    assert result.evidence is None
    assert "thrown away" in result.row.verdict.reason


def test_an_audit_with_time_enough_gives_the_same_bits_as_one_without_a_limit():
    def noisy(data, size, rng):
        return len(data) + rng.laplace(scale=0.5, size=size)

    free, limited = (
        dpv.audit(noisy, [1, 2], [1], claim=CLAIM, trials=5000, max_seconds=seconds, max_seconds_per_call=seconds)
        for seconds in (None, 300.0)
    )
    assert free.evidence.statistics == limited.evidence.statistics
    assert free.verdict is limited.verdict is Status.REFUTED


def test_an_endless_neighbour_is_one_line():
    with pytest.raises(InputError, match=r"endless_on_more ran longer than its limit of 0\.2 s"):
        dpv.audit(endless_on_more, [1, 2], [1], claim=CLAIM, trials=2000, max_seconds_per_call=0.2)


def test_time_that_is_over_in_the_first_look_is_an_error_with_status_three():
    with pytest.raises(OutOfTimeError) as caught:
        dpv.audit(endless, [1, 2], [1], claim=CLAIM, trials=2000, max_seconds=0.1)
    assert caught.value.exit_status == 3


class _Deaf:
    """An interrupt that meets `__del__` cannot be raised there."""

    def __del__(self):
        time.sleep(2 * SOON)  # longer than the limit


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")
def test_an_interrupt_where_none_can_be_raised_is_not_told_and_comes_again(monkeypatch):
    told = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)
    before = sys.unraisablehook
    with pytest.raises(OutOfTimeError), TimeLimit(seconds=SOON):
        endless(type(_Deaf()), None)  # it is gone before the loop begins
    assert told == [] and sys.unraisablehook is before
    with TimeLimit(seconds=60.0):
        _Broken()
    assert [str(each.exc_value) for each in told] == ["its own"]  # what is not ours is told


class _Broken:
    def __del__(self):
        raise ValueError("its own")


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")
def test_a_short_call_after_a_longer_one_is_stopped_in_time():
    """The timer is not set for each call; one that rings early, or too late for this call, is set anew."""
    limit = TimeLimit(per_call=0.4)
    with limit:
        for _ in range(1000):
            with limit.call("f"):
                pass
        time.sleep(0.5)  # the ring of those calls comes here, and stops nothing
        begun = time.monotonic()
        with pytest.raises(InputError, match=r"longer than its limit of 0.4 s"), limit.call("f"):
            endless(None, None)
        assert time.monotonic() - begun < 5.0


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")
def test_a_callable_that_stops_the_timer_is_limited_again_a_second_later(monkeypatch):
    limit = TimeLimit(per_call=30.0)
    with limit:
        with limit.call("f"):
            signal.setitimer(signal.ITIMER_REAL, 0.0)
        with limit.call("f"):
            assert signal.getitimer(signal.ITIMER_REAL)[0] == 0.0
        monkeypatch.setattr(time_limit, "KEPT", 0.0)
        with limit.call("f"):
            assert 25.0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 30.0
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0.0


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")
def test_calls_make_no_system_calls_each(monkeypatch):
    sets = []
    real = signal.setitimer
    monkeypatch.setattr(signal, "setitimer", lambda *words: sets.append(words) or real(*words))
    limit = TimeLimit(per_call=30.0)
    with limit:
        for _ in range(1000):
            with limit.call("f"):
                pass
    assert len(sets) < 10
