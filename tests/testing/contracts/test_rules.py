"""A contract raises the line of the first rule that is broken, as a function and as a class."""

from __future__ import annotations

import pytest

from dpverify.testing.contracts.rules import as_tests, check


def is_even(case):
    """A rule."""
    return "" if case % 2 == 0 else f"{case} is odd"


def is_small(case):
    """Another."""
    return "" if case < 10 else f"{case} is large"


@as_tests([is_even, is_small])
class Contract:
    def __init__(self, number):
        self.number = number

    def case(self):
        return self.number


def test_the_first_broken_rule_is_told():
    check([is_even, is_small], 2)
    with pytest.raises(AssertionError, match="11 is odd"):
        check([is_even, is_small], 11)


def test_each_rule_is_a_method():
    Contract(4).test_is_even()
    assert Contract.test_is_even.__doc__ == "A rule."
    with pytest.raises(AssertionError, match="12 is large"):
        Contract(12).test_is_small()
