"""Lower bounds of a hidden place, against drawn events, closed forms and the upper bounds."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.definitions.gdp import GDP
from dpverify.loaders.observed import Observed
from dpverify.loaders.schemes.cyclic import Cyclic
from dpverify.loaders.schemes.fixed_size import FixedSize
from dpverify.loaders.schemes.poisson import Poisson
from dpverify.loaders.schemes.shuffled import Shuffled
from dpverify.loaders.schemes.shuffled_once import ShuffledOnce
from dpverify.loaders.terms import Priced, Terms, drawn_with_replacement, hidden_place, largest_reaches


def terms(**changed):
    given = {"noise_multiplier": 1.0, "steps": 40, "delta": 1e-5, "relation": "replace", "per_pass": 4, "records": 40}
    return Terms(**given | changed)


def test_one_batch_a_pass_hides_nothing():
    """Then a pass is one Gaussian; the sum of all passes is the best that there is, up to 1e-9."""
    found = hidden_place(terms(), bins=1, passes=9, moved=(2.0, 0.0))
    assert float(GDP(mu=6.0).delta(found)) == pytest.approx(1e-5, rel=1e-6)
    assert float(GDP(mu=6.0).delta(found)) >= 1e-5


def test_the_event_has_the_probabilities_that_draws_have():
    """At a delta that draws reach: P - e^epsilon Q of the best event is delta, up to ten times its standard error."""
    one = terms(delta=0.01, noise_multiplier=0.7)
    epsilon = hidden_place(one, bins=4, passes=1, moved=(2.0, 0.0))
    assert epsilon > 1
    rng = np.random.default_rng(0)
    noise = 0.7 * rng.standard_normal((2, 200_000, 4))
    noise[0, :, 0] += 2.0
    best = -1.0
    for c in np.linspace(0, 5, 60):
        with_, without = (noise.max(axis=2) >= c).mean(axis=1)
        best = max(best, with_ - math.exp(epsilon) * without)
    totals = noise.sum(axis=2)
    for c in np.linspace(-2, 8, 60):
        with_, without = (totals >= c).mean(axis=1)
        best = max(best, with_ - math.exp(epsilon) * without)
    assert abs(best - 0.01) < 0.006


def test_the_largest_sum_reaches_c_as_often_as_in_draws():
    """Five standard errors: false alarm 1e-6 each."""
    noise = 0.7 * np.random.default_rng(0).standard_normal((100_000, 3))
    there = np.random.default_rng(1).random(100_000) < 0.8
    noise[:, 0] += 2.0 * there
    for c in (0.0, 1.5, 2.5):
        seen = float((noise.max(axis=1) >= c).mean())
        found = largest_reaches(c, bins=3, moved=2.0, sigma=0.7, share=0.8)
        assert abs(seen - found) < 5 * math.sqrt(found * (1 - found) / 100_000)


def test_whole_batches_cost_as_gaussians_do():
    """All records in each of 12 steps at noise 8: 2 sqrt(12) / 8 is mu, where one is replaced."""
    seen = Observed(records=4, passes=1, steps=1, flat=np.arange(4), sizes=np.array([4]))
    asked = terms(noise_multiplier=8.0, steps=12, per_pass=1, records=4)
    mu = 2 * math.sqrt(12) / 8
    for scheme in (FixedSize(size=4), Cyclic(size=4), Shuffled(size=4), ShuffledOnce(size=4), Poisson(rate=1.0)):
        found = scheme.priced(asked, seen, alpha=0.01)
        assert float(GDP(mu=mu).delta(found.lower)) >= 1e-5 * (1 - 1e-3)
        assert float(GDP(mu=mu).delta(found.lower)) <= 1e-5 * (1 + 0.02)
        assert float(GDP(mu=mu).delta(found.upper)) == pytest.approx(1e-5, rel=0.02)


def test_more_passes_cost_more_and_rarer_records_less():
    costs = [hidden_place(terms(), bins=10, passes=each, moved=(1.0, 0.0)) for each in (0, 1, 4, 16)]
    assert costs == sorted(costs)
    assert costs[0] == 0
    rarer = hidden_place(terms(noise_multiplier=0.3), bins=10, passes=1, moved=(1.0, 0.0), share=0.5)
    assert 0 < rarer < hidden_place(terms(noise_multiplier=0.3), bins=10, passes=1, moved=(1.0, 0.0))


def test_draws_with_replacement_cost_more_than_without():
    from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
    from dpverify.loaders.terms import composed

    found = drawn_with_replacement(8, 1 / 40, terms())
    once = composed(PoissonGaussianStep(q=1 - (39 / 40) ** 8, sigma=0.5), 40, 1e-5)
    assert found.upper is None
    assert found.lower > once[0]


def test_what_is_said():
    assert Priced(lower=1.00009, upper=2.00001, words="").text() == "epsilon in [1, 2.001]"
    assert Priced(lower=42.4199, upper=42.4201, words="").text() == "epsilon in [42.41, 42.43]"
    assert Priced(lower=0.0, upper=123456.7, words="").text() == "epsilon in [0, 1.235e+05]"
    assert Priced(lower=1.5, upper=None, words="").text() == "epsilon >= 1.5 (no upper bound here)"
    assert "no accountant" in Priced(lower=None, upper=None, words="").text()
    with pytest.raises(InputError, match="relation"):
        terms(relation="labels")
    with pytest.raises(InputError, match="delta"):
        terms(delta=0.0)
    assert (terms(steps=10).passes, terms(steps=10).whole_passes) == (3, 2)
