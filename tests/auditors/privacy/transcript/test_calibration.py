"""The transcript auditor at the exact boundary: our DP-SGD, claimed at its own sigma by our own PLD.

An exceedance is a refutation, a bound above the exact epsilon, or a level-curve bound above it (a refuted sigma' at or
below the true one). A valid auditor fails a test here with probability at most 1e-8.
"""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from auditors.privacy.transcript.auditor import TranscriptAuditor
from auditors.privacy.transcript.evidence import Choice, Counts
from auditors.privacy.transcript.plan import best_event, log_ratio, pilot_events, scores_for
from dpverify.accounting.subsampled_guarantee import SubsampledGaussian
from dpverify.core.claim import SearchSpace
from dpverify.core.plugins import registry
from dpverify.stats.epsilon import epsilon_lower
from reference_impls.optimizers.dp_sgd import DpSgd
from tests.calibration.boundaries import Boundary
from tests.calibration.harness import boundary_task, exceedances
from tests.calibration.shortened import shortened

pytestmark = pytest.mark.ci

RATE, STEPS = 0.25, 8
TELLING, QUIET = 2.0, 100.0
"""Noise at which one score comes near the boundary, and so much that all of them do."""


def boundary(sigma=TELLING):
    return Boundary(
        name=f"dp-sgd-{sigma:g}",
        subject=DpSgd(model="squared", steps=STEPS, rate=RATE, noise_multiplier=sigma, divisor=1.0, step_size=1e-3),
        guarantee=SubsampledGaussian(rate=RATE, sigma=sigma, steps=STEPS),
        neighbors=registry().neighbors.get("add-remove/canaries"),
        space=SearchSpace(size=2, low=0.0, high=1e9, generator="add-remove/canaries"),
    )


@pytest.mark.parametrize(
    ("sigma", "alpha", "trials", "repetitions"),
    [
        (TELLING, 0.05, 2000, 15),
        (QUIET, 0.2, 5000, 30),
        pytest.param(TELLING, 0.2, 100, 400, marks=pytest.mark.slow),
        pytest.param(TELLING, 0.05, 100_000, 200, marks=pytest.mark.slow),
        pytest.param(TELLING, 0.2, 5000, 600, marks=pytest.mark.slow),
    ],
)
def test_exceeds_no_more_often_than_alpha(sigma, alpha, trials, repetitions):
    """Both bounds at once, which the harness counts: alpha is spent on the two together."""
    tally = exceedances(
        TranscriptAuditor(), boundary(sigma), alpha=alpha, trials=trials, repetitions=repetitions, settle=True
    )
    assert not tally.fails, tally.text()


@dataclass(frozen=True, slots=True, kw_only=True)
class NoSplit(TranscriptAuditor):
    """Sabotaged: chooses the best-looking event, and then counts it in the very transcripts that it was chosen on."""

    name: str = "transcript-no-split"

    def _choose(self, task, guarantee):
        pair = task.neighbors.candidates(task.claim.space, limit=1, rng=task.stream("pairs"))[0]
        subject = task.build()
        sides = [
            subject.traces(data, task.trials, rng=task.stream("count", side, 0))
            for side, data in enumerate((pair.d0, pair.d1))
        ]
        events = [
            each
            for score in scores_for(sides[0], rate=guarantee.rate, sigma=guarantee.sigma)
            for each in pilot_events(score, score.of(sides[0]), score.of(sides[1]))
        ]
        best = {
            "alpha": task.alpha / 2,
            "bound": lambda region: epsilon_lower(region, delta=guarantee.at_delta),
        }
        tail = best_event(events, task.trials, objective=log_ratio(guarantee.at_delta), **best)
        bulk = best_event(events, task.trials, objective=lambda p, q: np.asarray(p - 1 + guarantee.tradeoff(q)), **best)
        return Choice(pair=pair, tail=tail, bulk=bulk, basis="sabotage")


def test_counting_on_the_pilot_is_caught():
    tally = exceedances(NoSplit(), boundary(QUIET), alpha=0.2, trials=5000, repetitions=50, settle=True)
    assert tally.fails, tally.text()


@dataclass(frozen=True, slots=True, kw_only=True)
class Halved(TranscriptAuditor):
    """Sabotaged: takes half of the other side's counts for its own, as one who forgot one side's limit would."""

    name: str = "transcript-halved"

    def _count(self, task, choice) -> Counts:
        (k1, k2), (m1, m2) = TranscriptAuditor._count(self, task, choice)
        return (k1, k2 // 2), (m1, m2 // 2)


def test_a_wrong_count_is_caught():
    tally = exceedances(Halved(), boundary(), alpha=0.05, trials=1000, repetitions=20, settle=True)
    assert tally.fails, tally.text()
    with shortened():
        found = [
            Halved().audit(boundary_task(Halved(), boundary(), alpha=0.05, trials=1000, repetition=place))
            for place in range(5)
        ]
    assert sum(math.isinf(evidence.statistics["family"]["epsilon"]) for evidence in found) >= 3  # its truth is refuted
