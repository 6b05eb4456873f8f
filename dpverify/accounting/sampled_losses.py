"""Privacy losses of a Poisson sample in both orders of the neighbours, and of one of two mechanisms, named publicly.

Basis: for a pair (P, Q) that dominates the mechanism with the record against without it, the pair (1 - q) Q + q P
against Q dominates the mechanism on a Poisson sample, and exchanged it dominates the other order (Zhu, Dong, Wang 2022,
Theorem 11). Outcomes that are listed are mixed one by one, also those that one law alone produces; of other losses only
the law of L is known (:class:`~dpverify.accounting.privacy_loss.SampledLoss`), and both laws have one support.

Where a public draw chooses between mechanisms, the loss is that of the one chosen: masses are averaged.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpverify.accounting.loss_sources import FiniteLoss, Losses, directions
from dpverify.accounting.privacy_loss import UNIT, Atoms, LossLaw, Masses, ReversedLoss, SampledLoss
from dpverify.core.composition import Step
from dpverify.core.errors import UnsupportedError
from dpverify.core.subjects import Float


def single_loss(step: Step) -> LossLaw:
    """The loss of a step with the record against without it; UnsupportedError unless there is one, and one only."""
    first = directions(step)[0]
    if len(first) != 1:
        raise UnsupportedError(f"{step.text()} has several privacy losses, which no sample can be made of")
    (law,) = first
    if not isinstance(law, FiniteLoss) and np.any(np.isinf(law.atoms().loss)):
        raise UnsupportedError(f"{step.text()}: outcomes of one law alone are not listed, as a sample needs them")
    return law


def sampled_losses(base: LossLaw, rate: float) -> tuple[Losses, Losses]:
    """Both orders at `rate` in (0, 1]."""
    if isinstance(base, FiniteLoss):
        mixed, error = mixed_logs(base.log_p, base.log_q, rate)
        error += base.error
        # Of infinitely many outcomes, the losses rise in the order listed.
        laws = ((mixed, base.log_q), (base.log_q[::-1], mixed[::-1]))
        towards, away = (type(base)(log_p=p, log_q=q, error=error) for p, q in laws)
        return (towards,), (away,)
    loss = SampledLoss(base=base, rate=rate) if rate < 1 else base
    return (loss,), (ReversedLoss(base=loss),)


def mixed_logs(log_p: Float, log_q: Float, rate: float) -> tuple[Float, float]:
    """log(rate p + (1 - rate) q) outcome by outcome, for `rate` in (0, 1], and a bound on what rounding adds."""
    rest = math.log1p(-rate) if rate < 1 else -math.inf
    mixed = np.logaddexp(rest + log_q, math.log(rate) + log_p)
    size = float(np.max(np.abs(mixed), initial=0.0, where=np.isfinite(mixed)))
    return mixed, 4 * UNIT * (2 + size - math.log(rate) - max(rest, -40.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenLoss:
    """The loss of one of several mechanisms; which one it is, is seen."""

    parts: tuple[tuple[float, LossLaw], ...]
    """(probability, loss) of each; probabilities above 0."""
    error: float = 0.0
    """Bound on the relative error of each probability."""

    def atoms(self) -> Atoms:
        """The atoms are those of all; the error of the probabilities is told even where there are none."""
        found = [(weight, law.atoms()) for weight, law in self.parts]
        return Atoms(
            p=np.concatenate([weight * atoms.p for weight, atoms in found]),
            loss=np.concatenate([atoms.loss for _, atoms in found]),
            p_error=max(atoms.p_error for _, atoms in found) + self.error + 4 * UNIT,
            loss_error=max(atoms.loss_error for _, atoms in found),
        )

    def masses(self, thresholds: Float) -> Masses | None:
        """The masses are averages; a part that has atoms only has no masses."""
        found = [(weight, masses) for weight, law in self.parts if (masses := law.masses(thresholds)) is not None]
        if not found:
            return None

        def mean(name: str) -> Float:
            return np.asarray(sum(weight * getattr(masses, name) for weight, masses in found))

        p, q = mean("p"), mean("q")
        slips = ((self.error + 4 * UNIT) * np.maximum(cells[:-1], cells[1:]) for cells in (p, q))
        p_error, q_error = (mean(name) + slip for name, slip in zip(("p_error", "q_error"), slips, strict=True))
        return Masses(p=p, q=q, p_error=p_error, q_error=q_error)

    def extent(self, tail: float) -> tuple[float, float]:
        """The extent is the widest of any."""
        return _hull([law.extent(tail) for _, law in self.parts])

    def bounds(self) -> tuple[float, float]:
        """The bounds are the farthest of any."""
        return _hull([law.bounds() for _, law in self.parts])


def _hull(ends: list[tuple[float, float]]) -> tuple[float, float]:
    return min(low for low, _ in ends), max(high for _, high in ends)
