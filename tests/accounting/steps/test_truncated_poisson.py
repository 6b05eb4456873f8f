"""Cut samples: every small data set enumerated, probabilities as fractions, a peer's value, what is not cut."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from scipy.stats import norm

from dpverify.accounting.accountants.pld import PldAccountant
from dpverify.accounting.side_by_side import account
from dpverify.accounting.steps.gaussian import GaussianStep, LaplaceStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.accounting.steps.truncated_poisson import _ways, truncated_poisson
from dpverify.core.composition import Composition
from dpverify.core.errors import InputError

EDGES = np.linspace(-12, 12, 24_001)


def sums(records, rate, most):
    """The law of the sum of a cut sample: probability by value, every sample and every subset of it listed."""
    found: dict[float, float] = {}
    for taken in product((False, True), repeat=len(records)):
        chosen = [record for record, take in zip(records, taken, strict=True) if take]
        weight = rate ** len(chosen) * (1 - rate) ** (len(records) - len(chosen))
        kept = list(combinations(chosen, most)) if len(chosen) > most else [chosen]
        for each in kept:
            found[sum(each)] = found.get(sum(each), 0.0) + weight / len(kept)
    return found


def masses(law, sigma):
    """Cells of Gaussian noise about the sums."""
    return sum(weight * np.diff(norm.cdf((EDGES - at) / sigma)) for at, weight in law.items())


def upper(step, epsilon):
    return PldAccountant().compose(Composition.of(step)).delta(epsilon)


@pytest.mark.parametrize(("most", "rate", "sigma"), [(2, 0.5, 1.0), (1, 0.3, 0.7), (2, 0.9, 2.0), (3, 0.6, 1.0)])
def test_no_small_data_set_costs_more(most, rate, sigma):
    step = truncated_poisson(records=4, q=rate, most=most, step=GaussianStep(sigma=sigma))
    worst = dict.fromkeys((0.1, 0.5, 1.5), 0.0)
    for others in product((-1.0, 0.0, 1.0), repeat=3):
        less, more = (masses(sums(each, rate, most), sigma) for each in (list(others), [*others, 1.0]))
        for epsilon in worst:
            for p, q in ((less, more), (more, less)):
                worst[epsilon] = max(worst[epsilon], float(np.sum(np.maximum(p - math.exp(epsilon) * q, 0.0))))
    for epsilon, delta in worst.items():
        found = upper(step, epsilon)
        assert delta <= found.upper + 1e-7 and found.lower == 0
    uncut = PoissonGaussianStep(q=rate, sigma=sigma)
    if rate == 0.9:  # the cut itself costs
        assert any(delta > 1.01 * upper(uncut, epsilon).upper for epsilon, delta in worst.items())


@pytest.mark.parametrize(("records", "q", "most"), [(4, 0.5, 2), (1000, 0.01, 16), (60, 0.02, 30), (50, 0.5, 49)])
def test_probabilities_are_the_fractions(records, q, most):
    exact = Fraction(q).limit_denominator(100)
    tail = [comb(records - 1, s) * exact**s * (1 - exact) ** (records - 1 - s) for s in range(records)]
    cut = sum(tail[most:])
    mean = sum(mass * exact * most / (s + 1) for s, mass in enumerate(tail) if s >= most) / cut
    step = truncated_poisson(records=records, q=q, most=most, step=GaussianStep(sigma=1))
    (uncut, rate, once), (share, exchanged, twice) = _ways(step)
    assert (rate, once, twice) == (q, GaussianStep(sigma=1), GaussianStep(sigma=1, sensitivity=2))
    assert share == pytest.approx(float(cut), rel=1e-11) and uncut == pytest.approx(1 - float(cut), rel=1e-11)
    assert float(mean) <= exchanged <= float(mean) * (1 + 1e-9)


def test_below_the_value_of_dp_accounting():
    """Its own test has 17.904330, by a pair that costs more where the sample is cut."""
    text = "truncated-poisson(records={}, q=0.5, most=2, step=gaussian(sigma=1))*{}"
    found = account(f"{text.format(4, 3)} + {text.format(3, 2)}", delta=1e-6)
    uppers = {row.accountant: row.bracket.upper for row in found.rows}
    assert 16.4 < uppers["pld"] < 16.5 < uppers["rdp"] and uppers["pld"] < 17.904330
    assert found.contradiction is None and all(row.bracket.lower == 0 for row in found.rows)


def test_what_is_never_cut_is_a_poisson_sample():
    step = truncated_poisson(records=10, q=0.2, most=10, step=GaussianStep(sigma=1))
    other = PoissonGaussianStep(q=0.2, sigma=1)
    ours, theirs = (PldAccountant().compose(Composition.repeat(each, 9)).epsilon(1e-6) for each in (step, other))
    assert ours.upper == pytest.approx(theirs.upper, rel=1e-6) and "not told" in ours.note
    orders = np.array([1.01, 2.0, 30.5])
    assert step.renyi(orders) == pytest.approx(other.renyi(orders), rel=1e-6, abs=1e-8)


def test_a_whole_data_set_is_cut_to_records_drawn_uniformly():
    """All take part, ten of a hundred are kept: a tenth of the time the record takes another one's place."""
    found = upper(truncated_poisson(records=100, q=1, most=10, step=LaplaceStep(scale=2)), 0.0)
    assert found.upper == pytest.approx(0.1 * -math.expm1(-0.5), rel=1e-3)
    nothing = truncated_poisson(records=9, q=0, most=2, step=GaussianStep(sigma=1))
    assert upper(nothing, 0.0).upper == 0 and np.all(nothing.renyi(np.array([2.0])) == 0)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("truncated-poisson(records=0, q=0.5, most=2, step=gaussian(sigma=1))", "records"),
        ("truncated-poisson(records=9, q=0.5, most=2.5, step=gaussian(sigma=1))", "most"),
        ("truncated-poisson(records=9, q=0.5, most=2, step=poisson-gaussian(q=0.1, sigma=1))", "under any neighbours"),
        ("truncated-poisson(records=9, q=0.5, most=2, step=mixture(weights=(1,), shifts=(1,), sigma=2))", "group"),
        ("truncated-poisson(records=9, q=0.5, most=2, step=approx(epsilon=1, delta=0.1))", "losses"),
    ],
)
def test_what_is_not_known_is_refused_in_one_line(text, line):
    with pytest.raises(InputError) as refused:
        account(text)
    assert line in str(refused.value) and "\n" not in str(refused.value)
