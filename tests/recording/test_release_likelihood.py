"""How a held run explains what was shown: certain numbers, densities in closed form, and log-ratios of answers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import dpverify as dpv
from dpverify.adapters.recorded_callable import RecordedCallable
from dpverify.core.transcript import GAUSSIAN, LAPLACE
from dpverify.recording.release_likelihood import by_noise, follows, is_certain, log_ratio
from dpverify.sampling.streams import stream

LONG, SHORT = np.array([0.5, 1.0]), np.array([0.5])


def explained(function, data, shown):
    return RecordedCallable(function, "f").explained(data, shown, rng=stream(0, "held"))


def observed(function, data):
    return RecordedCallable(function, "f").observed(data, rng=stream(0, "seen"))


def everything(data, rng):
    first = dpv.release("first", data.sum() + rng.laplace(scale=2.0))
    noise = rng.normal()
    return {"a": first / len(data), "b": data.max() + noise, "c": [noise, "label"]}


def test_answers_are_log_densities_and_certainties() -> None:
    shown = observed(everything, LONG)
    (_, (first,)), _, (_, (a, b, _, label)) = shown
    assert label == "label"
    assert a == first / 2
    for data, right in ((LONG, True), (SHORT, False)):
        found = explained(everything, data, shown)
        assert found[0] == pytest.approx(stats.laplace.logpdf(first, data.sum(), 2.0))
        assert found[1] is True  # the form of the result
        assert found[2] is right
        assert found[3] == pytest.approx(stats.norm.logpdf(b, data.max()))
        assert found[4] is right  # the same noise again: known from the number before it
        assert found[5] is True


def test_a_run_that_shows_less_more_or_something_else_does_not_explain() -> None:
    def one(data, rng):
        dpv.release("x", rng.laplace())
        return 1.0

    def two(data, rng):
        dpv.release("x", rng.laplace())
        dpv.release("y", rng.laplace())
        return 1.0

    def other(data, rng):
        dpv.release("z", rng.laplace())
        return 1.0

    for ours, theirs in ((one, two), (two, one), (one, other)):
        assert False in explained(ours, LONG, observed(theirs, LONG))
    for each in (one, two, other):
        assert False not in explained(each, LONG, observed(each, LONG))


def test_nothing_is_explained_after_a_hidden_coin_or_where_the_program_raises() -> None:
    def hidden(data, rng):
        first = dpv.release("first", rng.laplace())
        rng.integers(2)
        return first

    def raises(data, rng):
        return [1.0, 2.0][len(data)]

    assert len(explained(hidden, LONG, observed(hidden, LONG))) == 1
    assert explained(raises, LONG, observed(raises, SHORT)) == ()


def test_the_pieces() -> None:
    assert is_certain(math.nan, math.nan) is True
    assert is_certain(1.0, "a") is False
    assert follows(1.0, 1e-9, 1.0 + 1e-10) is True
    assert follows(1.0, 1e-9, 1.1) is False
    assert follows(math.inf, 1.0, math.inf) is None
    assert by_noise(LAPLACE, 0.0, 1.0, math.nan) is False  # no noise makes a NaN
    assert by_noise(GAUSSIAN, math.inf, 1.0, 0.0) is None
    assert by_noise(GAUSSIAN, 0.0, 1.0, "a") is False


@pytest.mark.parametrize(
    ("ours", "theirs", "ratio"),
    [
        ((-1.0, -2.0), (-2.0, -4.0), 3.0),
        ((True, -1.0), (True, -3.0), 2.0),
        ((-1.0, False), (-2.0, -1.0), -math.inf),
        ((-1.0, -1.0), (-2.0, False), math.inf),
        ((-1.0, False, -9.0), (-2.0, False, -1.0), 1.0),  # neither can show it: no more is said
        ((True,), (-1.0,), math.inf),
        ((-1.0,), (True,), -math.inf),
        ((None, -1.0), (-7.0, -1.5), 0.5),
        ((-1.0, -1.0), (-3.0,), 2.0),  # a hidden coin on one side
        ((), (-1.0,), 0.0),
    ],
)
def test_log_ratios(ours, theirs, ratio) -> None:
    assert log_ratio(ours, theirs) == ratio
    assert log_ratio(theirs, ours) == -ratio
