"""Code as people write it, under record: what keeps the account of its noise, and that the original stays as it was."""

from __future__ import annotations

import dataclasses
import functools
import threading
from typing import Any

import numpy as np
import pytest

import dpverify as dpv
from dpverify.adapters.recorded_callable import RecordedCallable
from dpverify.core.transcript import Transcript
from dpverify.core.verdict import Status
from dpverify.recording import builtin_wrappers
from dpverify.recording.builtin_wrappers import KeepingFloat, KeepingInt
from dpverify.recording.traced_array import TracedArray
from dpverify.sampling.streams import stream

DATA = np.array([0.25, 0.5, 1.0])


def recorded(function: Any, data: Any = DATA) -> Transcript:
    with dpv.record(stream(0, "everyday")) as recording:
        recording.run(function, data)
    return recording.transcript


def kinds(function: Any) -> list[str]:
    return [step.kind for step in recorded(function).steps if step.kind != "public"]


@dataclasses.dataclass(frozen=True)
class Answer:
    total: float
    counts: np.ndarray


def in_place(data, rng):
    counts = np.array([data.sum(), data.max()])
    counts += rng.laplace(size=2)
    return counts


def out_of_place(data, rng):
    return np.clip(np.array([data.sum(), data.max()]) + rng.laplace(size=2), 0.0, None).astype(int)


def a_record(data, rng):
    return Answer(total=float(data.sum() + rng.laplace()), counts=np.arange(2.0) + rng.laplace(size=2))


def nested(data, rng):
    return {"all": (data.sum() + rng.laplace(), [int(data.sum() + rng.laplace())])}


def bounded(data, rng):
    return max(0, min(data.sum() + rng.laplace(), 5.0))


def rounded(data, rng):
    return round(data.sum() + rng.laplace(), 2)


def rounded_array(data, rng):
    return np.round(np.maximum(data + rng.normal(size=3), 0.0), 1)


def bounded_number(data, rng):
    return np.maximum(data.sum() + rng.laplace(), 0.0), np.clip(data.sum() + rng.laplace(), 0.0, 4.0)


def mean_of_noisy(data, rng):
    noisy = data + rng.normal(size=3)
    return np.mean(noisy), np.where(data > 0.3, noisy, 0.0)


class Mechanism:
    def __init__(self) -> None:
        self.scale = 2.0

    def noisy(self, total, rng):
        return float(total + rng.laplace(scale=self.scale))

    def __call__(self, data, rng):
        return int(round(self.noisy(np.sum(data), rng), 1))

    def method(self, data, rng):
        return self.noisy(np.sum(data), rng)


def wrapped(function):
    @functools.wraps(function)
    def outer(data, rng):
        return function(data, rng)

    return outer


KEPT = [
    in_place,
    out_of_place,
    a_record,
    nested,
    bounded,
    rounded,
    rounded_array,
    bounded_number,
    mean_of_noisy,
    Mechanism(),
    Mechanism().method,
    wrapped(nested),
    functools.partial(rounded),
]


@pytest.mark.parametrize("function", KEPT, ids=lambda each: getattr(each, "__name__", type(each).__name__))
def test_everyday_code_keeps_the_account(function) -> None:
    assert set(kinds(function)) == {"noisy"}
    callable_ = RecordedCallable(function, "f")
    for seed in range(20):
        assert callable_.fresh(DATA, rng=stream(seed, "fresh")) is not None  # the untouched function shows the same


def by_item(data, rng):
    counts = np.zeros(2)
    counts[0] = data.sum() + rng.laplace()
    return counts


def branches(data, rng):
    noisy = data.sum() + rng.laplace()
    return noisy if noisy > 0 else 0.0


def larger_of_two(data, rng):
    return max(data.sum() + rng.laplace(), data.max() + rng.laplace())


def root(data, rng):
    return np.sqrt(np.abs(data + rng.laplace(size=3)))


@pytest.mark.parametrize("function", [by_item, branches, larger_of_two, root])
def test_what_does_not_keep_it_is_a_hidden_coin(function) -> None:
    """The list in the documentation of ``dpverify.record``."""
    assert kinds(function)[0] == "coin"


def another_name(data, rng):
    counts = np.array([data.sum()])
    same = counts
    counts += rng.laplace(size=1)
    return same


