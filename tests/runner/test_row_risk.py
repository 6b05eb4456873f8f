"""What a claim allows and what evidence shows of an attacker: closed forms, and never more shown than a law has."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm

from dpverify.core.plugins import registry
from dpverify.definitions.grammar import parse_guarantee
from dpverify.runner.row_risk import claimed_risk, shown_risk


def guarantee(text):
    return parse_guarantee(text, registry().definitions.mapping())


def evidence(kind="epsilon", argument=0.0, bound=0.0, **picture):
    return [{"measure": {"kind": kind, "argument": argument}, "bound": bound, "picture": picture}]


def test_a_gaussian_claim_has_the_closed_forms():
    told = claimed_risk(guarantee("GDP(mu=1)"))
    for rate, power in told["power"].items():
        exact = norm.sf(norm.isf(float(rate)) - 1.0)
        assert exact <= power <= exact * (1 + 1e-9)
        assert told["posterior"][rate] == pytest.approx(0.1 * exact / (0.1 * exact + 0.9 * float(rate)))
    assert told["reconstruction"] == told["power"]
    assert told["advantage"] == pytest.approx(2 * norm.cdf(0.5) - 1) and told["mu"] == pytest.approx(1.0)


def test_rates_come_before_the_bound():
    told = shown_risk(evidence(bound=2.0, rectangle={"fpr_high": 0.02, "fnr_high": 0.9}))
    assert told["from"] == "rates"
    assert told["power"] == pytest.approx({"0.01": 0.05, "0.001": 0.005, "1e-05": 5e-5})
    assert told["advantage"] == pytest.approx(0.08) and told["advantage"] <= 0.08
    assert told["posterior_of_event"] == pytest.approx(0.5 / 1.4)


def test_an_exact_curve_shows_its_power():
    alpha = np.unique(np.concatenate([np.linspace(0, 1, 2001), np.geomspace(1e-12, 1, 2001)]))
    beta = norm.cdf(norm.isf(alpha) - 1.0)
    told = shown_risk(evidence(exact={"alpha": alpha.tolist(), "beta": beta.tolist()}))
    assert told["from"] == "curve"
    for rate, power in told["power"].items():
        exact = norm.sf(norm.isf(float(rate)) - 1.0)
        assert exact * 0.99 <= power <= exact
    assert told["advantage"] == pytest.approx(2 * norm.cdf(0.5) - 1, abs=1e-6)


def test_a_bound_alone_shows_no_power_without_delta():
    told = shown_risk(evidence(bound=1.0))
    assert told["from"] == "bound" and told["advantage"] == told["mu"] == 0.0
    assert all(power == float(rate) for rate, power in told["power"].items())
    assert told["posterior_of_event"] == pytest.approx(0.1 * math.e / (0.1 * math.e + 0.9))


def test_a_delta_is_an_advantage():
    told = shown_risk(evidence("delta", 0.5, 0.2))
    assert told["advantage"] == pytest.approx(0.2) and told["power"]["0.01"] > 0.01
    assert shown_risk(evidence("epsilon", 0.2, 0.5)) == told


@pytest.mark.parametrize(
    "nothing",
    [
        [],
        evidence(bound=0.0),
        evidence("renyi", 2.0, 1.0),
        evidence("sensitivity", None, 3.0),
        evidence(rectangle={"fpr_high": 0.5, "fnr_high": 0.6}),
        evidence(rectangle={"fpr_high": "x", "fnr_high": None}),
        evidence("delta", -0.5, 0.2),
        evidence("delta", 0.5, 1.5),
        *(evidence(rectangle=each) for each in (5, "rates", [0.1], {})),
        *(evidence(exact=each) for each in (5, "curve", [0.1], {}, {"alpha": [0.0, 1.0]})),
        evidence(exact={"alpha": [], "beta": []}),
        evidence(exact={"alpha": [0.0], "beta": [0.0]}),
        evidence(exact={"alpha": [0.0, 0.5, 1.0], "beta": [1.0, 0.0]}),
        evidence(exact={"alpha": [0.0, 1.0, 0.5], "beta": [1.0, 0.2, 0.0]}),
        evidence(exact={"alpha": [0.0, 1.0], "beta": [1.0, -50.0]}),
        evidence(exact={"alpha": [0.0, 1.0], "beta": [1.0, "nan"]}),
        evidence(exact={"alpha": [0.0, float("nan")], "beta": [1.0, 0.0]}),
    ],
)
def test_what_shows_nothing_says_nothing(nothing):
    assert shown_risk(nothing) is None


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_no_more_is_shown_of_randomised_response_than_it_allows(epsilon):
    """The pair attains the claim: its own rates and its own bound show what the claim allows, and no more."""
    likely = 1.0 / (1.0 + math.exp(-epsilon))
    claim = claimed_risk(guarantee(f"PureDP(epsilon={epsilon!r})"))
    for found in (
        evidence(rectangle={"fpr_high": 1.0 - likely, "fnr_high": 1.0 - likely}),
        evidence(bound=epsilon),
        evidence("delta", 0.0, 2.0 * likely - 1.0),
    ):
        told = shown_risk(found)
        assert all(told["power"][rate] <= claim["power"][rate] for rate in claim["power"])
        assert told["advantage"] <= claim["advantage"] and told["mu"] <= claim["mu"]
        assert told["posterior_of_event"] <= claim["posterior"]["1e-05"]


def test_the_worse_of_both_directions_counts():
    one_sided = SimpleNamespace(
        tradeoff=lambda at, *, reverse: np.full_like(at, 0.2 if reverse else 0.5),
        delta=lambda _at, *, reverse: 0.1 if reverse else 0.4,
    )
    told = claimed_risk(one_sided)
    assert told["power"]["0.01"] == pytest.approx(0.8) and told["advantage"] == 0.4
