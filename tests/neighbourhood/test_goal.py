"""What a pass must have been able to detect."""

from __future__ import annotations

import pytest

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.neighbourhood.goal import sought_value


@pytest.mark.parametrize(
    ("kind", "claimed", "factor", "sought"),
    [
        ("epsilon", 1.0, None, 2.0),
        ("epsilon", 3.0, None, 6.0),
        ("epsilon", 8.0, None, 9.0),  # twice as much would take too many draws
        ("epsilon", 8.0, 1.5, 12.0),
        ("mu", 8.0, None, 16.0),
        ("epsilon", 0.0, None, None),
    ],
)
def test_the_sought_value(kind, claimed, factor, sought):
    assert sought_value(Measure(kind=kind, claimed=claimed), factor) == sought


@pytest.mark.parametrize("factor", [1.0, 0.5, float("inf"), float("nan")])
def test_a_factor_is_above_one(factor):
    with pytest.raises(InputError, match="above 1"):
        sought_value(Measure(kind="epsilon", claimed=1.0), factor)
