from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpverify.core.errors import InputError, UnsupportedError
from dpverify.core.evidence import Measure
from dpverify.core.subjects import Law, LawPair
from dpverify.laws.coarse import CoarseLaw
from dpverify.laws.density import GaussianLaw, LaplaceLaw
from dpverify.laws.discrete import DiscreteLaw
from dpverify.laws.product import ProductLaw


def coin(p) -> DiscreteLaw:
    return DiscreteLaw.from_fractions([Fraction(p), 1 - Fraction(p)])


def gauss(place) -> GaussianLaw:
    return GaussianLaw(locations=place, scales=1.0)


def lap(place) -> LaplaceLaw:
    return LaplaceLaw(locations=place, scales=1.0)


def product(*laws) -> ProductLaw:
    return ProductLaw(laws=laws)


def test_three_coins_agree_with_their_outcomes_written_out():
    ps, qs = ("1/2", "1/3", "3/4"), ("1/4", "1/2", "3/5")
    pair = product(*map(coin, ps)).against(product(*map(coin, qs)))
    assert isinstance(pair, LawPair)

    def outcomes(heads):
        sides = [(Fraction(h), 1 - Fraction(h)) for h in heads]
        return [math.prod(choice, start=Fraction(1)) for choice in itertools.product(*sides)]

    whole = DiscreteLaw.from_fractions(outcomes(ps)).against(DiscreteLaw.from_fractions(outcomes(qs)))
    for kind, argument in (("epsilon", 0.0), ("epsilon", 0.1), ("delta", 0.2), ("renyi", 1.0), ("renyi", 4.0)):
        found, truth = getattr(pair, kind)(argument), getattr(whole, kind)(argument)
        assert abs(found.value - truth.value) <= found.error + truth.error
        measure = Measure(kind=kind, argument=argument, claimed=1.0)
        proof, proved = pair.prove(measure), whole.prove(measure)
        assert proof is not None
        assert proved is not None
        assert abs(proof.value - proved.value) <= proof.error + proved.error
        assert abs(proof.value - found.value) <= proof.error + found.error
    grid = np.linspace(0, 1, 11)
    np.testing.assert_allclose(pair.tradeoff(grid), whole.tradeoff(grid), atol=1e-14)
    np.testing.assert_allclose(pair.swap().tradeoff(grid), whole.swap().tradeoff(grid), atol=1e-14)


def test_gaussian_factors_join_into_one():
    pair = product(gauss([0.0]), gauss([0.0, 0.0])).against(product(gauss([1.0]), gauss([2.0, 2.0])))
    whole = gauss([0.0, 0.0, 0.0]).against(gauss([1.0, 2.0, 2.0]))
    assert pair.delta(1.0) == whole.delta(1.0)
    assert pair.epsilon(0.0).value == math.inf
    found = pair.prove(Measure(kind="renyi", argument=2.0, claimed=1.0))
    assert found is not None
    assert (found.value, found.error) == (9.0, 0.0)
    assert pair.prove(Measure(kind="epsilon", argument=0.0, claimed=1.0)).value == math.inf


def test_laplace_and_gaussian_add_their_renyi_but_have_no_delta():
    pair = product(lap(0.0), gauss(0.0)).against(product(lap(1.0), gauss(1.0)))
    parts = lap(0.0).against(lap(1.0)).renyi(3.0).value + gauss(0.0).against(gauss(1.0)).renyi(3.0).value
    assert abs(pair.renyi(3.0).value - parts) <= pair.renyi(3.0).error
    for call in (lambda: pair.delta(0.1), lambda: pair.epsilon(0.1), lambda: pair.tradeoff(0.1)):
        with pytest.raises(UnsupportedError, match="GaussianPair, LaplacePair"):
            call()
    assert pair.prove(Measure(kind="delta", argument=0.1, claimed=1.0)) is None


def test_factors_that_did_not_move_drop_out():
    pair = product(lap(0.0), gauss(0.0), coin("1/3")).against(product(lap(0.0), gauss(1.0), coin("1/3")))
    assert pair.delta(0.3) == gauss(0.0).against(gauss(1.0)).delta(0.3)
    still = product(lap(0.0), coin("1/3")).against(product(lap(0.0), coin("1/3")))
    assert still.delta(0.0).value == 0.0
    assert still.epsilon(0.0).value <= still.epsilon(0.0).error


