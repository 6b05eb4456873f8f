"""Limits of a run: numbers that a clock and a machine can have."""

import math

import pytest

from dpverify.core.errors import InputError
from dpverify.runner.limits import Limits, gigabytes


@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf, 1e300])
@pytest.mark.parametrize("name", ["seconds", "seconds_per_claim"])
def test_seconds_are_above_nothing_and_below_for_ever(name, value):
    with pytest.raises(InputError, match=r"--max-seconds.* seconds above 0"):
        Limits(**{name: value})


def test_gigabytes():
    assert gigabytes(0.5) == 2**29
    for value in (0.0, -1.0, math.nan, math.inf, 0.2):
        with pytest.raises(InputError, match=r"at least 0\.25"):
            gigabytes(value)
