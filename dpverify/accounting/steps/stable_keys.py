"""Counts by key, noisy and published from a threshold on: keys that are private themselves ("stable keys").

Every key that occurs gets its count plus noise, and is published with it where that is at least the threshold; other
keys are never published. A record (or a user) has up to `keys` keys, once each. One key of it: either the key occurs
without it, and the pair is that of noise on a count that moves by 1; or it occurs only with it, and is published with
probability p = P(1 + noise >= threshold), which never happens without it. With continuous Laplace noise p is
e^-((threshold - 1) / scale) / 2, with discrete e^-((threshold - 1) / scale) / (1 + e^(-1 / scale)) for thresholds of at
least 1. Which of the two is worse depends on epsilon. Their profiles are H and p (with the record against without;
the mirror image the other way), and max(H, p) is that of the noise's pair in which all losses above the t with H(t) = p
are drawn apart to t and to infinity, both masses preserved: it dominates either, in any composition (Zhu, Dong, Wang
2022, Theorem 10). Several keys are independent coordinates: as many compositions of it.

Side: a bracket. Below: all keys new, or all keys present in many records, where the threshold has no effect: one step
is exact, a composition of few steps nearly so. A record added or removed; one that is replaced both adds and removes
keys, of which no pair is offered. Not to be confused with counts over keys that are public.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr

from dpverify.accounting.loss_sources import FiniteLoss, Losses, directions
from dpverify.accounting.privacy_loss import UNIT, Atoms, BetweenLoss, LossLaw, Masses, ReversedLoss
from dpverify.accounting.steps.discrete_noise import DiscreteLaplaceStep, Noise
from dpverify.accounting.steps.gaussian import GaussianStep, LaplaceStep
from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.rules import Between
from dpverify.core.subjects import Float
from dpverify.definitions.parameters import PublicStep

_LEAST = 1e-250  # probability of publishing: below it a threshold is as good as infinite
_MARGIN = 1e-9  # relative, by which p is raised where losses are drawn apart


@dataclass(frozen=True, slots=True, kw_only=True)
class StableKeysStep(PublicStep):
    """One release of noisy counts with a threshold, under add-remove neighbours."""

    kind = "stable-keys"
    relation = "add-remove"

    scale: Noise
    """Scale of Laplace noise, or standard deviation of Gaussian noise, on each count; in [0.05, 1e4]."""
    threshold: Annotated[float, Between(1, 1e6)]
    """Least noisy count that is published, in [1, 10^6]; a whole number for discrete noise."""
    noise: Literal["laplace", "discrete-laplace", "gaussian"] = "laplace"
    """Noise of every count."""
    keys: Annotated[int, Between(1, 1000)] = 1
    """How many keys a record has at most, in [1, 1000]."""

    def validate(self) -> None:
        """Discrete counts have discrete thresholds; what is never published has no doubles."""
        if self.noise == "discrete-laplace" and self.threshold % 1:
            raise InputError(
                f"{self.kind}: threshold = {self.threshold:g}", allowed="a whole number for discrete noise"
            )
        if self.published() < _LEAST:
            raise InputError(
                f"{self.kind}: threshold = {self.threshold:g}, scale = {self.scale:g}",
                allowed=f"a new key is published with probability {_LEAST:g} or more",
            )

    @classmethod
    def examples(cls) -> tuple[StableKeysStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (
            cls(scale=1, threshold=2),
            cls(scale=2, threshold=30, noise="discrete-laplace"),
            cls(scale=4, threshold=20, noise="gaussian", keys=3),
            cls(scale=1, threshold=1, noise="discrete-laplace"),
        )

    def published(self) -> float:
        """The probability that the key of one record alone is published, up to `_MARGIN`."""
        gap = (self.threshold - 1) / self.scale
        if self.noise == "gaussian":
            return float(ndtr(-gap))
        return math.exp(-gap) / (2.0 if self.noise == "laplace" else 1.0 + math.exp(-1 / self.scale))

    def losses(self) -> tuple[Losses, ...]:
        """Above, one law each way; below, a new key each way, and a key that occurs anyway, which is symmetric."""
        step: GaussianStep | LaplaceStep | DiscreteLaplaceStep
        if self.noise == "gaussian":
            step = GaussianStep(sigma=self.scale)
        else:
            step = (LaplaceStep if self.noise == "laplace" else DiscreteLaplaceStep)(scale=self.scale)
        ((moved,),) = directions(step)
        p = self.published()
        new = FiniteLoss(log_p=np.array([math.log(p), math.log1p(-p)]), log_q=np.array([-math.inf, 0.0]), error=_MARGIN)
        gone = FiniteLoss(log_p=new.log_q, log_q=new.log_p, error=_MARGIN)
        over = ApartLoss(base=moved, top=_reaches(moved, p * (1 + 2 * _MARGIN)))
        back = ReversedLoss(base=over)
        pairs = ((over, new), (back, gone), (back, moved))
        return tuple((BetweenLoss(upper=high, lower=low),) * self.keys for high, low in pairs)


def _above(loss: LossLaw, at: float) -> tuple[float, float]:
    """Masses of the losses above `at` under both laws."""
    atoms, found = loss.atoms(), loss.masses(np.array([at]))
    kept = atoms.loss > at
    p, q = float(np.sum(atoms.p[kept])), float(np.sum(atoms.p[kept] * np.exp(-atoms.loss[kept])))
    return (p, q) if found is None else (p + float(found.p[1]), q + float(found.q[1]))


def _reaches(loss: LossLaw, p: float) -> float:
    """A threshold at which the loss's profile is at least `p`, about the largest one."""

    def profile(at: float) -> float:
        over, under = _above(loss, at)
        return over - math.exp(at) * under

    low, high = loss.extent(1e-280)
    while profile(low) < p:
        low -= 1.0
    high = max(high, low + 1.0)
    at = float(brentq(lambda at: profile(at) - p, low, high, xtol=1e-12))
    step = 1e-12
    while profile(at) < p:
        at, step = at - step, 2 * step
    return at


