from __future__ import annotations

import math
from fractions import Fraction

import flint
import numpy as np
import pytest

from dpverify.core.errors import InputError, UnsupportedError
from dpverify.core.evidence import Measure
from dpverify.core.subjects import Law
from dpverify.laws.density import GaussianLaw
from dpverify.laws.discrete import DiscreteLaw, DiscretePair

PURE = Measure(kind="epsilon", argument=0.0, claimed=1.0)


def randomised_response(epsilon: float, categories: int, truth: int) -> DiscreteLaw:
    return DiscreteLaw.from_log_weights([epsilon if i == truth else 0.0 for i in range(categories)])


def test_all_constructors_agree():
    exact = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6), Fraction(0)]
    laws = [
        DiscreteLaw.from_fractions(exact),
        DiscreteLaw.from_probabilities([float(p) for p in exact]),
        DiscreteLaw.from_balls(lambda: [flint.arb(flint.fmpq(p.numerator, p.denominator)) for p in exact]),
    ]
    for law in laws:
        assert isinstance(law, Law)
        assert law.log_probabilities[3] == -math.inf
        truth = [math.log(p) for p in exact[:3]]
        np.testing.assert_allclose(law.log_probabilities[:3], truth, rtol=1e-15, atol=0)
        assert law.error < 1e-15


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("categories", [2, 5])
def test_randomised_response_is_proved_to_meet_its_epsilon_exactly(epsilon, categories):
    pair = randomised_response(epsilon, categories, 0).against(randomised_response(epsilon, categories, 1))
    found = pair.prove(PURE)
    assert found is not None
    assert found.proved
    assert (found.value, found.error) == (epsilon, 0.0)
    assert pair.swap().prove(PURE) == found
    assert pair.prove(Measure(kind="delta", argument=epsilon, claimed=0.0)).upper == 0.0


def test_a_wrong_randomised_response_is_proved_to_exceed_its_claim():
    pair = randomised_response(1.0000000000000002, 2, 0).against(randomised_response(1.0, 2, 1))
    found = pair.prove(PURE)
    assert found is not None
    assert found.value >= 1.0
    worse = randomised_response(1.1, 2, 0).against(randomised_response(1.1, 2, 1)).prove(PURE)
    assert worse is not None
    assert worse.lower > 1.0


def test_log_weights_of_different_normalisers_use_balls():
    pair = DiscreteLaw.from_log_weights([1.0, 0.0, 0.0]).against(DiscreteLaw.from_log_weights([0.0, 0.0, 0.0]))
    found = pair.prove(PURE)
    truth = 1 + math.log(3 / (math.e + 2))
    assert found is not None
    assert found.error > 0
    assert abs(found.value - truth) <= 1e-15 + found.error


def test_impossible_weights_give_an_infinite_ratio():
    pair = DiscreteLaw.from_log_weights([0.0, 0.0, None]).against(DiscreteLaw.from_log_weights([0.0, None, 0.0]))
    found = pair.prove(PURE)
    assert found is not None
    assert found.value == math.inf
    assert found.proved


def test_equal_log_weights_with_an_impossible_outcome():
    law = DiscreteLaw.from_log_weights([0.0, 0.5, -math.inf])
    found = law.against(law).prove(PURE)
    assert found is not None
    assert (found.value, found.error) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: DiscreteLaw.from_probabilities([0.5, 0.4]), "sum to"),
        (lambda: DiscreteLaw.from_probabilities([1.5, -0.5]), "probability -0.5"),
        (lambda: DiscreteLaw.from_probabilities([math.nan, 1.0]), "probability nan"),
        (lambda: DiscreteLaw(log_probabilities=np.array([0.5, 0.5])), "pass logs"),
        (lambda: DiscreteLaw(log_probabilities=np.zeros((1, 1))), "shape"),
        (lambda: DiscreteLaw(log_probabilities=np.zeros(1), error=-1.0), "error -1"),
        (lambda: DiscreteLaw.from_probabilities([1.0], error=1.0), "relative error"),
        (lambda: DiscreteLaw.from_fractions([Fraction(1, 2)]), "sum to 1/2"),
        (lambda: DiscreteLaw.from_balls(lambda: [flint.arb(0, 0.1), flint.arb(1)]), "narrow"),
    ],
)
def test_bad_input_is_named(build, says):
    with pytest.raises(InputError, match=says):
        build()


def test_the_larger_error_of_the_two_laws_counts():
    good, poor = (DiscreteLaw.from_probabilities([0.5, 0.5], error=error) for error in (0.0, 1e-6))
    for pair in (good.against(poor), poor.against(good)):
        assert pair.epsilon(0.0).error >= 2e-6
        assert pair.delta(0.0).error >= 1e-6


def test_laws_on_different_spaces_are_refused():
    law = DiscreteLaw.from_probabilities([0.5, 0.5])
    with pytest.raises(UnsupportedError, match="2 outcomes"):
        law.against(DiscreteLaw.from_probabilities([1.0]))
    with pytest.raises(UnsupportedError, match="GaussianLaw"):
        law.against(GaussianLaw(locations=np.zeros(1), scales=np.ones(1)))
    with pytest.raises(InputError, match="2 and 1"):
        DiscretePair(log_p=np.log([0.5, 0.5]), log_q=np.zeros(1))
