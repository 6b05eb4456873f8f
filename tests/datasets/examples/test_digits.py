"""Ends of ranges are told to the last digit: a domain in words is the domain of a proof."""

import pytest

from dpverify.datasets.examples.record_kinds import Row
from dpverify.datasets.examples.value_kinds import FloatRange


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0.0, 1.0, "float(0, 1)"),
        (0.0, 0.9999996, "float(0, 0.9999996)"),
        (-1e22, 1 / 3, "float(-1e+22, 0.3333333333333333)"),
    ],
)
def test_ends_are_not_rounded(low, high, text):
    assert FloatRange(low=low, high=high).text() == text


def test_a_norm_is_not_rounded():
    kinds = {str(place): FloatRange(low=-1.0, high=1.0) for place in range(2)}
    assert Row(kinds=kinds, norm=0.9999996).text().startswith("norm(0.9999996, ")
