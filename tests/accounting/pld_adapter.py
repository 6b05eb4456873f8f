"""Adapter on dp-accounting: the privacy-loss distribution of a step, rounded up (pessimistic) or down (optimistic).

Basis: Google's ``dp_accounting.pld``; pessimistic by "connect the dots" (Doroshenko et al. 2022), optimistic
by privacy buckets (Meiser and Mohammadi 2018). It holds both directions of add-remove neighbours at once. Independent
of our own brackets (`loss_sum`) from the discretisation on, so the two check each other.

Limits: Gaussian, Laplace, Poisson samples of either, mixtures of Gaussians, finite laws; the rounding of its Fourier
transforms is not bounded by that package (about 1e-11 in delta). The optimistic end loses half an interval a step:
2.55 against 3.13 for 11,700 steps at q = 256/50000, sigma = 1 at interval 1e-4, and 3.105 (0.9 %) at 5e-6, which takes
about 9 s and 1 GB. Imported lazily: it takes half a second.
"""

from __future__ import annotations

from typing import Any

from dpverify.accounting.loss_sources import (
    FiniteLoss,
    GaussianLoss,
    GaussianMixtureLoss,
    LaplaceLoss,
    Losses,
    directions,
)
from dpverify.accounting.privacy_loss import LossLaw, ReversedLoss, SampledLoss
from dpverify.core.composition import Composition, Step
from dpverify.core.errors import UnsupportedError
from dpverify.core.extras import needed

GOOGLE = "dp_accounting.pld.privacy_loss_distribution"
"""Of the extra ``crosscheck``."""


def why_not(step: Step) -> str | None:
    """Return None when the step has a distribution in dp-accounting, else why not."""
    try:
        ways = directions(step)
    except UnsupportedError as problem:
        return str(problem)
    for losses in ways:
        for loss in losses:
            if not _known(loss):
                return f"dp-accounting has no distribution for the losses of {step.text()}"
    return None


def composed(composition: Composition, *, interval: float, pessimistic: bool) -> Any:
    """dp-accounting's PrivacyLossDistribution of the whole composition.

    Parameters
    ----------
    interval : float
        Grid interval of the privacy loss, in nats.
    pessimistic : bool
        Never below the truth, else never above it (rounding of its transforms aside).
    """
    google = needed(GOOGLE)

    total = google.identity(interval, pessimistic)
    for part in composition:
        for one in _distributions(directions(part.step), interval, pessimistic):
            total = total.compose(one.self_compose(part.count) if part.count > 1 else one)
    return total


def _known(loss: LossLaw) -> bool:
    if isinstance(loss, ReversedLoss):
        return _known(loss.base)
    if isinstance(loss, SampledLoss):
        return isinstance(loss.base, GaussianLoss | LaplaceLoss)
    return isinstance(loss, GaussianLoss | LaplaceLoss | GaussianMixtureLoss | FiniteLoss)


def _distributions(ways: tuple[Losses, ...], interval: float, pessimistic: bool) -> list[Any]:
    return [
        _distribution([losses[index] for losses in ways], interval, pessimistic)
        for index in range(len(ways[0]))
        if any(losses[index].bounds() != (0.0, 0.0) for losses in ways)
    ]


def _distribution(ways: list[LossLaw], interval: float, pessimistic: bool) -> Any:
    """One loss, given for one direction or for both."""
    google = needed(GOOGLE)

    loss = ways[0].base if isinstance(ways[0], ReversedLoss) else ways[0]
    grid: dict[str, Any] = {"pessimistic_estimate": pessimistic, "value_discretization_interval": interval}
    dots = {**grid, "use_connect_dots": pessimistic}
    if isinstance(loss, FiniteLoss):
        return google.from_two_probability_mass_functions(
            dict(enumerate(loss.log_q.tolist())),
            dict(enumerate(loss.log_p.tolist())),
            symmetric=len(ways) == 1,
            **grid,
        )
    if isinstance(loss, GaussianMixtureLoss):
        return google.from_mixture_gaussian_mechanism(1.0, loss.shifts.tolist(), loss.weights.tolist(), **dots)
    base, rate = (loss.base, loss.rate) if isinstance(loss, SampledLoss) else (loss, 1.0)
    if isinstance(base, GaussianLoss):
        return google.from_gaussian_mechanism(1 / base.mu, sampling_prob=rate, **dots)
    assert isinstance(base, LaplaceLoss)
    return google.from_laplace_mechanism(1 / base.shift, sampling_prob=rate, **dots)
