"""The special cases of ADP-SGD that ADPSGD section 3 names, beside loops of their own: ledger row AP-REDUCE.

Twins (`Twin`): Algorithm 1 runs on a drawn table, and the algorithm that it is said to be runs on the same indices and
normals, written down from its own text. With alpha = 1 that is (2), DP-SGD, with steps eta / sqrt(a + c t) (constant
for c = 0), and with phi_2 = 0 SGD: the same bits. With phi_1 of AdaGrad-norm it is DP-SGD with those steps, whose noise
is scaled by the step before it is added in one and after in the other: the same up to rounding.

Two formulas as printed do not reduce to what the text says (`PrintedStep`). Section 3 has phi_1 = 1 / sqrt(a + c t),
but steps are eta / b: as printed they *grow* like sqrt(t). And (3) adds eta_t alpha_t Z to the gradient: with alpha_t =
1 that is eta_t Z, not (2)'s Z, and with alpha_t = 1 / sqrt(eta_t) the update has eta_t^(3/2) Z, not the sqrt(eta_t) Z
of the next paragraph. Algorithm 1 has neither.

Not to be confused with the tests that compare a compiled kernel with plain code of the same algorithm.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal

import flint
import numpy as np
from numpy.typing import NDArray

from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.ledger_words import Shown
from dpverify.core.rules import Between
from dpverify.core.transcript import Transcript
from dpverify.datasets.table import Table
from dpverify.laws.balls import exact_ball
from dpverify.sampling.streams import stream
from reference_impls.models.model import find_model
from reference_impls.optimizers.ada_grad import AdaGrad
from reference_impls.optimizers.adp_sgd import AdpSgd
from reference_impls.papers.sides_in_balls import SidesInBalls

Float = NDArray[np.float64]
Case = Literal["dp-sgd", "sgd", "adaptive"]
Print = Literal["phi-1", "equation-3"]
A, C, TRAINING = 20.0, 1.0, 11700
ROUNDING = 1e-12
"""Relative, where noise is scaled before or after it is added."""
_MODEL, _SIGMA, _CLIP = "logistic", 0.7, 1.0
_SMALLEST = 1e-300  # nu: section 3 has none


@dataclass(frozen=True, slots=True, kw_only=True)
class Twin(Checked):
    """Subject ``lemma-adp-sgd-twin``: the largest difference of all iterates between Algorithm 1 and what it reduces
    to.

    Attributes
    ----------
    case : str
        ``dp-sgd``, ``sgd`` or ``adaptive``.
    seed : float
        Of table and run, once rounded.
    rows, columns, steps : float
        Once rounded.
    a, c : float
        b_t^2 = a + c t, a > 0; for ``adaptive`` b_0^2 = a.
    eta : float
        > 0.
    """

    case: Case = "dp-sgd"
    seed: Annotated[float, Between(0, 1e9)] = 0.0
    rows: Annotated[float, Between(1, 1e4)] = 8.0
    columns: Annotated[float, Between(1, 1e3)] = 3.0
    steps: Annotated[float, Between(1, 1e4)] = 10.0
    a: Annotated[float, Between(1e-9, 1e9)] = A
    c: Annotated[float, Between(0, 1e9)] = C
    eta: Annotated[float, Between(1e-9, 1e9)] = 1.0

    def printed(self) -> Enclosed:
        """0, the same bits; rounding for ``adaptive``."""
        if self.case != "adaptive":
            return Enclosed(value=0.0)
        return Enclosed(value=ROUNDING * (1.0 + float(np.abs(_iterates(self)[0]).max())))

    def truth(self) -> Enclosed:
        """The largest difference of iterates."""
        one, other = _iterates(self)
        return Enclosed(value=float(np.abs(one - other).max()))

    def proved_ratio(self) -> Enclosed | None:
        """What two runs in doubles differ by is a number of doubles, exactly; a quotient by 0 is infinite."""
        bound, found = self.printed().value, self.truth().value
        if not found > 0:
            return Enclosed(value=0.0, proved=True)
        return Enclosed(value=math.inf, proved=True) if bound == 0 else None

    def table(self) -> Table:
        """Drawn records with labels -1 and 1."""
        rng = stream(0, "adp-sgd-twin", round(self.seed))
        features = rng.standard_normal((round(self.rows), round(self.columns)))
        return Table(features=features, labels=np.where(rng.random(round(self.rows)) < 0.5, -1.0, 1.0))

    def algorithm(self) -> AdpSgd | AdaGrad:
        """Algorithm 1 in the case's settings."""
        shared: dict[str, Any] = {"model": _MODEL, "steps": round(self.steps), "clip": _CLIP, "eta": self.eta}
        if self.case == "adaptive":
            return AdaGrad(**shared, sigma=_SIGMA, alpha="one", b0_squared=self.a, nu=_SMALLEST)
        alpha: Literal["one", "zero"] = "zero" if self.case == "sgd" else "one"
        return AdpSgd(**shared, sigma=_SIGMA, alpha=alpha, a=self.a, c=self.c)

    def reduced(self, table: Table, run: Transcript) -> Float:
        """The named algorithm on the run's indices and normals: all iterates, shape (T + 1, d)."""
        indices = [int(draw.values[0]) for draw in run.draws if draw.kind == "index"]
        normals = [draw.values for draw in run.draws if draw.kind == "normal"]
        model, theta, square = find_model(_MODEL), np.zeros(table.columns), self.a
        iterates = [theta]
        for t, (index, z) in enumerate(zip(indices, normals, strict=True), start=1):
            gradient = model.gradient(theta, table, np.array([index]), clip=_CLIP)
            if self.case == "sgd":
                theta = theta - self.eta / math.sqrt(self.a + self.c * t) * gradient
            elif self.case == "dp-sgd":
                theta = theta - self.eta / math.sqrt(self.a + self.c * t) * (gradient + _SIGMA * z)
            else:
                square += float(np.square(gradient).sum())
                theta = theta - self.eta / math.sqrt(square) * (gradient + _SIGMA * z)
            iterates.append(theta)
        return np.stack(iterates)


