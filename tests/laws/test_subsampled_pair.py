from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from dpverify.core.errors import InputError, UnsupportedError
from dpverify.core.evidence import Measure
from dpverify.core.subjects import Law, LawPair
from dpverify.laws.coarse import CoarseLaw
from dpverify.laws.density import GaussianLaw, LaplaceLaw
from dpverify.laws.density_pair import DensityPair
from dpverify.laws.discrete import DiscreteLaw, DiscretePair
from dpverify.laws.product import ProductLaw
from dpverify.laws.subsampled_pair import SubsampledLaw, SubsampledPair

RATES = [0.001, 0.1, 0.7]
CASES = [
    ("delta", -0.4),
    ("delta", 0.0),
    ("delta", 0.05),
    ("delta", 1.5),
    ("epsilon", 1e-5),
    ("epsilon", 0.05),
    ("renyi", 2.0),
    ("renyi", 5.0),
    ("renyi", 40.0),
]


def gauss(place, scale=1.0) -> GaussianLaw:
    return GaussianLaw(locations=place, scales=scale)


def lap(place) -> LaplaceLaw:
    return LaplaceLaw(locations=place, scales=1.0)


def sampled(absent, present, rate) -> SubsampledLaw:
    return SubsampledLaw(absent=absent, present=present, rate=rate)


def measure(kind, argument) -> Measure:
    return Measure(kind=kind, argument=argument, claimed=1.0)


def test_randomised_response_on_a_sample_is_its_mixture():
    e, rate = 1.0, 0.25
    yes, no = DiscreteLaw.from_log_weights([e, 0.0]), DiscreteLaw.from_log_weights([0.0, e])
    pair = sampled(no, yes, rate).against(no)
    assert isinstance(pair, DiscretePair)
    assert abs(pair.epsilon(0.0).value - math.log1p(rate * math.expm1(e))) <= pair.epsilon(0.0).error
    back = no.against(sampled(no, yes, rate))
    assert abs(back.epsilon(0.0).value + math.log1p(rate * math.expm1(-e))) <= back.epsilon(0.0).error
    proof = pair.prove(measure("epsilon", 0.0))
    assert proof is not None
    assert proof.lower <= math.log1p(rate * math.expm1(e)) <= proof.upper


def test_pure_epsilons_in_both_directions():
    rate = 0.1
    law = sampled(lap(0.0), lap(1.0), rate)
    assert isinstance(law, Law)
    forth, back = law.against(lap(0.0)), lap(0.0).against(law)
    assert isinstance(forth, SubsampledPair)
    assert isinstance(forth, LawPair)
    assert forth.epsilon(0.0).value == pytest.approx(math.log(1 + rate * (math.e - 1)), rel=1e-14)
    assert back.epsilon(0.0).value == pytest.approx(-math.log(1 - rate * (1 - 1 / math.e)), rel=1e-14)
    normal = sampled(gauss(0.0), gauss(1.0), rate).against(gauss(0.0))
    assert normal.epsilon(0.0).value == math.inf
    assert normal.prove(measure("epsilon", 0.0)).value == math.inf
    assert normal.swap().epsilon(0.0).value == pytest.approx(-math.log(1 - rate), rel=1e-14)
    proof = normal.swap().prove(measure("epsilon", 0.0))
    assert proof.proved
    assert proof.value == pytest.approx(-math.log(1 - rate), rel=1e-14)
    assert proof.error < 1e-15
    assert normal.swap().renyi(math.inf) == normal.swap().epsilon(0.0)


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("family", [gauss, lap])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(("kind", "argument"), CASES)
def test_closed_forms_agree_with_quadrature_and_with_proofs(rate, family, reverse, kind, argument):
    absent, law = family(0.0), sampled(family(0.0), family(1.2), rate)
    pair, numeric = law.against(absent), law.flat().against(absent.flat())
    assert isinstance(numeric, DensityPair)
    if reverse:
        pair, numeric = pair.swap(), numeric.swap()
    found, truth = getattr(pair, kind)(argument), getattr(numeric, kind)(argument)
    assert abs(found.value - truth.value) <= found.error + truth.error
    proof = pair.prove(measure(kind, argument))
    assert (proof is None) == (kind == "renyi" and reverse)
    if proof is not None:
        assert proof.proved
        assert abs(found.value - proof.value) <= found.error + proof.error


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("order", [1.0, 1.5, 2.0, 7.3])
def test_renyi_agrees_with_scipy(reverse, order):
    rate = 0.2

    def p(x):
        return norm.pdf(x)

    def m(x):
        return (1 - rate) * norm.pdf(x) + rate * norm.pdf(x, 1.0)

    first, second = (p, m) if reverse else (m, p)
    if order == 1:
        truth = quad(lambda x: first(x) * math.log(first(x) / second(x)), -12, 14, limit=200)[0]
    else:
        total = quad(lambda x: first(x) * (first(x) / second(x)) ** (order - 1), -14, 22, limit=400, points=[0, 1, 7])[
            0
        ]
        truth = math.log(total) / (order - 1)
    pair = sampled(gauss(0.0), gauss(1.0), rate).against(gauss(0.0))
    assert (pair.swap() if reverse else pair).renyi(order).value == pytest.approx(truth, abs=1e-9)


