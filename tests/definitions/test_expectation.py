"""The claim about a mean: what it says, and what it refuses."""

from __future__ import annotations

import pytest

from dpverify.core.errors import InputError
from dpverify.definitions.expectation import Expectation
from dpverify.definitions.grammar import parse_guarantee


def test_it_is_written_read_and_measured_as_a_mean():
    claim = Expectation(bound=0.25)
    assert claim.text() == "Expectation(bound=0.25)"
    assert parse_guarantee("Expectation(bound=1/4)") == claim
    (measure,) = claim.measures()
    assert (measure.kind, measure.claimed, measure.label()) == ("mean", 0.25, "mean")


@pytest.mark.parametrize("bound", [-1.0, float("inf"), float("nan"), True, "1"])
def test_a_bound_that_is_none_is_refused(bound):
    with pytest.raises(InputError, match="Expectation: bound"):
        Expectation(bound=bound)
