import math

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpverify.core.evidence import Measure
from dpverify.laws.stopping import StoppingLaw
from dpverify.laws.stopping_ball import range_probability
from dpverify.laws.stopping_proof import probabilities

NOISES = ("laplace", "gaussian")
MEASURES = [
    Measure(kind="epsilon", argument=0.0, claimed=1.0),
    Measure(kind="epsilon", argument=0.01, claimed=1.0),
    Measure(kind="delta", argument=0.1, claimed=1.0),
    Measure(kind="renyi", argument=1.5, claimed=1.0),
    Measure(kind="renyi", argument=16.0, claimed=1.0),
    Measure(kind="renyi", argument=math.inf, claimed=1.0),
    Measure(kind="mu", claimed=1.0),
]


def law(levels, *, noise="laplace", threshold_scale=2.0, query_scale=4.0):
    return StoppingLaw(noise=noise, threshold_scale=threshold_scale, query_scale=query_scale, levels=levels)


def pair(*, noise="laplace", levels=(6.0, 6.0, 6.0, -3.0, 1.0)):
    base = np.array(levels)
    return law(base - np.sign(base), noise=noise).against(law(base, noise=noise))


def float_value(laws, measure):
    if measure.kind == "mu":
        return laws.mu()
    return {"epsilon": laws.epsilon, "delta": laws.delta, "renyi": laws.renyi}[measure.kind](measure.argument)


# Closed form


@pytest.mark.parametrize("noise", NOISES)
def test_equal_noises_give_exact_fractions(noise):
    with flint.ctx.workprec(128):
        balls = probabilities(law([0.0] * 4, noise=noise, threshold_scale=3.0, query_scale=3.0))
        for k, ball in enumerate(balls[:-1]):
            assert ball.contains(flint.arb(1) / ((k + 1) * (k + 2)))
            assert ball.rad() < 1e-20
        assert balls[-1].contains(flint.arb(1) / 5)
        assert not balls[0].contains(flint.arb("0.5000000001"))


def test_one_level_with_normal_noise():
    with flint.ctx.workprec(128):
        ball = probabilities(law([-40.0], noise="gaussian", threshold_scale=3.0, query_scale=4.0))[0]
        assert ball.overlaps((flint.arb(8) / flint.arb(2).sqrt()).erfc() / 2)
        assert ball.rad() < ball * 1e-20


@pytest.mark.parametrize("noise", NOISES)
def test_ranges_add_up(noise):
    subject = law([5.0, 5.0, 5.0, -2.0, 0.0, 7.0], noise=noise)
    with flint.ctx.workprec(128):
        balls = probabilities(subject)
        assert sum(balls, flint.arb(0)).contains(1)
        for first, last in ((0, 2), (1, 4), (3, 6), (5, 6), (0, 5)):
            whole = range_probability(subject, (first, last))
            assert whole.overlaps(sum(balls[first : last + 1], flint.arb(0)))
            assert whole.rad() < whole * 1e-19
        assert range_probability(subject, (0, 6)) == 1


# The float law lies within its stated error of the balls: an independent computation


@given(
    noise=st.sampled_from(NOISES),
    threshold_scale=st.floats(0.1, 10.0),
    levels=st.lists(st.floats(-300.0, 300.0) | st.floats(-5.0, 5.0), min_size=1, max_size=3),
    outcome=st.integers(0, 3),
)
@settings(max_examples=25, deadline=None)
def test_float_law_lies_within_its_error(noise, threshold_scale, levels, outcome):
    subject = law(levels, noise=noise, threshold_scale=threshold_scale, query_scale=1.0)
    outcome = min(outcome, len(levels))
    with flint.ctx.workprec(128):
        ball = range_probability(subject, (outcome, outcome)).log()
        assert ball.rad() < 1e-18
        distance = abs(ball - flint.arb(float(subject.log_probabilities()[outcome])))
        assert distance < float(subject.log_errors()[outcome])
        # ... and not because the error is idle: some digits are promised.
        assert subject.log_errors()[outcome] < 1e-9 * max(1.0, abs(float(subject.log_probabilities()[outcome])))


