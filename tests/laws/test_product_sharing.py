"""Factors that are one object are asked once; what comes out is the same as from equal, separate ones."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dpverify.core.evidence import Measure
from dpverify.laws.density import GaussianLaw
from dpverify.laws.discrete import DiscreteLaw
from dpverify.laws.product import LARGEST_TABLE, ProductLaw

MEASURES = [
    Measure(kind="epsilon", argument=0.0, claimed=1.0),
    Measure(kind="epsilon", argument=0.1, claimed=1.0),
    Measure(kind="delta", argument=0.2, claimed=1.0),
    Measure(kind="renyi", argument=1.0, claimed=1.0),
    Measure(kind="renyi", argument=4.0, claimed=1.0),
]


def coin(heads):
    return DiscreteLaw.from_fractions([Fraction(heads), 1 - Fraction(heads)])


class Counting:
    """A law that counts how often it is compared."""

    def __init__(self):
        self.law, self.asked = GaussianLaw(locations=[0.0], scales=1.0), 0

    def against(self, _other):
        self.asked += 1
        return self.law.against(GaussianLaw(locations=[1.0], scales=1.0))


def both(pattern_p, pattern_q):
    """The same product twice: of two coins that are shared by all bits, and of coins made one by one."""
    coins = coin("1/3"), coin("3/4")
    shared = [ProductLaw(laws=tuple(coins[bit] for bit in bits)) for bits in (pattern_p, pattern_q)]
    single = [ProductLaw(laws=tuple(coin(("1/3", "3/4")[bit]) for bit in bits)) for bits in (pattern_p, pattern_q)]
    return shared[0].against(shared[1]), single[0].against(single[1])


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.label())
@pytest.mark.parametrize(("p", "q"), [((0, 1, 0, 1), (0, 0, 1, 1)), ((1, 1, 1), (0, 0, 1)), ((0, 0), (0, 0))])
def test_shared_factors_give_the_same_bits_as_separate_ones(p, q, measure):
    for one, other in (both(p, q), tuple(pair.swap() for pair in both(p, q))):
        assert getattr(one, measure.kind)(measure.argument) == getattr(other, measure.kind)(measure.argument)
        assert one.prove(measure) == other.prove(measure)
        assert one.enclosure(measure) == other.enclosure(measure)


def test_the_order_of_the_factors_does_not_mix_them_up():
    """0 against 1 is another factor than 1 against 0, and each counts as often as it stands there."""
    pair, _ = both((0, 1, 0, 0), (1, 0, 1, 0))
    up, down = (math.log(x) for x in ((2 / 3) / (1 / 4), (3 / 4) / (1 / 3)))
    assert pair.epsilon(0.0).value == pytest.approx(2 * up + down)
    assert pair.swap().epsilon(0.0).value == pytest.approx(2 * down + up)


def test_each_combination_is_compared_once():
    subject, other = Counting(), Counting()
    mixed = ProductLaw(laws=(subject, subject, other, subject))
    pair = mixed.against(ProductLaw(laws=(other, other, other, subject)))
    assert (subject.asked, other.asked) == (2, 1)
    assert pair.renyi(2.0).value == pytest.approx(4.0)


def test_pure_epsilon_needs_no_table_of_the_whole():
    """Forty coins have 2^40 outcomes; curves of fewer are made when they are asked for, and remembered."""
    pair, _ = both((0,) * 40, (1,) * 40)
    assert LARGEST_TABLE < 2**40
    assert pair.epsilon(0.0).value == pytest.approx(40 * math.log((2 / 3) / (1 / 4)))
    few, _ = both((0,) * 4, (1,) * 4)
    grid = np.linspace(0, 1, 5)
    np.testing.assert_array_equal(few.tradeoff(grid), few.tradeoff(grid))
    assert few.delta(0.1).value == pytest.approx(both((0,) * 4, (1,) * 4)[1].delta(0.1).value, rel=1e-14)