@lru_cache(maxsize=4)
def _iterates(twin: Twin) -> tuple[Float, Float]:
    table = twin.table()
    run = twin.algorithm().transcript(table, rng=stream(0, "adp-sgd-twin-run", round(twin.seed)))
    return run.iterates, twin.reduced(table, run)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedStep(SidesInBalls):
    """Subject ``lemma-adp-sgd-printed-step``: a number of the text's formula against the one that it is said to be.

    Attributes
    ----------
    where : str
        ``phi-1``: eta / b_t with b_t = 1 / sqrt(a + c t) against eta / sqrt(a + c t); ``equation-3``: noise on the
        gradient, eta_t alpha_t with alpha_t = 1 against 1, whichever is larger over the other.
    t : float
        Once rounded.
    a, c, eta : float
        > 0.
    mended : bool
        phi_1 = sqrt(a + c t); alpha_t without eta_t.
    """

    where: Print = "phi-1"
    t: Annotated[float, Between(1, 1e9)] = float(TRAINING)
    a: Annotated[float, Between(1e-9, 1e9)] = A
    c: Annotated[float, Between(1e-9, 1e9)] = C
    eta: Annotated[float, Between(1e-9, 1e9)] = 1.0
    mended: bool = False

    def _decaying(self) -> flint.arb:
        return exact_ball(self.eta) / (exact_ball(self.a) + exact_ball(self.c) * round(self.t)).sqrt()

    def printed_ball(self) -> flint.arb | None:
        """What it is said to be."""
        return self._decaying() if self.where == "phi-1" else flint.arb(1)

    def true_ball(self) -> flint.arb:
        """What the formula gives."""
        step = self._decaying()
        if self.where == "phi-1":
            return step if self.mended else exact_ball(self.eta) ** 2 / step
        return flint.arb(1) if self.mended else step.max(1 / step)


def shown(where: Print) -> Shown:
    """The numbers shown beside the remarks on AP-REDUCE-PRINT.phi-1 and AP-REDUCE-PRINT.equation-3."""
    found = PrintedStep(where=where)
    labels = {
        "phi-1": ("decaying step at t = 11700", "eta / b with phi_1 as printed"),
        "equation-3": ("noise of (2) and (3), were they the same", "the larger over the smaller at t = 11700"),
    }[where]
    numbers = ((labels[0], found.printed().value), (labels[1], found.truth().value))
    return Shown(numbers=numbers, holds=numbers[1][1] > numbers[0][1])
