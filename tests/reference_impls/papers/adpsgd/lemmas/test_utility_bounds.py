"""AP-THM42 and the bounds of AP-PROP51: the recursion beside naive ones and simulation, what falls and what stands."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.accounting.filters import AdpSgdBudget
from dpverify.core.errors import InputError
from dpverify.core.evidence import Enclosed
from dpverify.core.verdict import Status, judge
from dpverify.sampling.streams import stream
from reference_impls.optimizers.adp_sgd_schedules import noise_cost, polynomial
from reference_impls.papers.adpsgd.lemmas.utility_bounds import (
    DELTA,
    RECORDS,
    Utility,
    _followed,
    shown,
    shown_proposition,
)

SHORT = Utility(smoothness=4.0, dimension=3.0, steps=40.0, start=0.05)


def _noise(subject: Utility) -> tuple[np.ndarray, np.ndarray, float]:
    """b, alpha and sigma of (6) with G = 1."""
    steps = round(subject.steps)
    b = polynomial(subject.a, subject.c, steps)
    alpha = np.ones(steps) if subject.alpha == "one" else np.sqrt(b)
    given_ = AdpSgdBudget(epsilon=subject.epsilon, delta=DELTA, n=RECORDS, steps=steps)
    return b, alpha, given_.sigma(alpha.tolist())


@pytest.mark.parametrize("alpha", ["sqrt-b", "one"])
def test_the_recursion_is_the_naive_one(alpha: str) -> None:
    subject = replace(SHORT, alpha=alpha)
    b, alphas, sigma = _noise(subject)
    radius = 1 / (subject.smoothness * math.sqrt(3.0))
    mean, variance, moments = subject.start * radius, 0.0, []
    for t in range(40):
        moments.append(subject.smoothness**2 * (mean**2 + variance))
        kept = 1 - subject.eta * subject.smoothness / b[t]
        mean *= kept
        variance = kept**2 * variance + (subject.eta / b[t] * alphas[t] * sigma) ** 2
    least, weighed, leaves = _followed(b, alphas**2, subject.eta, subject.smoothness, sigma**2, subject.start, radius)
    assert least == pytest.approx(min(moments), rel=1e-12)
    assert weighed == pytest.approx(float(np.sum(np.array(moments) / b**2)), rel=1e-12)
    assert 0 <= leaves < 1e-12
    assert subject.truth().value == pytest.approx(3 * min(moments), rel=1e-6)


def test_simulated_gradients_lie_within_the_enclosure() -> None:
    """Huber's loss itself, epsilon so small that some runs leave; seven standard errors: a false alarm below 1e-10."""
    subject = replace(SHORT, epsilon=0.06, dimension=1.0, start=0.3)
    b, alphas, sigma = _noise(subject)
    smooth, radius, size = subject.smoothness, 1 / subject.smoothness, 200_000
    rng = stream(0, "huber")
    theta, means, errors = np.full(size, subject.start * radius), [], []
    for t in range(40):
        gradient = smooth * np.clip(theta, -radius, radius)
        means.append(float(np.mean(gradient**2)))
        errors.append(float(np.std(gradient**2)) / math.sqrt(size))
        theta = theta - subject.eta / b[t] * (gradient + alphas[t] * sigma * rng.standard_normal(size))
    least, weighed, leaves = _followed(b, alphas**2, subject.eta, smooth, sigma**2, subject.start, radius)
    assert 1e-5 < leaves < 0.3
    assert min(means) >= subject.truth().value - 7 * max(errors)
    upper = weighed + leaves * (smooth * radius) ** 2 * float(np.sum(1 / b**2))
    assert float(np.sum(np.array(means) / b**2)) <= upper + 7 * float(np.sum(np.array(errors) / b**2))
    assert least >= min(means) - 7 * max(errors)


def test_7_as_printed_by_hand() -> None:
    subject = SHORT
    b, alphas, sigma = _noise(subject)
    radius = 1 / (subject.smoothness * math.sqrt(3.0))
    _, weighed, leaves = _followed(b, alphas**2, 1.0, 4.0, sigma**2, subject.start, radius)
    gap = 3 * 4.0 * (subject.start * radius) ** 2 / 2
    b_delta = AdpSgdBudget(epsilon=12.8, delta=DELTA, n=RECORDS, steps=40).b_delta()
    third = 3 * 256 * b_delta / (2 * RECORDS**2 * 12.8**2) * noise_cost(alphas, b)
    for bound, factor in (("theorem", 1.0), ("theorem-mended", 4.0)):
        right = (gap + 2.0 * 3 * (weighed + leaves / 3 * float(np.sum(1 / b**2))) + factor * third) / np.sum(1 / b)
        assert replace(subject, bound=bound).printed().value == pytest.approx(float(right), rel=1e-9)


