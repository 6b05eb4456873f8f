"""RS-LEMMA: Lemma 2 of RSGD (DISS, Lemma 3.1): how one step moves two points.

    |T_B(w) - T_B(v)| <= rho |w - v|,   |T_B(w) - T_B'(v)| <= rho |w - v| + 2 eta R / |B|,
    rho = max(|1 - eta mu|, |1 - eta L|), for every eta > 0.

Readings: (a) and (b) the two lines on records of one feature under the huberised hinge, in balls; (c) the second line
on the project's models in three dimensions, where the truth is the largest quotient among a dozen drawn batches and
points, in doubles. R is that of the loss without its regulariser
(:mod:`~reference_impls.papers.rsgd.lemmas.gradient_bound`). A search: the lemma's proof needs a continuous Hessian but
on a set of measure zero, which both models have.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import flint
import numpy as np

from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.rules import Between
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.models.loss_constants import constants
from reference_impls.models.model import find_model
from reference_impls.optimizers.nsgd import Nsgd
from reference_impls.papers.ranges import HUGE, AboveZero, FromOne, FromZero, Signed
from reference_impls.papers.rsgd.lemmas.one_feature_runs import H_BAR, L2, slope_ball
from reference_impls.papers.sides_in_balls import SidesInBalls

_DRAWS, _COLUMNS = 12, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class OneStep(SidesInBalls):
    """Subject ``lemma-rsgd-operator``: a batch of records of one feature.

    Attributes
    ----------
    step, l2 : float
        eta > 0 and lambda = mu >= 0.
    w, v : float
        The two points.
    size : float
        |B|, rounded, >= 1.
    record, other, rest : float
        Margins in [-1, 1] of the record, of the one that it is replaced by, and of all others in the batch.
    """

    step: AboveZero = 1.0
    l2: FromZero = L2
    w: Annotated[float, Between(-HUGE, HUGE)] = 0.0
    v: Annotated[float, Between(-HUGE, HUGE)] = 0.0
    size: FromOne = 4000
    record: Signed = 1.0
    other: Signed = -1.0
    rest: Signed = 0.0

    def stepped_ball(self, at: float, record: float) -> flint.arb:
        """T_B at a point."""
        w, z, rest, size = flint.arb(at), flint.arb(record), flint.arb(self.rest), round(self.size)
        pull = z * slope_ball(z * w) + (size - 1) * rest * slope_ball(rest * w)
        return w - flint.arb(self.step) * (pull / size + flint.arb(self.l2) * w)

    def true_ball(self) -> flint.arb:
        """The left side; the first line where `other` is `record`."""
        return abs(self.stepped_ball(self.w, self.record) - self.stepped_ball(self.v, self.other))

    def printed_ball(self) -> flint.arb:
        """The right side of the inequality."""
        eta, mu = flint.arb(self.step), flint.arb(self.l2)
        rho = abs(1 - eta * mu).max(abs(1 - eta * (1 / (2 * flint.arb(H_BAR)) + mu)))
        apart = abs(flint.arb(self.w) - flint.arb(self.v))
        return rho * apart + (2 * eta / round(self.size) if self.other != self.record else 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SameBatch(OneStep):
    """Subject ``lemma-rsgd-contraction``: nothing is replaced."""

    other: float = field(init=False, default=0.0)

    def validate(self) -> None:
        """Both sides step on the same record."""
        object.__setattr__(self, "other", self.record)


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnSteps(Checked):
    """Subject ``lemma-rsgd-operator-drawn``: drawn batches, in doubles.

    Attributes
    ----------
    model : str
        A linear or softmax one.
    step, l2, far, near : float
        eta, lambda, how far out the points are, how far apart.
    size, draw : float
        |B| and which draws, rounded.
    """

    model: str = "logistic"
    step: AboveZero = 1.0
    l2: FromZero = L2
    far: FromZero = 1.0
    near: FromZero = 1.0
    size: FromOne = 4
    draw: FromZero = 0

    def validate(self) -> None:
        """The model is a known one."""
        find_model(self.model)

    def quotients(self) -> list[Enclosed]:
        """Left over right side for each draw, with what rounding may do."""
        model, rows = find_model(self.model), round(self.size)
        known = constants(model, l2=self.l2)
        rho = max(abs(1.0 - self.step * self.l2), abs(1.0 - self.step * known.smoothness))
        pull = 2.0 * self.step * constants(model).lipschitz / rows
        algorithm, batch, rng = Nsgd(model=self.model, l2=self.l2), np.arange(rows), stream(round(self.draw), "steps")
        labels, results = (0.0, 1.0) if "softmax" in self.model else (-1.0, 1.0), []
        for _ in range(_DRAWS):
            features, (w, direction) = (
                rng.normal(size=(rows + 1, _COLUMNS)),
                rng.normal(size=(2, model.dimension(_COLUMNS))),
            )
            features /= np.linalg.norm(features, axis=1)[:, None] * (1.0 + 1e-12)
            y = rng.choice(labels, rows + 1)
            w, v = self.far * w, self.far * w + self.near * direction
            table = Table(features=features[:-1], labels=y[:-1])
            other = table.replaced(0, features[-1], float(y[-1]))
            moved = np.linalg.norm(
                algorithm.stepped(w, self.step, model, table, batch)
                - algorithm.stepped(v, self.step, model, other, batch)
            )
            bound = rho * float(np.linalg.norm(w - v)) + pull
            slack = (
                64.0 * 2.0**-53 * (1.0 + self.step) * (rows + 4.0 + float(np.abs(w).max() + np.abs(v).max())) / bound
            )
            results.append(Enclosed(value=float(moved) / bound, error=slack))
        return results

    def printed(self) -> Enclosed:
        """The quotient that is allowed: one."""
        return Enclosed(value=1.0)

    def truth(self) -> Enclosed:
        """The largest quotient of the two sides."""
        return max(self.quotients(), key=lambda each: each.value)

    def proved_ratio(self) -> Enclosed | None:
        """None: doubles prove nothing."""
        return None
