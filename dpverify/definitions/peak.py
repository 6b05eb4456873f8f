"""The claim that arms of an experiment are best at one place of the grid, up to a margin: ``Peak(...)``.

Places are those of the grid; the claim says nothing about what lies between.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.core.comparing import Contrast, Grid, Quantifier, Unit, sign
from dpverify.core.errors import InputError
from dpverify.core.measure import Measure
from dpverify.core.registry import Registry
from dpverify.core.rules import Finite
from dpverify.definitions.parameters import Parametrised


@dataclass(frozen=True, slots=True, kw_only=True)
class Peak(Parametrised):
    """The claim: at place `at` the mean of each arm is at least that at every other place, up to the margin.

    Attributes
    ----------
    metric : str
        Such as ``accuracy``; of an ``objective`` the least is best.
    of : tuple of str
        Labels of arms.
    at : float
        A place of the grid.
    margin, unit, quantifier, data
        As in `Ordering`; comparisons are of `at` with each other place.

    Raises
    ------
    InputError
        For no arm, or a place that the grid has not.
    """

    metric: str
    of: tuple[str, ...]
    at: Finite
    margin: Finite = 0.0
    unit: Unit = "range"
    quantifier: Quantifier = "every"
    data: tuple[str, ...] = ()

    def validate(self) -> None:
        """There are arms."""
        for name, least in (("of", 1), ("data", 0)):
            words = getattr(self, name)
            if not isinstance(words, tuple) or len(words) < least or not all(isinstance(each, str) for each in words):
                raise InputError(f"Peak: {name} = {words!r}", allowed='names, such as ("DP-SGD",)')

    @classmethod
    def examples(cls) -> tuple[Peak, ...]:
        """Instances that the contract tests examine."""
        return (cls(metric="accuracy", of=("a",), at=0.5), cls(metric="objective", of=("a", "b"), at=1.0, margin=0.1))

    def arms(self) -> tuple[str, ...]:
        """Those it is about."""
        return self.of

    def metrics(self) -> tuple[str, ...]:
        """The one."""
        return (self.metric,)

    def learned(self) -> tuple[str, ...]:
        """All: the curve of an arm that learns nothing has no best place."""
        return self.of

    def measures(self) -> tuple[Measure, ...]:
        """By how much the place falls short of another, on average: at most the margin."""
        return (Measure(kind="mean", claimed=max(self.margin, 0.0)),)

    def contrasts(self, grid: Grid) -> tuple[Contrast, ...]:
        """The place against every other one, of each arm on each data set."""
        if self.at not in grid.xs:
            raise InputError(f"Peak: at = {self.at:g}", allowed=f"a place of the grid: {', '.join(map(str, grid.xs))}")
        to = sign(self.metric)
        return tuple(
            Contrast(
                label=f"{arm} at {self.at:g} against {x:g} on {data}",
                terms=((data, arm, self.metric, self.at, to), (data, arm, self.metric, x, -to)),
                group="",
            )
            for data in grid.data
            if not self.data or data in self.data
            for x in grid.xs
            if x != self.at
            for arm in self.of
        )


def register(registry: Registry) -> None:
    """Register the definition."""
    registry.definitions.add("Peak", Peak)
