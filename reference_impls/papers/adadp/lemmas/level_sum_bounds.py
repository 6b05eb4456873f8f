"""Lower bounds by sums of levels (`level_sums`): what AD-SHUFFLE and AD-RELATION compare the accounting with.

A batch's number is cut into levels, whose sums over the batches are enumerated; the best event of such a sum bounds the
truth from below. In doubles first, and in ball arithmetic for the proof.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import cached_property

import flint
import numpy as np

from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.laws.balls import at_working_precision
from reference_impls.papers.accounting.lemmas.level_sums import LevelSum, best
from reference_impls.papers.adadp.lemmas.accounted_epsilon import Accounted
from reference_impls.papers.enclosures import proved_renyi, quotient

_FLOATS = 1e-6
"""Relative error of sums of levels in doubles."""


class RunByLevels(Accounted, ABC):
    """The whole run: the experiments' epsilon against what sums of levels show of it."""

    @abstractmethod
    def sums(self) -> list[LevelSum]:
        """Sums of levels to choose from; none where doubles hold none."""

    @cached_property
    def _found(self) -> tuple[float, LevelSum | None, int]:
        sums = self.sums()
        return best(sums, self.delta) if sums else (0.0, None, 0)

    def truth(self) -> Enclosed:
        """A lower bound on the run's epsilon(delta)."""
        return Enclosed(value=self._found[0], error=_FLOATS * self._found[0])

    def printed_ball(self) -> flint.arb | None:
        """What the claim prints, in balls: the accountant's epsilon."""
        return self.accounted_ball()

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """The best event's epsilon in balls, over what is printed."""
        _, one, place = self._found
        return None if one is None else quotient(one.epsilon_ball(self.delta, place), self.printed_ball())


class MomentsByLevels(Checked, ABC):
    """Renyi divergences: those of `count` Poisson batches, as accounted, against what sums of levels show."""

    order: float

    @property
    @abstractmethod
    def step(self) -> PoissonGaussianStep:
        """What a batch is accounted as."""

    @property
    def count(self) -> int:
        """How many batches are composed."""
        return 1

    @abstractmethod
    def sums(self) -> list[LevelSum]:
        """Sums of levels to choose from; none where doubles hold none."""

    @cached_property
    def _found(self) -> tuple[float, LevelSum | None]:
        order = float(round(self.order))
        found = [(one.renyi(order), one) for one in self.sums()]
        return max(found, key=lambda each: each[0]) if found else (0.0, None)

    def printed(self) -> Enclosed:
        """The moments of the accountant's pairs (divided by lambda)."""
        value = self.count * float(self.step.renyi(np.array([float(round(self.order))]))[0])
        return Enclosed(value=value, error=1e-9 * value if math.isfinite(value) else 0.0)

    def truth(self) -> Enclosed:
        """A lower bound on the divergence that is accounted for."""
        return Enclosed(value=self._found[0], error=_FLOATS * self._found[0])

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """The quotient of both sides, each computed in balls."""
        order, one = round(self.order), self._found[1]
        batch = proved_renyi(self.step.laws()[:1], float(order))
        if one is None or batch is None:
            return None
        return quotient(one.renyi_ball(order), self.count * batch)
