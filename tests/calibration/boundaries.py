"""Mechanisms at the exact boundary of their claim: a valid auditor refutes each of them with probability alpha at most.

Every claim here holds, and with not a hair to spare: its numbers are closed forms, or the upper end of a proved or
bracketed value a few units in the last place above the truth. One pair only, so that what is calibrated is the
auditor's statistics and not its luck in finding a pair. Subjects offer all that a subject of their kind can: samples,
counts, the exact law.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from dpverify.accounting.accountants.pld import PldAccountant
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.accounting.subsampled_guarantee import SubsampledGaussian
from dpverify.core.claim import SearchSpace
from dpverify.core.composition import Composition
from dpverify.datasets.neighbors.numbers import Numbers
from dpverify.definitions.comparisons import Ordering
from dpverify.definitions.gdp import GDP
from dpverify.definitions.number_bounds import Expectation
from dpverify.definitions.pure_dp import ApproxDP, PureDP
from dpverify.definitions.rdp import RDP, ZCDP
from dpverify.testing.boundaries import Boundary as ExactBoundary
from dpverify.testing.boundaries import Noise, Response, gaussian_delta, one_pair
from reference_impls.floating_point.grid_laplace import GridLaplace
from reference_impls.floating_point.snapping import Snapping, epsilon_of
from tests.calibration.attacked import Canaries, Steps, Trainings
from tests.calibration.handed import Handed, handed_pair
from tests.calibration.recorded import Recorded
from tests.calibration.subjects import Die, Pairs, Runs


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Boundary(ExactBoundary):
    """A boundary, and how the calibration takes it.

    Attributes
    ----------
    light : bool
        Whether audits of it take a fraction of a second; the others are left to `make calibrate`.
    first : bool
        Whether the table begins with it: randomised response, a Laplace tail, a Gaussian with its exact delta, a
        sampled Gaussian, and for auditors that see other things than samples one boundary of their own.
    most : int or None
        No table has more trials of it than these, because of `reason`.
    """

    light: bool = True
    first: bool = False
    most: int | None = None
    reason: str = ""


SAMPLED, STEPS = 0.3, 3
"""Sampling rate and steps of the sampled Gaussians."""


_AT_MOST_ONE = Ordering(metric="accuracy", better=("better",), worse=("worse",), margin=1.0, unit="own")
_SOME_AT_MOST_ONE = replace(_AT_MOST_ONE, quantifier="some")

SNAPPED = 8.0
"""Where the snapping mechanism clamps."""

PROGRAMS: dict[str, Any] = {
    "light": False,
    "most": 100,
    "reason": "a trial is seven runs of a Python program under a recorder, 3 ms in all: 2,000 audits of 100,000 trials "
    "would take a processor a week",
}


@cache
def sampled_gaussian_delta(epsilon: float, *, rate: float, scale: float, steps: int) -> float:
    """delta(epsilon) of so many steps of the Gaussian mechanism on a Poisson sample: the PLD bracket's upper end."""
    step = PoissonGaussianStep(q=rate, sigma=scale)
    return PldAccountant().compose(Composition.repeat(step, steps)).delta(epsilon).upper


