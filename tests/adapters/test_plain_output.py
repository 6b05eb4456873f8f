"""Outputs of recorded runs: those that comparisons take apart stay as they are, others are read whole or refused."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import dpverify as dpv
from dpverify.adapters.plain_output import plain_output
from dpverify.core.errors import InputError
from dpverify.core.verdict import Status

LONG, SHORT = [1.0, 1.0], [1.0]


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
    result = dpv.audit_replay(lambda data, rng: function(data), LONG, SHORT, claim="PureDP(epsilon=0.3)")
    assert result.verdict is Status.REFUTED


@pytest.mark.parametrize("function", [lambda data: iter(data), lambda data: [object()], lambda data: {1: open}])
def test_what_cannot_be_read_whole_is_one_line(function):
    with pytest.raises(InputError, match="but the type") as caught:
        dpv.audit_replay(lambda data, rng: function(data), LONG, SHORT, claim="PureDP(epsilon=1)")
    assert "\n" not in str(caught.value)


def test_an_output_that_holds_itself_is_one_line():
    def circle(data, rng):
        output = list(data)
        output.append(output)
        return output

    with pytest.raises(InputError, match="holds itself"):
        dpv.audit_replay(circle, LONG, SHORT, claim="PureDP(epsilon=1)")


def test_what_is_unsupported_says_why_in_its_notes():
    result = dpv.audit_replay(lambda data: 1.0, LONG, SHORT, claim="PureDP(epsilon=1)")
    assert result.verdict is Status.UNSUPPORTED
    assert any("takes no rng" in note for note in result.notes)