def test_an_array_with_another_name_is_not_believed() -> None:
    """The recorded run would show the sum itself: a false proof, but for the untouched function's runs."""
    result = dpv.audit_replay(another_name, DATA, DATA[:2], claim=dpv.PureDP(epsilon=1.0))
    assert result.verdict is not Status.REFUTED
    assert result.evidence is not None
    assert "other values" in result.evidence.statistics["plain_numbers"]


@pytest.mark.parametrize("function", [rounded, bounded, out_of_place, bounded_number])
def test_rounded_and_bounded_noise_is_no_certain_difference(function) -> None:
    result = dpv.audit_replay(function, DATA, np.array([0.25, 0.5, 0.9]), claim=dpv.PureDP(epsilon=1.0))
    assert result.verdict is Status.NOT_REFUTED


def test_the_difference_of_a_number_and_its_rounding_is_not_nothing() -> None:
    def rest(data, rng):
        noisy = data.sum() + rng.laplace()
        whole = round(noisy)
        return [noisy - whole, whole - whole]

    steps = recorded(rest).steps
    assert [step.law for step in steps if step.kind == "noisy"] == ["other"]
    assert steps[1].value[1] == 0.0


# ---- the stand-ins ----


def test_the_names_are_lent_for_the_time_of_the_run_only() -> None:
    def raises(data, rng):
        assert float is KeepingFloat
        raise KeyError

    assert "float" not in globals()
    with pytest.raises(KeyError):
        recorded(raises)
    assert not set(builtin_wrappers.STAND_INS) & set(globals())

    def inner(data, rng):
        with dpv.record(stream(1, "inner")) as recording:
            recording.run(rounded, data)
        assert float is KeepingFloat
        return float(data.sum() + rng.laplace())

    assert kinds(inner) == ["noisy"]
    assert not set(builtin_wrappers.STAND_INS) & set(globals())


def test_two_threads_may_record_at_once() -> None:
    found: list[list[str]] = []
    both = threading.Barrier(2)

    def waits(data, rng):
        both.wait()
        number = float(data.sum() + rng.laplace())
        both.wait()
        return number

    threads = [threading.Thread(target=lambda: found.append(kinds(waits))) for _ in range(2)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(found) == 2
    assert not set(builtin_wrappers.STAND_INS) & set(globals())


def test_with_plain_numbers_the_stand_ins_are_the_originals() -> None:
    assert (KeepingFloat("1.5"), KeepingInt("11", 2), KeepingInt(2.7)) == (1.5, 3, 2)
    assert isinstance(1.0, KeepingFloat)
    assert not isinstance(1, KeepingFloat)
    assert isinstance(True, KeepingInt)
    assert issubclass(np.float64, KeepingFloat)
    assert KeepingFloat.fromhex("0x1p1") == 2.0
    assert np.zeros(2, dtype=KeepingInt).dtype == np.dtype(int)
    assert np.zeros(2, dtype=KeepingFloat).dtype == np.dtype(float)
    largest, smallest = builtin_wrappers.STAND_INS["max"], builtin_wrappers.STAND_INS["min"]
    assert (largest(1, 2), smallest([3, 1]), largest([], default=7), smallest("ab", "b", key=len)) == (2, 1, 7, "b")


def test_an_array_of_noisy_numbers_stays_one() -> None:
    def mechanism(data, rng):
        noisy = data + rng.normal(size=3)
        for each in (noisy[1:], -noisy, noisy.astype(float), np.concatenate([noisy, data]), noisy.reshape(3, 1)):
            assert isinstance(each, TracedArray)
        return np.concatenate([noisy, data - data])

    assert kinds(mechanism) == ["noisy"]


@pytest.mark.parametrize("size", [None, 1, (2, 3)])
@pytest.mark.parametrize(("loc", "scale"), [(0.0, 1.0), (2, 0.5), (-1.5, 3), (4.0, 0), (1, 0.0)])
def test_plain_numbers_and_numbers_of_numpy_give_the_same_noise(size, loc, scale) -> None:
    """Plain ones, as in most calls, have a shorter way."""

    def made(kind):
        with dpv.record(np.random.default_rng(5)) as recorded:
            noise = np.ravel(recorded.rng.laplace(kind(loc), kind(scale), size)).tolist()
            return [(getattr(each, "value", each), getattr(each, "clean", None)) for each in noise]

    assert made(lambda each: each) == made(np.asarray)
    assert {clean is None for _, clean in made(np.asarray)} == {scale == 0}