def test_many_dimensions_reduce_to_the_distance():
    absent, present = gauss([0.0, 0.0, 0.0]), gauss([2.0, 1.0, 2.0])
    pair = sampled(absent, present, 0.1).against(absent)
    line = sampled(gauss(0.0), gauss(3.0), 0.1).against(gauss(0.0))
    for kind, argument in (*CASES, ("renyi", 2.5)):
        a, b = getattr(pair, kind)(argument), getattr(line, kind)(argument)
        assert abs(a.value - b.value) <= a.error + b.error


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("rate", RATES)
def test_the_curves_are_conjugate_to_the_profiles(rate, reverse):
    pair = sampled(gauss(0.0), gauss(1.5), rate).against(gauss(0.0))
    pair = pair.swap() if reverse else pair
    alphas = np.linspace(0, 1, 20001)
    curve = pair.tradeoff(alphas)
    assert np.all(np.diff(curve) <= 1e-12)
    for epsilon in (-0.2, 0.0, 0.1, 1.0):
        best = float(np.max(1 - curve - math.exp(epsilon) * alphas))
        assert best <= pair.delta(epsilon).upper + 1e-12
        assert best >= pair.delta(epsilon).lower - 1e-4
    np.testing.assert_allclose(pair.swap().tradeoff(np.clip(curve[::500], 0, 1)), alphas[::500], atol=1e-6)


def test_the_same_law_written_twice_is_recognised():
    assert isinstance(sampled(gauss(0.0), gauss(1.0), 0.5).against(gauss(0.0)), SubsampledPair)
    assert isinstance(sampled(gauss(0.0), gauss(1.0), 0.5).against(gauss(0.5)), DensityPair)
    two = sampled(lap([0.0, 0.0]), lap([1.0, 1.0]), 0.5)
    assert isinstance(two.against(lap([0.0, 0.0])), SubsampledPair)
    with pytest.raises(UnsupportedError, match="2 dimensions"):
        two.against(lap([0.0, 0.3]))


def test_two_samples_of_different_records_meet_on_the_line():
    pair = sampled(gauss(0.0), gauss(1.0), 0.5).against(sampled(gauss(0.0), gauss(-1.0), 0.5))
    assert abs(pair.delta(0.0).value - 0.5 * (norm.cdf(1.0) - norm.cdf(-1.0))) <= pair.delta(0.0).error + 1e-15


def test_a_rate_of_one_is_no_sampling():
    law = sampled(gauss(0.0), gauss(1.0), 1.0)
    assert law.against(gauss(0.0)).delta(0.5) == gauss(1.0).against(gauss(0.0)).delta(0.5)
    assert law.against(gauss(0.3)).delta(0.5).value == pytest.approx(
        gauss(1.0).against(gauss(0.3)).delta(0.5).value, abs=1e-13
    )


def test_products_are_sampled_as_a_whole():
    absent, present = ProductLaw(laws=(lap(0.0), gauss(0.0))), ProductLaw(laws=(lap(1.0), gauss(1.0)))
    pair = sampled(absent, present, 0.1).against(absent)
    assert pair.renyi(3.0).value > 0
    proof = pair.prove(measure("renyi", 3.0))
    assert proof is not None
    assert abs(proof.value - pair.renyi(3.0).value) <= proof.error + pair.renyi(3.0).error
    assert pair.prove(measure("delta", 0.1)) is None
    with pytest.raises(UnsupportedError, match="delta > 0"):
        pair.delta(0.1)
    with pytest.raises(UnsupportedError, match="ProductPair"):
        pair.renyi(2.5)


