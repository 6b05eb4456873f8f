"""DP-BLGD: averaging two measurements is one at the raised budget; tests and payments agree."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.line_search.dp_blgd import DpBlgd

SUBJECT = DpBlgd(epsilon=20.0, orders=(4, 16), rho_grad=0.05, budget_bt=0.5, eta0=100.0, max_it=3, most_steps=30)


def test_the_average_has_the_raised_budget(small: Table) -> None:
    """Noise of g1 + xi g2 over 1 + xi: variance C^2 / (2 (1 + xi) rho), in the units of the sum."""
    transcript = SUBJECT.transcript(small, rng=stream(0, "blgd"))
    gradients = [entry for entry in transcript.perturbed if entry.name == "gradient"]
    rhos = transcript.public["gradient-budget"]
    assert (transcript.answers == 3).any()
    first = int(np.argmax(np.isclose(rhos, 0.3 * rhos[0])))  # the first failed search
    variances = [(30.0 * gradients[k].scale) ** 2 for k in (first - 1, first)]
    combined = (variances[0] + 0.09 * variances[1]) / 1.69
    assert combined == pytest.approx(3.0**2 / (2 * 1.3 * 0.05))


@pytest.mark.parametrize("number", range(3))
def test_a_twin_from_the_transcript(small: Table, number: int) -> None:
    """Plain NumPy: gradients at the iterates from the features, steps from the answers; searches fail and succeed."""
    transcript = SUBJECT.transcript(small, rng=stream(number, "blgd"))
    assert (transcript.answers == 3).any() and (transcript.answers < 3).any()
    noise = iter(transcript.noise("gradient"))
    answers = iter(transcript.answers.tolist())
    weights, rho, eta0, chosen = np.zeros(3), 0.05, 100.0, list[float]()
    left = 20.0 - np.log(1e8) / np.array([3.0, 15.0])

    def mean(at: np.ndarray) -> np.ndarray:
        slopes = -small.labels / (1.0 + np.exp(np.clip(small.labels * (small.features @ at), -700, 700)))
        return np.asarray((slopes[:, None] * small.features).mean(axis=0) + 0.001 * at)  # |x| < 3: nothing is clipped

    def search_cost() -> np.ndarray:
        out = []
        for a in (4, 16):
            factors = [(a * np.exp(0.25 * (a - 1)) + (a - 1) * np.exp(-0.25 * a)) / (2 * a - 1)] * 2
            out.append(np.log(factors[0] * factors[1]) / (a - 1))
        return np.array(out)

    orders = np.array([4.0, 16.0])
    for iteration, step in enumerate(transcript.step_sizes):
        direction, eta = mean(weights) + next(noise), 0.0
        left = left - orders * rho
        while eta == 0.0 and (left > search_cost()).any():
            answer, left = next(answers), left - search_cost()
            if answer < 3:
                eta = eta0 * 0.8**answer
            elif (left > 0.3 * orders * rho).any():
                left = left - 0.3 * orders * rho
                direction = (direction + 0.3 * (mean(weights) + next(noise))) / 1.3
                rho *= 1.3
            else:
                break
        assert step == pytest.approx(eta)
        weights = weights - eta * direction
        chosen += [eta] if eta else []
        if iteration % 10 == 9:
            eta0, chosen = min([eta0] + [1.2 * max(chosen)] * bool(chosen)), []
        assert transcript.iterates[iteration + 1] == pytest.approx(weights, rel=1e-9)
    assert SUBJECT.total - transcript.budgets.sum(axis=0) == pytest.approx(left, rel=1e-9)
    assert next(answers, None) is None and next(noise, None) is None


@pytest.mark.parametrize("number", range(5))
def test_some_order_stays_within_its_budget(small: Table, number: int) -> None:
    transcript = SUBJECT.transcript(small, rng=stream(number, "spent"))
    assert (SUBJECT.total - transcript.budgets.sum(axis=0)).max() >= 0


def test_a_budget_too_small_for_one_gradient_releases_nothing(small: Table) -> None:
    transcript = DpBlgd(epsilon=1e-6, rho_grad=1.0).transcript(small, rng=stream(0, "poor"))
    assert not transcript.perturbed and not transcript.draws
    assert transcript.result.tolist() == [0.0, 0.0, 0.0]
