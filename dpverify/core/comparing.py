"""Claims that compare measured means: linear contrasts of series of repetitions, and what a subject offers for them.

A *series* holds one metric of one arm on one data set at one place x of a grid (an epsilon, an epoch ...), one number a
repetition. Repetitions are paired: number i of every series of a data set comes from the same split and the same start.
A claim is a list of contrasts, in groups: of each group at least a stated number must hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

if TYPE_CHECKING:
    from dpverify.core.auditing import Task
    from dpverify.core.claim import Claim
    from dpverify.core.evidence import Evidence

Unit = Literal["range", "own", "log"]
"""Of a margin: a share of the recoverable range, the metric's own unit, or natural logarithms of the metric."""

Quantifier = Literal["every", "most", "some", "all-but-one"]
"""How many comparisons of a group must hold."""

LOWER_IS_BETTER = frozenset({"objective", "seconds", "evaluations", "error", "noise", "spent", "step-size"})
"""Metrics of which less is better; of all others more is."""


def sign(metric: str) -> float:
    """1 for a metric of which more is better, else -1."""
    return -1.0 if metric in LOWER_IS_BETTER else 1.0


def series_key(data: str, arm: str, metric: str, x: float) -> str:
    """The name of a series in a record."""
    return f"{data}|{arm}|{metric}|{x:.6g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """The grid of measurements: data sets, and the places x, increasing."""

    data: tuple[str, ...]
    xs: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """The claim that a sum of coefficients times means is at least ``-margin``."""

    label: str
    """What is compared, and where."""
    terms: tuple[tuple[str, str, str, float, float], ...]
    """Tuple of (data, arm, metric, x, coefficient): the metric's direction is in the coefficient's sign."""
    group: str = ""
    """Contrasts of one group are counted together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """The measurements of one subject."""

    values: Mapping[str, Sequence[float]]
    """By `series_key`, one number a repetition."""
    grid: Grid
    """Of the values."""
    ranges: Mapping[str, float] = field(default_factory=dict)
    """Recoverable range by ``data|metric``: from the floor arm to the ceiling arm; missing where there is none."""
    levels: Mapping[str, float] = field(default_factory=dict)
    """What an arm's mean must be better than somewhere, by ``data|metric``, to have learnt anything."""
    exact: bool = False
    """True where the numbers are computed and not drawn."""
    prices: Mapping[str, Any] = field(default_factory=dict)
    """By arm: what it was calibrated to, by which accountant."""
    moved: Sequence[Mapping[str, Any]] = ()
    """Settings that the paper does not print, moved: ``arm``, ``setting``, ``value``, and the ``values`` that the arm
    has then, in place of its own; ``ruined``, if the arm without noise learns nothing with it."""
    missing: Mapping[str, str] = field(default_factory=dict)
    """Data sets that are not here, and what each needs."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What was chosen for each arm where the paper prints nothing. Plain JSON values."""
    resampled: float = 0.0
    """Size of the test part over that of the training part, where each repetition splits one table; else 0."""


@runtime_checkable
class Compares(Protocol):
    """Capability of a guarantee: it is a claim about contrasts of means."""

    margin: float
    unit: Unit
    quantifier: Quantifier

    def arms(self) -> tuple[str, ...]:
        """Labels of the arms that it speaks of."""
        ...

    def metrics(self) -> tuple[str, ...]:
        """Metrics that it speaks of."""
        ...

    def learned(self) -> tuple[str, ...]:
        """Labels of arms of which nothing can be said where they learn nothing (their curves are flat, whatever)."""
        ...

    def contrasts(self, grid: Grid) -> tuple[Contrast, ...]:
        """Return the numbers that must be at least ``-margin``, at the places of the grid."""
        ...


@runtime_checkable
class HasSeries(Protocol):
    """Capability of a subject: it measures arms against one another, in paired repetitions."""

    @property
    def statements(self) -> int:
        """So many statements share one false-alarm probability."""
        ...

    def lacks(self) -> str:
        """Say what is missing before anything can be measured; empty where something can."""
        ...

    def series(self, arms: Sequence[str], metrics: Sequence[str], task: Task) -> Series:
        """All series of these arms and their ranges; the same for the same seed and effort of the task."""
        ...


@runtime_checkable
class JudgesAgain(Protocol):
    """Capability of an auditor: it decides a statement from numbers that were measured before."""

    def judged_again(self, claim: Claim, measured: Mapping[str, Any], *, alpha: float) -> Evidence:
        """The evidence by today's rules.

        Parameters
        ----------
        claim : Claim
            The statement.
        measured : mapping
            The ``statistics`` of its record: values, ranges, prices, moved settings.
        alpha : float
            The statement's share of the false-alarm probability.
        """
        ...