def test_an_asymmetric_base_keeps_its_directions():
    yes, no = (DiscreteLaw.from_fractions([Fraction(1, k), 1 - Fraction(1, k)]) for k in (2, 8))
    table = sampled(no, yes, 0.25).against(no)
    whole = sampled(ProductLaw(laws=(no,)), ProductLaw(laws=(yes,)), 0.25).against(ProductLaw(laws=(no,)))
    assert isinstance(whole, SubsampledPair)
    for found, truth in ((whole, table), (whole.swap(), table.swap())):
        for kind, arguments in (("delta", [-0.2, 0.0, 0.2]), ("epsilon", [0.0, 0.01, 0.1])):
            for argument in arguments:
                a, b = getattr(found, kind)(argument), getattr(truth, kind)(argument)
                assert abs(a.value - b.value) <= a.error + b.error
        proof = found.prove(measure("epsilon", 0.0))
        assert proof is not None
        assert abs(proof.value - truth.epsilon(0.0).value) <= proof.error + truth.epsilon(0.0).error
        np.testing.assert_allclose(found.tradeoff([0.0, 0.1, 0.6]), truth.tradeoff([0.0, 0.1, 0.6]), atol=1e-12)


def test_two_shifted_laplace_coordinates_are_not_guessed():
    absent, present = lap([0.0, 0.0]), lap([1.0, 1.0])
    pair = sampled(absent, present, 0.1).against(absent)
    assert pair.epsilon(0.0).value == pytest.approx(math.log1p(0.1 * math.expm1(2.0)))
    assert pair.renyi(3.0).value > 0
    assert pair.prove(measure("delta", 0.1)) is None
    with pytest.raises(UnsupportedError, match="LaplacePair"):
        pair.renyi(2.5)


@settings(max_examples=30, deadline=None)
@given(st.floats(1e-4, 0.99), st.floats(0.05, 4.0), st.booleans())
def test_sampling_amplifies_and_the_profile_falls(rate, shift, reverse):
    absent, present = gauss(0.0), gauss(shift)
    pair = sampled(absent, present, rate).against(absent)
    pair = pair.swap() if reverse else pair
    base = present.against(absent)
    grid = [0.0, 0.01, 0.1, 0.5, 2.0, 10.0]
    found = [pair.delta(e) for e in grid]
    for a, b in itertools.pairwise(found):
        assert b.value <= a.value + a.error + b.error
    for epsilon, one in zip(grid, found, strict=True):
        assert one.value <= base.delta(epsilon).value + one.error + base.delta(epsilon).error
    assert pair.renyi(4.0).value <= base.renyi(4.0).value + pair.renyi(4.0).error


def test_the_directions_differ_and_a_swapped_pair_is_caught():
    def check(pair):
        assert pair.epsilon(0.0).value == math.inf
        assert pair.swap().epsilon(0.0).value < math.inf
        truth = quad(lambda x: max((0.9 * norm.pdf(x) + 0.1 * norm.pdf(x, 1)) - 1.2 * norm.pdf(x), 0), -10, 12)[0]
        assert pair.delta(math.log(1.2)).value == pytest.approx(truth, abs=1e-8)

    pair = sampled(gauss(0.0), gauss(1.0), 0.1).against(gauss(0.0))
    check(pair)
    with pytest.raises(AssertionError):
        check(pair.swap())


def test_bad_rates_and_arguments_are_refused():
    for rate in (0.0, 1.1, -0.5, math.nan):
        with pytest.raises(InputError, match="rate = "):
            sampled(gauss(0.0), gauss(1.0), rate)
    with pytest.raises(InputError, match="base pair"):
        SubsampledPair(base=gauss(1.0).against(gauss(0.0)), rate=1.0)
    pair = sampled(gauss(0.0), gauss(1.0), 0.5).against(gauss(0.0))
    for kind, argument in (("delta", math.nan), ("epsilon", -1.0), ("renyi", 0.5), ("tradeoff", 2.0)):
        with pytest.raises(InputError):
            getattr(pair, kind)(argument)
    assert Fraction(pair.rate) == Fraction(1, 2)


@pytest.mark.parametrize(("kind", "argument"), CASES)
def test_only_noise_that_encloses_is_enclosed_on_a_sample(kind, argument):
    pair = sampled(gauss(0.0), gauss(1.0), 0.5).against(gauss(0.0))
    asked = measure(kind, argument)
    assert pair.enclosure(asked) == pair.prove(asked) is not None
    hidden = CoarseLaw(cells=DiscreteLaw.from_fractions([Fraction(1, 2)] * 2))
    unknown = sampled(hidden, hidden, 0.5).against(hidden)
    assert isinstance(unknown, SubsampledPair)
    assert unknown.enclosure(asked) is None
    assert unknown.swap().enclosure(asked) is None


def test_a_sample_without_the_record_is_the_other_law_exactly_or_not_at_all():
    """Gaussians 1e-20 apart: delta is 0 in doubles, and their pure epsilon infinite."""
    near = gauss(1e-20)
    assert gauss(0.0).against(near).delta(0.0).value == 0.0
    pair = sampled(gauss(0.0), near, 0.5).against(near)
    assert not isinstance(pair, SubsampledPair)