def test_pure_epsilons_of_laplace_noise_add_exactly():
    pair = product(lap(0.0), lap([0.0, 0.0])).against(product(lap(1.0), lap([0.5, 0.25])))
    found = pair.prove(Measure(kind="epsilon", argument=0.0, claimed=1.0))
    assert found is not None
    assert (found.value, found.error) == (1.75, 0.0)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=2, max_size=5), st.floats(1.0, 50.0))
def test_renyi_of_coins_is_the_renyi_of_their_joint_table(heads, order):
    pair = product(*[coin(Fraction(a, 10)) for a, _ in heads]).against(
        product(*[coin(Fraction(b, 10)) for _, b in heads])
    )
    summed, joint = pair.renyi(order), pair._whole().renyi(order)
    assert abs(summed.value - joint.value) <= summed.error + joint.error


def test_a_product_with_a_lost_factor_is_caught():
    pair = product(coin("1/2"), coin("1/2")).against(product(coin("1/4"), coin("1/4")))
    assert abs(pair.epsilon(0.0).value - 2 * math.log(2)) <= pair.epsilon(0.0).error
    lost = product(coin("1/2")).against(product(coin("1/4")))
    with pytest.raises(AssertionError):
        assert abs(lost.epsilon(0.0).value - 2 * math.log(2)) <= lost.epsilon(0.0).error


def test_too_large_tables_are_refused_at_delta_above_zero_only():
    size = 1001
    flat = DiscreteLaw.from_probabilities(np.full(size, 1 / size))
    slope = np.arange(1, size + 1.0)
    law = DiscreteLaw.from_probabilities(slope / slope.sum())
    pair = product(law, law).against(product(flat, flat))
    assert pair.renyi(2.0).value > 0
    assert pair.prove(Measure(kind="renyi", argument=2.0, claimed=1.0)) is None
    with pytest.raises(UnsupportedError, match="DiscretePair, DiscretePair"):
        pair.delta(0.1)


def test_shapes_must_agree():
    assert isinstance(product(coin("1/2")), Law)
    with pytest.raises(UnsupportedError, match="2 laws"):
        product(coin("1/2"), coin("1/2")).against(product(coin("1/2")))
    with pytest.raises(UnsupportedError, match="another such product"):
        product(coin("1/2")).against(gauss(0.0))
    with pytest.raises(InputError, match="no laws"):
        product()


PURE = Measure(kind="epsilon", argument=0.0, claimed=1.0)
DELTA = Measure(kind="delta", argument=0.1, claimed=1.0)


@pytest.mark.parametrize("measure", [PURE, DELTA, Measure(kind="renyi", argument=2.0, claimed=1.0)])
def test_enclosures_are_passed_on_by_all_factors_or_by_none(measure):
    p, q = coin("1/3"), coin("1/2")
    pair = product(p, q).against(product(q, q))
    found, alone = pair.enclosure(measure), p.against(q).enclosure(measure)
    assert max(found.lower, alone.lower) <= min(found.upper, alone.upper)
    for law in (CoarseLaw(cells=q), product(CoarseLaw(cells=q), q)):
        hidden = product(p, law).against(product(q, law))
        assert hidden.enclosure(measure) is None
        assert hidden.swap().enclosure(measure) is None


def test_tables_that_agree_in_doubles_only_stay_in_the_enclosure():
    """The second factor moves by 2^-70: the float code drops it, the proof must not."""
    near = [Fraction(1, 2) + Fraction(1, 2**70), Fraction(1, 2) - Fraction(1, 2**70)]
    pair = product(coin("1/2"), DiscreteLaw.from_fractions(near)).against(product(coin("1/2"), coin("1/2")))
    found = pair.enclosure(Measure(kind="delta", argument=0.0, claimed=1.0))
    assert found.upper >= 2.0**-70
    assert pair.delta(0.0).value == 0.0


def test_a_proof_of_one_infinite_factor_is_one_of_the_product():
    """What is known of the other factor is the number of its outcomes."""
    sure, hidden = DiscreteLaw.from_fractions([Fraction(1), Fraction(0)]), CoarseLaw(cells=coin("1/2"))
    pair = product(coin("1/2"), hidden).against(product(sure, hidden))
    assert pair.prove(PURE).value == math.inf
    assert pair.enclosure(PURE) is None