RATIOS = [(150.0, 1.0), (1000.0, 1.0), (5000.0, 1.0), (1e5, 1.0), (1.0, 1000.0), (1.0, 1e5)]


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("scales", RATIOS)
@pytest.mark.parametrize("levels", [[-0.1], [0.0, 0.4], [3.0, 3.0, -8.0], [0.0] * 40, [-300.0, 50.0, 900.0]])
def test_float_law_lies_within_its_error_at_unlike_scales(noise, scales, levels):
    """A threshold far wider than the queries' noise has edges at the levels; a far narrower one is a spike at 0."""
    subject = law(levels, noise=noise, threshold_scale=scales[0], query_scale=scales[1])
    logs, errors = subject.log_probabilities(), subject.log_errors()
    assert np.exp(logs).sum() == pytest.approx(1.0, abs=1e-12)
    with flint.ctx.workprec(128):
        for outcome in sorted({0, len(levels) // 2, len(levels)}):
            ball = range_probability(subject, (outcome, outcome)).log()
            assert ball.is_finite()
            assert ball.rad() < 1e-18
            assert abs(ball - flint.arb(float(logs[outcome]))) < float(errors[outcome])
    assert errors.max() < 1e-8


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("ratio", [500.0, 2500.0])
def test_levels_as_far_apart_as_a_wide_threshold(noise, ratio):
    """No level lies near an end of the grid, and its cells are far longer than the queries' noise."""
    subject = law(np.array([1.0, 0.0, -2.0, 3.0]) * ratio, noise=noise, threshold_scale=ratio, query_scale=1.0)
    with flint.ctx.workprec(128):
        for outcome in (0, 4):
            ball = range_probability(subject, (outcome, outcome)).log()
            assert ball.rad() < 1e-18
            distance = abs(ball - flint.arb(float(subject.log_probabilities()[outcome])))
            assert distance < min(1e-11, float(subject.log_errors()[outcome]))


# Measures


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.label())
def test_lower_bounds_are_proved_and_nearly_the_float_value(noise, measure):
    laws = pair(noise=noise)
    proof, value = laws.prove(measure), float_value(laws, measure)
    assert proof is not None
    assert proof.proved
    assert proof.lower <= value.upper
    assert proof.value == pytest.approx(value.value, rel=1e-7, abs=1e-12)
    assert proof.error < 1e-14


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("measure", MEASURES[:-1], ids=lambda measure: measure.label())
def test_enclosures_hold_the_measure_itself(noise, measure):
    laws = pair(noise=noise, levels=(3.0, -2.0))
    proof, value = laws.enclosure(measure), float_value(laws, measure)
    assert proof is not None
    assert proof.proved
    assert value.lower <= proof.upper
    assert proof.lower <= value.upper
    lower = laws.prove(measure)
    assert lower is not None
    assert lower.lower <= proof.upper


def test_what_cannot_be_proved_is_none():
    many = law(np.zeros(51)).against(law(np.ones(51)))
    assert many.enclosure(MEASURES[0]) is None
    assert many.prove(Measure(kind="sensitivity", claimed=1.0)) is None
    assert many.prove(Measure(kind="renyi", argument=1.0, claimed=1.0)) is None


def test_merging_ranges_loses_little_and_never_gains():
    rng = np.random.default_rng(3)
    base = np.repeat(rng.uniform(-10, 10, 4), 40)
    moved = base + np.repeat([1.0, -1.0, 1.0, -1.0], 40)
    laws = law(base, noise="gaussian").against(law(moved, noise="gaussian"))
    measure = Measure(kind="renyi", argument=8.0, claimed=1.0)
    proof, value = laws.prove(measure), laws.renyi(8.0)
    assert proof is not None
    # 161 outcomes in 48 ranges: what a range loses falls with the square of its length.
    assert value.value * (1 - 1e-3) < proof.value <= value.upper


def test_thousands_of_levels_in_two_blocks():
    base = np.repeat([40.0, -20.0], [4000, 1000])
    moved = np.repeat([39.0, -19.0], [4000, 1000])
    laws = law(base * 0.9).against(law(moved * 0.9))
    proof = laws.prove(MEASURES[0])
    assert proof is not None
    assert proof.value == pytest.approx(laws.epsilon(0.0).value, rel=1e-10)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.label())
def test_equal_laws_prove_nothing(measure):
    same = law([1.0, 2.0]).against(law([1.0, 2.0]))
    proof = same.prove(measure)
    assert proof is not None
    assert proof.lower <= 0
