"""The steps from counts to a bound: each number can be looked up elsewhere, and they end at the printed bound."""

from __future__ import annotations

import math
import re

import pytest
from scipy import stats

import dpverify as dpv
from dpverify.reporting.bound_steps import bound_steps, formulas, runs_steps
from dpverify.runner.record import record
from dpverify.stats.joint import product_log_constant

DATA = [0.0, 1.0, 0.3]


def steps_of(function, **settings):
    words = {"claim": "PureDP(epsilon=1)", "data": DATA, "trials": 40_000, "seed": 3} | settings
    result = dpv.audit(function, **words)
    return bound_steps(record(result.row)), result


def noisy_sum(data, size, rng):
    return sum(data) + rng.laplace(size=size)


def half_the_noise(data, rng):
    return sum(data) + rng.laplace(scale=0.5)


def hidden_half(data, rng):
    return float(sum(data)) + float(str(rng.laplace(scale=0.5)))


def numbers(pattern, text):
    return [float(each) for each in re.search(pattern, text).groups()]


def test_the_pair_of_the_joint_region_has_the_tails_that_are_told():
    steps, result = steps_of(noisy_sum)
    said = result.evidence.statistics
    sharper, check = (next(step for step in steps if step.startswith(word)) for word in ("Sharper", "To check"))
    p, q = numbers(r"near p = (\S+), q = (\S+):", sharper)
    above, below = numbers(r"has probability (\S+), at q .* has (\S+);", check)
    assert above == pytest.approx(stats.binom.sf(said["k1"] - 1, said["n1"], p), rel=1e-3)
    assert below == pytest.approx(stats.binom.cdf(said["k2"], said["n2"], q), rel=1e-3)
    share = said["region"]["share"]
    (product,) = numbers(r"is (\S+)\. At the true pair", check)
    assert product == pytest.approx(above ** (2 * share) * below ** (2 - 2 * share), rel=1e-2)
    assert math.log(product) == pytest.approx(product_log_constant(said["alpha"], share=share), rel=1e-2)
    assert math.log(p / q) == pytest.approx(result.evidence.bound, rel=1e-2)


def test_a_replay_by_laws_ends_at_its_bound():
    steps, result = steps_of(half_the_noise)
    assert "laws" in result.evidence.statistics
    shown = float(next(step for step in steps if step.startswith("So epsilon")).rpartition("= ")[2].rstrip("."))
    assert shown <= result.evidence.bound == pytest.approx(shown, rel=1e-2)
    assert any("0.0009 in all" in step for step in steps)  # a tenth is for what the example does not show


def test_laws_of_other_measures_have_their_own_formula():
    laws = {"p": 0.5, "q": 0.01, "n": 4096, "alpha": 1e-12}
    last = [*runs_steps(laws, {"kind": "renyi", "argument": 2.0})][-1]
    assert last.startswith("So renyi >= ln(") and "^2 *" in last


def test_bets_tell_the_wealth_that_was_needed():
    steps, result = steps_of(hidden_half, trials=20_000)
    assert result.evidence.statistics["step"] == "bets"
    needed = 1 / result.evidence.statistics["alpha"]
    assert f"{needed:.4g}" in steps[0] and "Ville" in steps[0] and "which is enough" in steps[1]


@pytest.mark.parametrize(
    ("kind", "argument", "p", "q", "truth"),
    [
        ("epsilon", 0.0, 0.6, 0.2, math.log(3)),
        ("epsilon", 0.1, 0.6, 0.2, math.log(2.5)),
        ("epsilon", 0.0, 0.9, 0.6, math.log(4)),
        ("epsilon", 0.05, 0.9, 0.6, math.log(0.35 / 0.1)),
        ("delta", 1.0, 0.9, 0.1, 0.9 - 0.1 * math.e),
        ("mu", math.nan, 0.8, 0.3, stats.norm.ppf(0.8) - stats.norm.ppf(0.3)),
        ("renyi", 2.0, 0.6, 0.2, math.log(0.36 / 0.2 + 0.16 / 0.8)),
        ("renyi", 2.0, 0.2, 0.1, math.log(0.04 / 0.1 + 0.64 / 0.9)),
    ],
)
def test_formulas_give_the_measure_of_two_bernoulli_laws(kind, argument, p, q, truth):
    best = max(formulas(kind, argument), key=lambda each: each.value(p, q))
    assert best.value(p, q) == pytest.approx(truth, rel=1e-12)
    written = best.text(f"{p:g}", f"{q:g}")
    if kind != "mu":
        value = eval(written.replace("^", "**"), {"ln": math.log, "e": math.e})  # noqa: S307 - our own text
        assert value == pytest.approx(truth, rel=1e-12)


def test_kinds_that_no_event_bounds_have_no_formula():
    assert not [*formulas("sensitivity", math.nan)]