@dataclass(frozen=True, slots=True, kw_only=True)
class ApartLoss:
    """The losses of `base`, those above `top` drawn apart to `top` and to infinity, both masses preserved."""

    base: LossLaw
    top: float

    def atoms(self) -> Atoms:
        """Atoms of the base law up to the top, the top, and infinity."""
        found = self.base.atoms()
        kept = found.loss <= self.top
        p, q = _above(self.base, self.top)
        at = math.exp(self.top) * q
        return Atoms(
            p=np.concatenate((found.p[kept], [at, max(p - at, 0.0)])),
            loss=np.concatenate((found.loss[kept], [self.top, math.inf])),
            p_error=found.p_error + _MARGIN,
            loss_error=found.loss_error + UNIT,
        )

    def masses(self, thresholds: Float) -> Masses | None:
        """Masses of the base law up to the top."""
        found = self.base.masses(np.append(np.minimum(thresholds, self.top), self.top))
        if found is None:
            return None
        inside = thresholds < self.top
        p_error, q_error = (np.where(inside, error[:-1], 0.0) for error in (found.p_error, found.q_error))
        return Masses(p=found.p[:-1], q=found.q[:-1], p_error=p_error, q_error=q_error)

    def extent(self, tail: float) -> tuple[float, float]:
        """The extent ends where the base law's does, and at the top."""
        low = self.base.extent(tail)[0]
        return min(low, self.top), max(low, self.top)

    def bounds(self) -> tuple[float, float]:
        """The least loss is the base law's; there is no largest."""
        return min(self.base.bounds()[0], self.top), math.inf


def register(registry: Registry) -> None:
    """Register the step."""
    registry.steps.add("stable-keys", StableKeysStep)
