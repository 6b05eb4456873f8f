"""Random allocation ("balls in bins"): each record takes part in `chosen` of `steps` steps, drawn uniformly.

Every record draws its own places, independently of the others. One place: the mean of the steps' likelihood ratios
(:mod:`~dpverify.accounting.allocated_loss`, with the proof that it dominates), attained where no other record has an
effect. All places: plain composition. In between `chosen` blocks of floor(steps / chosen) steps, in each of which the
record takes part once, cost no less: `chosen` places are drawn uniformly when a random part of the steps is divided
into such blocks at random and one place is drawn in each; publishing the division, under which the law without the
record is the same, costs no less (joint convexity), and given it the ratio is a product of means in which every factor
may be replaced as it is there, since it is linear in each. (Feldman and Shenfeld, arXiv 2502.08202; the proofs are
ours.)

Side: a bracket for one place and for all, upper only in between. Limits: a record added or removed; of a replaced one
no pair is known to dominate. The inner step's first pair has the record present. Not to be confused with Poisson
samples, nor with batches of a shuffled epoch, whose records push each other out.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Annotated

from dpverify.accounting.allocated_loss import mean_ratio
from dpverify.accounting.loss_sources import Losses, directions
from dpverify.accounting.privacy_loss import BetweenLoss, NoLoss
from dpverify.accounting.steps.gaussian import GaussianStep, LaplaceStep
from dpverify.accounting.steps.guarantees import PureStep
from dpverify.core.composition import Step
from dpverify.core.errors import InputError, UnsupportedError
from dpverify.core.registry import Registry
from dpverify.core.rules import Between
from dpverify.definitions.parameters import PublicStep

_Steps = Annotated[int, Between(1, 10**6)]


INNER = (
    "gaussian",
    "laplace",
    "discrete-gaussian",
    "discrete-laplace",
    "pure",
    "randomised-response",
    "poisson-gaussian",
    "poisson-laplace",
)
"""Steps whose laws produce the same outputs and are known exactly: no others are averaged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomAllocationStep(PublicStep):
    """One epoch of random allocation, under add-remove neighbours."""

    kind = "random-allocation"
    relation = "add-remove"

    steps: _Steps
    """Number of steps, in [1, 10^6]."""
    step: Step
    """What each of them runs, with the record's part in it."""
    chosen: _Steps = 1
    """In how many of them each record takes part, at most `steps`."""

    def validate(self) -> None:
        """The record fits in, and one step's loss is known."""
        if self.chosen > self.steps:
            raise InputError(f"{self.kind}: chosen = {self.chosen} of {self.steps} steps", allowed="chosen <= steps")
        if isinstance(self.step, type) or not isinstance(self.step, Step):
            raise InputError(f"{self.kind}: step = {self.step!r}", allowed="a step, such as gaussian(sigma=1)")
        if self.step.relation not in ("any", self.relation):
            raise InputError(
                f"{self.kind}: step {self.step.text()} under {self.step.relation}",
                allowed=f"a step under {self.relation} neighbours",
            )
        if getattr(self.step, "kind", "") not in INNER:
            raise InputError(f"{self.kind}: step {self.step.text()}", allowed=f"one of {', '.join(INNER)}")
        try:
            ways = directions(self.step)
        except UnsupportedError as problem:
            raise InputError(f"{self.kind}: {problem}", allowed="a step with exact laws") from problem
        if any(len(way) != 1 for way in ways) or (len(ways) > 1 and self.step.relation != self.relation):
            raise InputError(
                f"{self.kind}: step {self.step.text()}",
                allowed="a step of one loss, the same both ways or under add-remove neighbours",
            )
        try:
            _losses(self)
        except UnsupportedError as problem:
            raise InputError(f"{self.kind}: {problem}", allowed="a step with more noise") from problem

    @classmethod
    def examples(cls) -> tuple[RandomAllocationStep, ...]:
        """Instances, edge cases among them, that the contract tests examine."""
        return (
            cls(steps=20, step=GaussianStep(sigma=2)),
            cls(steps=3, step=LaplaceStep(scale=1)),
            cls(steps=9, step=PureStep(epsilon=1), chosen=2),
            cls(steps=2, step=GaussianStep(sigma=1), chosen=2),
            cls(steps=1, step=GaussianStep(sigma=4)),
            cls(steps=5, step=GaussianStep(sigma=1, sensitivity=0)),
        )

    def losses(self) -> tuple[Losses, ...]:
        """The loss with the record against without, and back."""
        return _losses(self)


@functools.lru_cache(maxsize=64)
def _losses(step: RandomAllocationStep) -> tuple[Losses, ...]:
    ways = directions(step.step)
    if step.chosen == step.steps:
        return tuple(way * step.chosen for way in ways)
    means = mean_ratio(ways[0][0], step.steps // step.chosen)
    if step.chosen > 1:
        return tuple((BetweenLoss(upper=mean, lower=NoLoss()),) * step.chosen for mean in means)
    return tuple((mean,) for mean in means)


def register(registry: Registry) -> None:
    """Register the step."""
    registry.steps.add("random-allocation", RandomAllocationStep)
