"""Callables under a recorder: limits on their runs, exceptions, exits, and the words on each."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import dpverify as dpv
from dpverify.adapters.recorded_callable import plain_output
from dpverify.core.errors import InputError
from dpverify.core.verdict import Status

LONG, SHORT = np.array([0.25, 0.5, 0.75, 1.0]), np.array([0.25, 0.5, 0.75])
CLAIM = dpv.PureDP(epsilon=1.0)


def endless(data, rng):
    while True:
        pass


def endless_on_one(data, rng):
    while len(data) == 3:
        pass
    return data.sum() + rng.laplace()


def slow(data, rng):
    time.sleep(0.05)
    return data.sum() + rng.laplace()


@pytest.mark.parametrize("function", [endless, endless_on_one])
def test_a_run_that_does_not_end_is_one_line_that_names_the_limit(function):
    with pytest.raises(InputError, match=r"one call of endless\w* ran longer than its limit of 0\.2 s") as caught:
        dpv.audit_replay(function, LONG, SHORT, claim=CLAIM, max_seconds_per_call=0.2)
    assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match=r"ran longer than its limit of 0\.2 s"):
        dpv.audit(function, LONG, SHORT, claim=CLAIM, methods=["replay"], max_seconds_per_call=0.2)


def test_the_limit_is_of_each_run_and_not_of_all():
    result = dpv.audit_replay(slow, LONG, SHORT, claim=CLAIM, max_seconds_per_call=0.5)  # dozens of runs
    assert result.verdict is Status.NOT_REFUTED


def test_a_replay_that_the_clock_stops_is_inconclusive():
    assert dpv.audit_replay(slow, LONG, SHORT, claim=CLAIM, max_seconds=0.2).verdict is Status.INCONCLUSIVE


def test_raising_on_one_data_set_only_is_said_to_tell_the_two_apart():
    def apart(data, rng):
        if len(data) == 3:
            raise ValueError("too short")
        return data.sum() + rng.laplace()

    def never(data, rng):
        raise ValueError("never")

    with pytest.raises(InputError, match=r"raised ValueError: too short.* tells the two apart"):
        dpv.audit_replay(apart, LONG, SHORT, claim=CLAIM)
    for function, d0, d1 in ((apart, SHORT, LONG), (never, LONG, SHORT)):  # it has returned on neither yet
        with pytest.raises(InputError, match=r"raised ValueError: \w+( short)?; allowed"):
            dpv.audit_replay(function, d0, d1, claim=CLAIM)


def test_an_exit_is_bad_input():
    def leaves(data, rng):
        raise SystemExit(0)

    with pytest.raises(InputError, match="raised SystemExit"):
        dpv.audit_replay(leaves, LONG, SHORT, claim=CLAIM)


@pytest.mark.parametrize("method", ["replay", "loss"])
def test_exceptions_as_outputs_have_no_place_in_a_recording(method):
    with pytest.raises(InputError, match="on_error 'output' with a recording of slow") as caught:
        dpv.audit(slow, LONG, SHORT, claim=CLAIM, methods=[method], on_error="output", trials=200)
    assert "\n" not in str(caught.value)


def test_a_bound_of_nothing_is_zero():
    result = dpv.audit_replay(lambda data, rng: rng.laplace(), LONG, SHORT, claim=CLAIM)
    assert result.epsilon_lower == 0.0
    assert not np.signbit(result.epsilon_lower)


@dpv.noise_primitive(law="laplace")
def with_noise(value, scale, rng):
    return value + rng.laplace(scale=scale, size=np.shape(value))


def noisy_twice(scales):
    return lambda data, rng: with_noise(np.array([data.sum(), 5.0 - data.sum()]), scales, rng)


@pytest.mark.parametrize(
    ("scales", "epsilon"), [(np.array([1.0, 4.0]), 1.25), ([2.0, 2.0], 1.0), (np.array([2.0]), 1.0), (2.0, 1.0)]
)
def test_a_primitive_takes_a_scale_for_each_coordinate(scales, epsilon):
    """The loss of two Laplace values that both move by 1 is the sum of their reciprocal scales."""
    result = dpv.audit_replay(noisy_twice(scales), LONG, SHORT, claim=dpv.PureDP(epsilon=1.3))
    assert result.verdict is Status.NOT_REFUTED
    assert result.epsilon_lower == pytest.approx(epsilon)


def test_a_claim_below_the_loss_of_a_primitive_is_refuted_in_fresh_runs():
    result = dpv.audit_replay(noisy_twice(np.array([1.0, 0.4])), LONG, SHORT, claim=dpv.PureDP(epsilon=1.0))
    assert result.verdict is Status.REFUTED
    assert 1.0 < result.epsilon_lower <= 3.5 * (1 + 1e-6)


PLAIN_LONG, PLAIN_SHORT = [1.0, 1.0], [1.0]


@dataclass
class Answer:
    value: object


@pytest.mark.parametrize(
    "output", [1.0, "a", None, [1, (2.0, b"x")], {"a": [np.zeros(3)]}, Answer([1.0]), np.array([1, "a"], dtype=object)]
)
def test_what_comparisons_take_apart_stays_as_it_is(output):
    assert plain_output(output, "f") is output


@pytest.mark.parametrize(
    "function",
    [
        lambda data: pd.DataFrame({"age": [*range(40), len(data), *range(40)]}),  # printed alike
        lambda data: {"report": pd.DataFrame({"age": [float(sum(data))]})},
        lambda data: set(map(str, [*data, len(data)])),
        lambda data: scipy.sparse.csr_matrix([[0.0, len(data)]]),
        lambda data: [Answer({len(data)})],
        lambda data: np.datetime64(len(data), "ns"),
    ],
)
def test_a_leak_in_any_of_them_is_refuted_by_replay(function):
    """A claim as small as this is refuted in the fewest fresh runs."""
    result = dpv.audit_replay(lambda data, rng: function(data), PLAIN_LONG, PLAIN_SHORT, claim="PureDP(epsilon=0.3)")
    assert result.verdict is Status.REFUTED


@pytest.mark.parametrize("function", [lambda data: iter(data), lambda data: [object()], lambda data: {1: open}])
def test_what_cannot_be_read_whole_is_one_line(function):
    with pytest.raises(InputError, match="but the type") as caught:
        dpv.audit_replay(lambda data, rng: function(data), PLAIN_LONG, PLAIN_SHORT, claim="PureDP(epsilon=1)")
    assert "\n" not in str(caught.value)


def test_an_output_that_holds_itself_is_one_line():
    def circle(data, rng):
        output = list(data)
        output.append(output)
        return output

    with pytest.raises(InputError, match="holds itself"):
        dpv.audit_replay(circle, PLAIN_LONG, PLAIN_SHORT, claim="PureDP(epsilon=1)")


def test_what_is_unsupported_says_why_in_its_notes():
    result = dpv.audit_replay(lambda data: 1.0, PLAIN_LONG, PLAIN_SHORT, claim="PureDP(epsilon=1)")
    assert result.verdict is Status.UNSUPPORTED
    assert any("takes no rng" in note for note in result.notes)
