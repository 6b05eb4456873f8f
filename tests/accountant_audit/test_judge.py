"""Lower bounds are below the closed forms, and within a hundredth of them."""

import math

import pytest

from dpverify.accountant_audit.judge import Judge, is_below
from dpverify.accountant_audit.kinds import KINDS, NUMBERS, AuditedRun
from dpverify.accounting.side_by_side import account


def run(kind, count=1, **numbers):
    return AuditedRun(kind, tuple(numbers.items()), count)


SOME = [
    (run("gaussian", 3, sigma=2.0, sensitivity=0.5), "gaussian(sigma=4)*3"),
    (run("poisson-gaussian", 20, q=0.1, sigma=1.0), "poisson-gaussian(q=0.1, sigma=1)*20"),
    (run("laplace", 4, scale=2.0), "laplace(scale=2)*4"),
    (run("pure", 7, epsilon=0.5), "randomised-response(epsilon=0.5)*7"),
    (run("exponential", 7, epsilon=1.0), "randomised-response(epsilon=0.5)*7"),
    (run("zcdp", 2, rho=0.125), "gaussian(sigma=2)*2"),
]


@pytest.mark.parametrize(("one", "text"), SOME)
def test_bounds_are_never_above_the_best_bracket_and_near_it(one, text):
    judge = Judge(relation="add-remove")
    for delta in (1e-5, 0.01):
        best = account(text, delta=delta)
        low, bound = best.highest.bracket.lower, judge.epsilon((one,), delta).value
        assert 0.98 * low <= bound <= best.lowest.bracket.upper * (1 + 1e-9)
    best = account(text, epsilon=0.5)
    assert judge.delta((one,), 0.5).value <= best.lowest.bracket.upper * (1 + 1e-9)


def test_every_kind_is_attained_by_a_step_with_these_numbers():
    judge = Judge(relation="add-remove")
    for kind, about in KINDS.items():
        plain = run(kind, **{name: NUMBERS[name].plain[0] for name in about.numbers})
        assert judge.epsilon((plain,), 1e-5).value > 0


def test_an_exponential_mechanism_costs_no_less_than_what_attains_it():
    """Two candidates, scores that move by half of epsilon in opposite directions: the loss has the range epsilon."""
    epsilon = 1.2
    first = math.exp(epsilon / 2) / (1 + math.exp(epsilon / 2))
    losses = math.log(first / (1 - first)), math.log((1 - first) / first)
    assert losses[0] - losses[1] == pytest.approx(epsilon)
    assert first == pytest.approx(1 / (1 + math.exp(-epsilon / 2)))


def test_nothing_is_known_of_samples_under_replacement():
    judge = Judge(relation="replace")
    sampled = run("poisson-gaussian", q=0.5, sigma=1.0)
    assert not judge.knows((sampled,))
    assert judge.epsilon((sampled,), 1e-5).value == math.log1p(-1e-5)
    assert judge.knows((run("gaussian", sigma=1.0),))


def test_rounding_is_allowed_for():
    assert not is_below(1 - 1e-7, 1.0)
    assert is_below(1 - 1e-5, 1.0)
    assert not is_below(math.nan, 1.0)
    assert is_below(1.0, math.inf)
