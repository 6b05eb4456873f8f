"""Evidence: what an auditor saw, with all that is needed to compute its bound again.

`excess` is the one number that verdicts rest on: a lower bound (at the stated confidence, or with the stated error)
on how far the claim is exceeded. Positive means refuted; it is never positive by more than the evidence carries.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from dpverify.core.errors import DpverifyError, InputError
from dpverify.core.fields import Checked
from dpverify.core.rules import Between

Coverage = Literal["search", "enumeration", "enclosure"]


Kind = Literal["epsilon", "delta", "renyi", "mu", "sensitivity", "ratio", "mean"]
_ARGUMENT = {"epsilon": "delta", "delta": "epsilon", "renyi": "order"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence(Checked):
    """The result of one audit of one claim.

    Attributes
    ----------
    claim, auditor, version : str
        Who looked at what.
    measure : Measure
        The point of the claim that was measured, with the claimed value.
    bound : float
        The measured value: a lower bound on the truth (never above it, up to confidence or error).
    excess : float
        Lower bound on the violation, in the measure's own units or as a probability; > 0 refutes.
    confidence : float or None
        One-sided confidence of `bound`, after all of the audit's multiplicity; None for exact methods.
    error : float or None
        Numerical error of `bound` for exact methods, None for statistical ones; `proved` says whether it is proved.
    coverage : str
        ``search`` (a supremum reached by search), ``enumeration`` (every pair of a finite set), or ``enclosure``
        (a proved bound over the box in `statistics`).
    estimate : float or None
        Point estimate, labelled as such everywhere: no bound, no verdict rests on it.
    detectable : float or None
        Smallest true value of the measure that this audit would have refuted with 80 % power, if the violation shows
        whole at the event that was counted.
    ceiling : float or None
        Largest value that this audit could have certified at all.
    statistics : mapping
        Sufficient statistics: counts, sizes, event, error budget. Plain JSON values.
    witness : mapping
        Neighbouring pair, direction, event, parameters. Plain JSON values.
    picture : mapping
        Points of the trade-off picture: claimed curve, measured rectangle or exact curve. Plain JSON values.
    """

    claim: str
    auditor: str
    version: str
    measure: Measure
    bound: float
    excess: float
    confidence: float | None = None
    error: float | None = None
    proved: bool = False
    coverage: Coverage = "search"
    estimate: float | None = None
    detectable: float | None = None
    ceiling: float | None = None
    trials: int = 0
    seconds: float = 0.0
    seed: int = 0
    statistics: Mapping[str, Any] = field(default_factory=dict)
    witness: Mapping[str, Any] = field(default_factory=dict)
    picture: Mapping[str, Any] = field(default_factory=dict)

    def validate(self) -> None:
        """It is statistical or exact, and its bound is a number."""
        if (self.confidence is None) == (self.error is None):
            raise InputError(
                f"evidence of {self.auditor} with confidence={self.confidence}, error={self.error}",
                allowed="exactly one of the two: statistical evidence has a confidence, exact evidence an error",
            )
        if self.bound != self.bound or self.excess != self.excess:
            raise InputError(f"evidence of {self.auditor}: bound {self.bound}, excess {self.excess}", allowed="numbers")

    @property
    def tightness(self) -> float:
        """Measured over claimed (how close the audit came); where the claim is 0 there is no such share: inf when the
        bound is not 0, else 1."""
        if self.measure.claimed == 0:
            return float("inf") if self.bound > 0 else 1.0
        return self.bound / self.measure.claimed


class LackingError(DpverifyError):
    """The record has too few numbers for its bound to be computed again; the message says which are missing."""


class ContradictionError(DpverifyError):
    """Numbers of one record that cannot all be true; the message says which."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """The bound that the counts of one piece of evidence give again.

    Attributes
    ----------
    measure : Measure
        The point of the claim that they speak of.
    bound, excess : float
        As in Evidence.
    alpha : float
        The error probability that was spent: the confidence is 1 - alpha.
    trials : int
        Draws a side.
    numbers : mapping of str to float
        Others that the statistics print under these names (``a.b`` for one inside another).
    slack : float
        By how much `numbers` may differ, relative, beyond what rounding explains everywhere.
    """

    measure: Measure
    bound: float
    excess: float
    alpha: float
    trials: int
    numbers: Mapping[str, float] = field(default_factory=dict)
    slack: float = 0.0


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