def boundaries() -> tuple[Boundary, ...]:
    """All of them, fresh (the sampled ones ask the PLD once a process)."""
    zero, one = one_pair([0.0], [1.0]), one_pair([0.0] * STEPS, [1.0] * STEPS, "add-remove")
    normal = Noise(kind="normal")
    sampled = Noise(kind="normal", rate=SAMPLED)
    return (
        Boundary(
            name="response",
            subject=Response(epsilon=1.0),
            guarantee=PureDP(epsilon=1.0),
            neighbors=one_pair(0, 1, "value"),
            space=SearchSpace(size=2),
            first=True,
        ),
        Boundary(
            name="die",
            subject=Die(size=64),
            guarantee=PureDP(epsilon=0.0),
            neighbors=one_pair(0, 1, "value"),
            space=SearchSpace(size=64),
        ),
        Boundary(name="laplace", subject=Noise(), guarantee=PureDP(epsilon=1.0), neighbors=zero, first=True),
        Boundary(
            name="gaussian",
            subject=normal,
            guarantee=ApproxDP(epsilon=1.0, delta=gaussian_delta(1.0, scale=1.0)),
            neighbors=zero,
            first=True,
        ),
        Boundary(name="gaussian-mu", subject=normal, guarantee=GDP(mu=1.0), neighbors=zero),
        Boundary(
            name="gaussian-renyi",
            subject=normal,
            guarantee=RDP(orders=(2.0, 8.0), epsilons=(1.0, 4.0)),
            neighbors=zero,
            light=False,
        ),
        Boundary(name="gaussian-rho", subject=normal, guarantee=ZCDP(rho=0.5), neighbors=zero, light=False),
        Boundary(
            name="sampled-gaussian",
            subject=sampled,
            guarantee=ApproxDP(epsilon=0.5, delta=sampled_gaussian_delta(0.5, rate=SAMPLED, scale=1.0, steps=1)),
            neighbors=one_pair([0.0], [1.0], "add-remove"),
            first=True,
        ),
        Boundary(
            name="sampled-gaussian-steps",
            subject=sampled,
            guarantee=ApproxDP(epsilon=1.0, delta=sampled_gaussian_delta(1.0, rate=SAMPLED, scale=1.0, steps=STEPS)),
            neighbors=one,
        ),
        Boundary(
            name="traces",
            subject=Steps(rate=SAMPLED, sigma=1.0),
            guarantee=SubsampledGaussian(rate=SAMPLED, sigma=1.0, steps=STEPS, at_delta=0.01),
            neighbors=one,
            first=True,
        ),
        Boundary(
            name="snapping",
            subject=Snapping(epsilon=1.0, bound=SNAPPED),
            guarantee=PureDP(epsilon=epsilon_of(1.0, SNAPPED)),
            neighbors=zero,
        ),
        Boundary(
            name="grid-laplace",
            subject=GridLaplace(epsilon=1.0),
            guarantee=ApproxDP(epsilon=1.0, delta=1e-9),
            neighbors=zero,
        ),
        Boundary(name="recorded", subject=Recorded(), guarantee=GDP(mu=1.0), neighbors=zero, first=True, **PROGRAMS),
        Boundary(
            name="recorded-laplace",
            subject=Recorded(kind="laplace"),
            guarantee=PureDP(epsilon=1.0),
            neighbors=zero,
            first=True,
            **PROGRAMS,
        ),
        Boundary(name="scores", subject=Trainings(), guarantee=PureDP(epsilon=1.0), neighbors=zero, first=True),
        Boundary(name="scores-mu", subject=Trainings(kind="normal"), guarantee=GDP(mu=1.0), neighbors=zero),
        Boundary(name="canaries", subject=Canaries(), guarantee=PureDP(epsilon=1.0), neighbors=zero, first=True),
        Boundary(name="canaries-mu", subject=Canaries(kind="normal"), guarantee=GDP(mu=1.0), neighbors=zero),
        Boundary(name="mean", subject=Runs(), guarantee=Expectation(bound=1.0), neighbors=Numbers(), first=True),
        Boundary(
            name="mean-rare", subject=Runs(rare=0.01), guarantee=Expectation(bound=1.0), neighbors=Numbers(), first=True
        ),
        Boundary(name="handed", subject=Handed(), guarantee=PureDP(epsilon=1.0), neighbors=handed_pair(), first=True),
        Boundary(name="pairs", subject=Pairs(), guarantee=_AT_MOST_ONE, neighbors=Numbers(), first=True),
        Boundary(name="pairs-some", subject=Pairs(), guarantee=_SOME_AT_MOST_ONE, neighbors=Numbers()),
    )
