from __future__ import annotations

import math
from fractions import Fraction

import flint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.evidence import Measure
from dpverify.laws.discrete import DiscreteLaw, DiscretePair
from dpverify.laws.finite_proof import exact_ratios, float_logs

MEASURES = [
    ("epsilon", 0.0),
    ("epsilon", 1e-6),
    ("epsilon", 0.05),
    ("epsilon", 0.5),
    ("delta", 0.0),
    ("delta", 0.25),
    ("delta", 3.0),
    ("renyi", 1.0),
    ("renyi", 1.0001),
    ("renyi", 2.0),
    ("renyi", 300.0),
    ("renyi", math.inf),
]


def measure(kind, argument) -> Measure:
    return Measure(kind=kind, argument=argument, claimed=1.0)


@st.composite
def fractions(draw):
    size = draw(st.integers(2, 7))
    laws = []
    for _ in range(2):
        weights = draw(st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(any))
        laws.append([Fraction(w, sum(weights)) for w in weights])
    return laws[0], laws[1]


def test_rational_total_variation_is_proved_without_error():
    p, q = [Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]
    found = DiscreteLaw.from_fractions(p).against(DiscreteLaw.from_fractions(q)).prove(measure("delta", 0.0))
    assert found is not None
    assert (found.value, found.error, found.proved) == (0.5, 0.0, True)


def test_a_delta_exactly_at_an_impossible_outcomes_mass_is_proved():
    half, zero = Fraction(1, 2), Fraction(0)
    pair = DiscreteLaw.from_fractions([half, half, zero]).against(DiscreteLaw.from_fractions([zero, half, half]))
    found = pair.prove(measure("epsilon", 0.5))
    assert found is not None
    assert (found.value, found.error) == (0.0, 0.0)
    assert pair.prove(measure("epsilon", 0.499)).value == math.inf


@given(fractions(), st.sampled_from(MEASURES))
def test_the_proof_encloses_the_float_value(pair, asked):
    both = DiscreteLaw.from_fractions(pair[0]).against(DiscreteLaw.from_fractions(pair[1]))
    found = both.prove(measure(*asked))
    value = getattr(both, asked[0])(asked[1])
    if found is None:  # only where delta sits on a mass that rounding cannot tell from it
        assert asked[0] == "epsilon"
        assert asked[1] > 0
        return
    assert found.proved
    if math.isinf(found.value):
        assert math.isinf(value.upper)
        return
    assert found.error <= 1e-14 * max(1.0, found.value) or asked[0] == "epsilon"
    assert found.lower <= value.upper
    assert found.upper >= value.lower


@given(fractions())
def test_the_proof_encloses_exact_rational_arithmetic(pair):
    both = DiscreteLaw.from_fractions(pair[0]).against(DiscreteLaw.from_fractions(pair[1]))
    truth = sum((max(p - q, Fraction(0)) for p, q in zip(*pair, strict=True)), Fraction(0))
    found = both.prove(measure("delta", 0.0))
    assert found is not None
    assert Fraction(found.lower) <= truth <= Fraction(found.upper)


def test_balls_that_touch_zero_prove_nothing_about_ratios():
    wide = DiscretePair(
        log_p=[math.log(0.5)] * 2,
        log_q=[math.log(0.5)] * 2,
        enclose=lambda: ([flint.arb(0.5)] * 2, [flint.arb(0.5, 0.6)] * 2),
    )
    assert wide.prove(measure("epsilon", 0.0)) is None
    assert wide.prove(measure("renyi", 2.0)) is None
    assert wide.prove(measure("mu", math.nan)) is None


def test_wide_balls_give_wide_enclosures_not_wrong_ones():
    blurred = DiscretePair(
        log_p=[math.log(0.5)] * 2,
        log_q=[math.log(0.25), math.log(0.75)],
        enclose=lambda: ([flint.arb(0.5, 1e-6)] * 2, [flint.arb(0.25, 1e-6), flint.arb(0.75, 1e-6)]),
    )
    for asked, truth in ((("epsilon", 0.0), math.log(2)), (("delta", 0.0), 0.25), (("epsilon", 0.1), math.log(1.6))):
        found = blurred.prove(measure(*asked))
        assert found is not None
        assert found.lower <= truth <= found.upper
        assert found.error > 1e-7


def test_the_wrong_direction_does_not_pass_for_a_proof():
    p, q = [Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 8), Fraction(7, 8)]
    both = DiscreteLaw.from_fractions(p).against(DiscreteLaw.from_fractions(q))
    found, back = both.prove(measure("epsilon", 0.0)), both.swap().prove(measure("epsilon", 0.0))
    assert found is not None
    assert back is not None
    assert found.lower <= math.log(4) <= found.upper
    assert not back.lower <= math.log(4) <= back.upper


def test_ratios_are_exact_only_where_the_normalisers_must_agree():
    one, zero = Fraction(1), Fraction(0)
    assert exact_ratios((one, zero), (one, one)) is None
    assert exact_ratios(None, (one, one)) is None
    ratios = exact_ratios((one, zero, None), (zero, one, None))
    assert ratios is not None
    assert [None if r is None else float(r) for r in ratios()] == [1.0, -1.0, None]


def test_float_logs_bound_their_error():
    logs, error = float_logs(lambda: [flint.arb(1) / 3, flint.arb(2) / 3, flint.arb(0)])
    assert logs[2] == -math.inf
    assert error < 3 * math.ulp(math.log(3))
    assert abs(logs[0] + math.log(3)) <= error + math.ulp(1.0)


@pytest.mark.parametrize("kind", ["mu", "sensitivity"])
def test_unprovable_kinds_are_left_alone(kind):
    law = DiscreteLaw.from_fractions([Fraction(1, 2), Fraction(1, 2)])
    assert law.against(law).prove(Measure(kind=kind, claimed=1.0)) is None
