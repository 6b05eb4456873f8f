"""DP-AGD: a twin on the same draws, its budget, its average as one measurement, its limit, bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.core.transcript import Transcript
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.models.linear_loss import LINEAR_LOSSES
from reference_impls.models.model import find_model
from reference_impls.optimizers.dp_agd import DpAgd
from reference_impls.training.trainer import Training

RNG = np.random.default_rng(7)
TABLE = Table(features=RNG.normal(size=(30, 3)), labels=RNG.choice([-1.0, 1.0], 30)).normalised()
SHORT = {"splits": 8, "candidates": 4, "epsilon": 4.0, "tau": 3, "c_grad": 0.6, "c_obj": 0.9, "l2": 0.2}


def twin(whole: Transcript) -> tuple[list[np.ndarray], list[int], float]:
    """The iterates, the answers, and what is left, from the transcript's draws: plain NumPy, written from the text."""
    gradients = iter(draw.values for draw in whole.draws if draw.name == "gradient")
    laplaces = iter(draw.values[0] for draw in whole.draws if draw.name == "objective")
    x, y = TABLE.features, TABLE.labels
    log = math.log(1e8)
    rho = (math.sqrt(4.0 + log) - math.sqrt(log)) ** 2
    rho_nmax = (4.0 / 16) ** 2 / 2
    rho_ng = 1 / (2 * (math.sqrt(2 * math.log(1.25e8)) / (4.0 / 16)) ** 2)
    w, top, chosen, points, answers = np.zeros(3), 2.0, [], [np.zeros(3)], []
    while True:
        g = -(y / (1 + np.exp(y * (x @ w))))[:, None] * x
        g = (g / np.maximum(1, np.linalg.norm(g, axis=1) / 0.6)[:, None]).sum(axis=0)
        if not rho > rho_ng + rho_nmax:
            return points, answers, rho
        weighted, weight = rho_ng * (g + 0.6 / math.sqrt(2 * rho_ng) * next(gradients)), rho_ng
        rho -= rho_ng
        while True:
            if not rho > rho_nmax:
                return points, answers, rho
            direction = weighted / weight + 0.2 * w
            direction /= np.linalg.norm(direction)
            steps = [top * k / 4 for k in range(5)]
            scores = []
            for step in steps:
                at = w - step * direction
                losses = np.minimum(np.log1p(np.exp(-y * (x @ at))), 0.9)
                scores.append(losses.sum() + 0.1 * at @ at + 0.9 / math.sqrt(2 * rho_nmax) * next(laplaces))
            rho -= rho_nmax
            answers.append(int(np.argmin(scores)))
            if answers[-1]:
                break
            more = 0.1 * rho_ng
            if not rho > more:
                return points, answers, rho
            weighted = weighted + more * (g + 0.6 / math.sqrt(2 * more) * next(gradients))
            weight += more
            rho, rho_ng = rho - more, rho_ng + more
        w = w - steps[answers[-1]] * direction
        points.append(w)
        chosen.append(steps[answers[-1]])
        if len(points) % 3 == 1:
            top, chosen = min(1.1 * max(chosen), 2.0), []


@pytest.mark.parametrize("seed", range(3))
def test_it_is_its_twin(seed: int) -> None:
    whole = DpAgd(**SHORT).transcript(TABLE, rng=stream(0, "agd", seed))
    points, answers, left = twin(whole)
    assert whole.answers.tolist() == answers
    assert 0 in answers
    assert len(points) > 4  # past a reset
    assert whole.iterates == pytest.approx(np.array(points), rel=1e-10, abs=1e-12)
    assert whole.step_sizes == pytest.approx(np.linalg.norm(np.diff(points, axis=0), axis=1), rel=1e-9)
    assert DpAgd(**SHORT).rho - whole.budgets.sum() == pytest.approx(left, rel=1e-9)


@pytest.mark.parametrize("changed", [{}, {"l2": 0.0, "gamma": 2.0}, {"splits": 30, "tau": 1, "candidates": 1}])
@pytest.mark.parametrize("loss", [*LINEAR_LOSSES, "huber-svm:0.1"])
def test_the_kernel_is_the_loop(loss: str, changed: dict[str, float]) -> None:
    """Equal up to the order of sums, unless a selection is so close that this decides it: never in so few."""
    algorithm = DpAgd(**{**SHORT, "model": loss, **changed})
    fast = algorithm.sample(TABLE, 6, rng=stream(0, "kernel", loss))
    assert fast == pytest.approx(Training.sample(algorithm, TABLE, 6, rng=stream(0, "kernel", loss)), rel=1e-11)
    assert np.abs(fast).min() > 0


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32), st.integers(4, 30), st.floats(0.1, 20.0), st.floats(0.01, 3.0))
def test_the_budget_is_never_exceeded_and_pays_for_what_was_drawn(
    seed: int, splits: int, epsilon: float, gamma: float
) -> None:
    algorithm = DpAgd(splits=splits, epsilon=epsilon, gamma=gamma, candidates=3, delta=1e-3)
    whole = algorithm.transcript(TABLE, rng=stream(0, "budget", seed))
    assert whole.budgets.sum() <= algorithm.guarantee().rho * (1 + 1e-12)
    gradients = [each for each in whole.perturbed if each.name == "gradient"]
    paid = sum((each.sensitivity / each.scale) ** 2 / 2 for each in gradients)
    searches = whole.answers.size * algorithm.rho_nmax
    assert paid + searches == pytest.approx(whole.budgets.sum(), rel=1e-9)
    assert sum(each.name == "objective" for each in whole.perturbed) == 4 * whole.answers.size


def test_the_budgets_are_those_of_the_conversions() -> None:
    algorithm = DpAgd(epsilon=1.2, delta=1e-6, splits=60)
    assert algorithm.rho + 2 * math.sqrt(algorithm.rho * math.log(1e6)) == pytest.approx(1.2, rel=1e-12)
    assert math.sqrt(2 * algorithm.rho_nmax) == pytest.approx(0.01, rel=1e-12)
    sigma = math.sqrt(2 * math.log(1.25e6)) / 0.01
    assert algorithm.rho_ng == pytest.approx(1 / (2 * sigma**2), rel=1e-12)


def test_with_a_vast_budget_it_comes_near_the_optimum() -> None:
    algorithm = DpAgd(epsilon=1e12, delta=0.5, splits=10**7, c_grad=5.0, c_obj=9.0, l2=1.0, tau=2)
    weights = algorithm.train(TABLE, rng=stream(0, "limit"))
    gradient = find_model("logistic").gradient(weights, TABLE) + 1.0 * weights
    assert np.linalg.norm(gradient) < 0.05  # 2.3 at the start


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"splits": 1, "candidates": 0}, "candidates"),
        ({"splits": 1, "epsilon": 8.0}, "costs less than the budget"),
        ({"delta": 1.0}, "delta"),
        ({"c_obj": math.inf}, "c_obj"),
        ({"gamma": 0.0}, "gamma"),
        ({"varsigma": 1.0}, "varsigma"),
        ({"tau": 0}, "tau"),
    ],
)
def test_bad_settings_are_refused(wrong: dict[str, float], named: str) -> None:
    with pytest.raises(InputError, match=named):
        DpAgd(**wrong)  # type: ignore[arg-type]
