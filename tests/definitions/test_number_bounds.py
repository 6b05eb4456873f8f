import math

import pytest

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.core.subjects import Guarantee, PrivacyGuarantee
from dpverify.definitions.grammar import parse_guarantee
from dpverify.definitions.number_bounds import Expectation, SensitivityBound


def test_a_guarantee_but_no_privacy_guarantee() -> None:
    bound = SensitivityBound(bound=0.5, norm="l1")
    assert isinstance(bound, Guarantee)
    assert not isinstance(bound, PrivacyGuarantee)
    assert bound.text() == 'SensitivityBound(bound=0.5, norm="l1")'
    (measure,) = bound.measures()
    assert isinstance(measure, Measure)
    assert (measure.kind, measure.claimed) == ("sensitivity", 0.5)
    assert math.isnan(measure.argument)


@pytest.mark.parametrize("bound", [-1, math.inf, math.nan])
def test_bound_refused(bound: float) -> None:
    with pytest.raises(InputError, match="SensitivityBound: bound"):
        SensitivityBound(bound=bound)


def test_norm_refused() -> None:
    with pytest.raises(InputError, match="norm = 'l3'; allowed: l1, l2, linf"):
        SensitivityBound(bound=1, norm="l3")  # type: ignore[arg-type]


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
