"""AD-EXTRAP: what one full and two half steps say about the local error of a step along the gradient flow.

ADADP, "Motivation": 2 (hat-theta_1 - theta_1) is the local error theta(eta) - theta_1 to O(eta^3). Where the flow has a
closed form, both are numbers, and O(eta^3) is a constant times theta_0 h^3:

- ``quadratic``: g = c theta^2 / 2, h = c eta: theta_0 (e^-h - 1 + h) against theta_0 h^2 / 2, apart by at most h^3 / 6.
- ``cubic``: g = c theta^3 / 3, h = c theta_0 eta: theta_0 (h^2 / (1 + h)) against theta_0 (h^2 - h^3 / 4), at most 3/4.
- ``kink``: g' = c theta above 1 and c below, once differentiable. Started at 1 + h / 4 the flow crosses the kink within
  the step, and the estimate is off by h^2 / 32: the text asks for a differentiable g, its Taylor expansion for more.

**Readings.** ``twice``, ``cubic``: with the 2. ``printed``: the error (3), which the algorithm takes and which has no
2: it is half the local error, off by h^2 / 4. ``kink``: with the 2, at a kink. **Repaired**: (3) against half the local
error (AD-EXTRAP-R.printed), three derivatives (AD-EXTRAP-R.kink, which is the cubic).

Not to be confused with what the step size becomes: a factor of 2 in err is one in tol.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import flint

from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.ledger_words import Shown
from dpverify.core.rules import Between, OneOf
from dpverify.laws.balls import at_working_precision
from reference_impls.papers.enclosures import quotient

FAMILIES = ("quadratic", "cubic", "kink")
CONSTANTS = {"quadratic": flint.arb(1) / 6, "cubic": flint.arb(3) / 4, "kink": flint.arb(3) / 4}
"""Of theta_0 h^3; any other constant would do for the kink, at a smaller step."""

OWN_STEP = 0.1
"""eta_0 of ADADP's experiments."""


@dataclass(frozen=True, kw_only=True)
class LocalError(Checked):
    """One step from theta_0.

    Attributes
    ----------
    step, curvature, start : float
        eta, c and theta_0, all > 0 (the kink has its own start).
    family : str
        ``quadratic``, ``cubic`` or ``kink``.
    factor : float
        What hat-theta_1 - theta_1 is multiplied by.
    share : float
        Of the local error that it is to estimate.
    """

    step: Annotated[float, Between(1e-9, 1e3)] = OWN_STEP
    curvature: Annotated[float, Between(1e-6, 1e6)] = 1.0
    start: Annotated[float, Between(1e-6, 1e6)] = 1.0
    family: Annotated[str, OneOf(FAMILIES)] = "quadratic"
    factor: Annotated[float, Between(0, 1e3)] = 2.0
    share: Annotated[float, Between(0, 1e3)] = 1.0

    @at_working_precision
    def printed(self) -> Enclosed:
        """The constant times theta_0 h^3, for the share of the error."""
        value = float(self._allowed().mid())
        return Enclosed(value=value, error=1e-14 * value)

    @at_working_precision
    def truth(self) -> Enclosed:
        """How far the estimate is off."""
        value = float(self._off().mid())
        return Enclosed(value=value, error=1e-14 * value)

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """The quotient of both sides, computed in balls."""
        return quotient(self._off(), self._allowed())

    def _start(self) -> flint.arb:
        return (
            1 + flint.arb(self.curvature) * flint.arb(self.step) / 4 if self.family == "kink" else flint.arb(self.start)
        )

    def _scaled(self) -> flint.arb:
        """H, the step in units of the problem."""
        h = flint.arb(self.curvature) * flint.arb(self.step)
        return h * flint.arb(self.start) if self.family == "cubic" else h

    def _allowed(self) -> flint.arb:
        return flint.arb(self.share) * CONSTANTS[self.family] * self._start() * self._scaled() ** 3

    def _slope(self, theta: flint.arb) -> flint.arb:
        c = flint.arb(self.curvature)
        if self.family == "quadratic":
            return c * theta
        if self.family == "cubic":
            return c * theta**2
        return c * theta.max(flint.arb(1))

    def _flow(self) -> flint.arb:
        theta, h = self._start(), self._scaled()
        if self.family == "quadratic":
            return theta * (-h).exp()
        if self.family == "cubic":
            return theta / (1 + h)
        crossing = theta.log()  # c times the time at which the flow is at 1; before h, since log(1 + h / 4) < h
        return 1 - (h - crossing)

    def _off(self) -> flint.arb:
        theta, eta = self._start(), flint.arb(self.step)
        full = theta - eta * self._slope(theta)
        between = theta - eta / 2 * self._slope(theta)
        halves = between - eta / 2 * self._slope(between)
        return abs(flint.arb(self.share) * (self._flow() - full) - flint.arb(self.factor) * (halves - full))


def shown() -> Shown:
    """The numbers shown beside the remark on AD-EXTRAP.printed."""
    steps = (OWN_STEP, OWN_STEP / 10, OWN_STEP / 100)
    once, twice = ([LocalError(step=step, factor=k).truth().value / step**3 for step in steps] for k in (1.0, 2.0))
    return Shown(
        numbers=(
            *(
                (f"off by, over eta^3, with the 2, eta = {step:g}", value)
                for step, value in zip(steps, twice, strict=True)
            ),
            *((f"the same without, eta = {step:g}", value) for step, value in zip(steps, once, strict=True)),
        ),
        holds=max(twice) < 1 and once[2] > 5 * once[1] > 25 * once[0],
    )


def shown_kink() -> Shown:
    """The numbers shown beside the remark on AD-EXTRAP.kink."""
    steps = (OWN_STEP, OWN_STEP / 10, OWN_STEP / 100)
    off = [LocalError(step=step, family="kink").truth().value / step**2 for step in steps]
    return Shown(
        numbers=tuple((f"off by, over eta^2, eta = {step:g}", value) for step, value in zip(steps, off, strict=True)),
        holds=min(off) > 0.02,
    )
