"""What a claim bounds and an audit measures: a kind, its argument, and a number.

A guarantee is a curve; a :class:`Measure` is one point of it, written as a quantity of a pair of output
distributions (P, Q) together with the largest value that the claim allows. Refuting one measure refutes the claim.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal

from dpverify.core.fields import Checked
from dpverify.core.rules import Between

Kind = Literal["epsilon", "delta", "renyi", "mu", "sensitivity", "ratio", "mean"]
_ARGUMENT = {"epsilon": "delta", "delta": "epsilon", "renyi": "order"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure(Checked):
    """One point of a claimed curve.

    Attributes
    ----------
    kind : str
        ``epsilon`` (hockey-stick inverse, nats, at delta = `argument`), ``delta`` (hockey-stick divergence at epsilon =
        `argument`), ``renyi`` (divergence in nats at order `argument`), ``mu`` (Gaussian trade-off), ``sensitivity`` (a
        norm of a noise-free change), ``ratio`` (of a truth to the bound that a lemma prints for it), or ``mean`` (of a
        statistic of a run).
    argument : float
        The delta, epsilon or order; nan where the kind has none.
    claimed : float
        The largest value that the claim allows.
    """

    kind: Kind
    argument: float = math.nan
    claimed: Annotated[float, Between(0, math.inf)]

    def label(self) -> str:
        """A short name for tables, such as ``epsilon(delta=1e-05)``."""
        name = _ARGUMENT.get(self.kind)
        if name is None or (self.kind == "epsilon" and self.argument == 0):
            return self.kind
        return f"{self.kind}({name}={self.argument:g})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Enclosed:
    """A computed number with the width of its uncertainty.

    Attributes
    ----------
    value, error : float
        The truth lies in [value - error, value + error]; `value` may be +inf (then error is 0).
    proved : bool
        True when the error bound is proved (ball arithmetic, finite enumeration in exact arithmetic); False when
        it is an estimate (quadrature, floating point).
    """

    value: float
    error: float = 0.0
    proved: bool = False

    @property
    def lower(self) -> float:
        """Never above the truth, when the error bound holds."""
        return self.value - self.error

    @property
    def upper(self) -> float:
        """Never below the truth, when the error bound holds."""
        return self.value + self.error