@pytest.mark.parametrize(("bound", "alpha"), [("adp", "sqrt-b"), ("adp-mended", "sqrt-b"), ("dp", "one")])
def test_9_and_10_by_hand(bound: str, alpha: str) -> None:
    subject = Utility(bound=bound, alpha=alpha, smoothness=0.5, dimension=10.0, steps=200.0, start=0.2, eta=2.0)
    b_delta = AdpSgdBudget(epsilon=12.8, delta=DELTA, n=RECORDS, steps=200).b_delta()
    log = math.log(1 + 200 / 20)
    gap = 0.5 * 0.04 / (0.25 * 2)  # d L (start R)^2 / 2 with R^2 = 1 / (L^2 d)
    third = 2.0 * 10 * 0.5 * 256 * b_delta * math.sqrt(200) / (2 * RECORDS**2 * 12.8**2)
    factor = {"adp": 1.0, "adp-mended": 2.0, "dp": 2 * log}[bound]
    right = (gap / 2.0 + 2.0 * 0.5 * log / 2) / math.sqrt(199) + factor * third
    assert subject.printed().value == pytest.approx(right, rel=1e-9)


def test_nothing_is_said_of_the_other_algorithm_or_too_few_steps() -> None:
    assert math.isinf(Utility(bound="dp").printed().value)
    assert math.isinf(Utility(bound="adp", alpha="one").printed().value)
    assert math.isinf(Utility(bound="adp", steps=84.0).printed().value)


@pytest.mark.parametrize("bound", ["theorem", "theorem-mended", "adp"])
def test_the_proof_holds_the_float_ratio(bound: str) -> None:
    subject = Utility(bound=bound, steps=300.0)
    proof = subject.proved_ratio()
    assert proof is not None
    assert proof.proved
    assert proof.value == pytest.approx(subject.truth().value / subject.printed().value, rel=1e-9)


def test_no_proof_where_coordinates_leave() -> None:
    subject = Utility(dimension=1e5, smoothness=5.0, steps=300.0, epsilon=0.1)
    assert subject.truth().value == 0.0
    assert subject.proved_ratio() is None


@given(
    smoothness=st.floats(0.01, 9.0),
    dimension=st.floats(1.0, 1e5),
    start=st.floats(1e-3, 1.0),
    alpha=st.sampled_from(["sqrt-b", "one"]),
    eta=st.floats(0.1, 1.0),
)
def test_the_mended_theorem_holds_everywhere(
    smoothness: float, dimension: float, start: float, alpha: str, eta: float
) -> None:
    subject = Utility(
        bound="theorem-mended",
        smoothness=smoothness,
        dimension=dimension,
        start=start,
        alpha=alpha,
        eta=eta,
        steps=500.0,
    )
    assert subject.truth().lower <= subject.printed().upper


@dataclass(frozen=True, slots=True, kw_only=True)
class Less(Utility):
    """A mutant: nine tenths of the bound."""

    def printed(self) -> Enclosed:
        found = Utility.printed(self)
        return Enclosed(value=0.9 * found.value, error=0.0 if math.isinf(found.value) else found.error)

    def proved_ratio(self) -> Enclosed | None:
        found = Utility.proved_ratio(self)
        return None if found is None else Enclosed(value=found.value / 0.9, error=1e-12 * found.value, proved=True)


def test_7_falls_and_its_repair_stands(examined) -> None:
    evidence = examined("AP-THM42", effort=0.5)
    assert judge(evidence) is Status.REFUTED
    assert evidence.proved
    assert evidence.bound > 3
    assert evidence.statistics["own"]["ratio"] < 1
    assert judge(examined("AP-THM42-R", effort=0.5)) is Status.NOT_REFUTED
    assert judge(examined("AP-THM42-R", Less)) is Status.REFUTED


def test_9_falls_at_its_own_numbers_10_stands_and_so_does_the_repair(examined) -> None:
    evidence = examined("AP-PROP51.utility-adp", effort=0.5)
    assert judge(evidence) is Status.REFUTED
    assert evidence.statistics["own"]["ratio"] > 1.04
    assert judge(examined("AP-PROP51.utility-dp")) is Status.NOT_REFUTED
    assert judge(examined("AP-PROP51-R.utility-adp", effort=0.5)) is Status.NOT_REFUTED


def test_what_the_remarks_show_holds() -> None:
    assert shown().holds
    assert shown_proposition().holds


def test_bad_input() -> None:
    with pytest.raises(InputError, match="bound"):
        Utility(bound="(7)")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="alpha"):
        Utility(alpha="zero")
    with pytest.raises(InputError, match="start"):
        Utility(start=2.0)
