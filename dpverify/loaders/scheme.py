"""A sampling scheme as a hypothesis: what it says of the counts, with numbers given or left open.

A number that is left open (a rate, a batch size) is either read off a pass that is not counted (the pilot), or bounded
from the counts, for a part `spare` of the error that the tests then do not have.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from inspect import signature
from typing import ClassVar, Self

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.rules import Count
from dpverify.loaders.detectable import Visible
from dpverify.loaders.observed import Observed
from dpverify.loaders.scheme_test import SchemeTest
from dpverify.loaders.terms import NOTHING, Priced, Terms


class Scheme(Checked, ABC):
    """One scheme; subclasses are frozen dataclasses whose fields are None where they are left open."""

    __slots__ = ()

    kind: ClassVar[str]
    """Its name in ``--accounted``."""
    rank: ClassVar[int]
    """Where several are not told apart, the lowest is named: those that leave less open come first."""

    @abstractmethod
    def tests(self, seen: Observed, pilot: Observed, *, spare: float) -> Iterator[SchemeTest]:
        """All tests, whose number depends on the pilot and the shape of what was read only.

        Parameters
        ----------
        seen : Observed
            What is counted.
        pilot : Observed
            One pass before, which fixes what may be chosen.
        spare : float
            Error probability of limits that the tests rest on, beside that of the tests.
        """

    def visible(self, seen: Observed, *, level: float) -> list[Visible] | None:
        """Deviations that one test at `level` would have seen; none where all tests are of facts, None if not known.

        A scheme that is not ruled out, and for which this is not known, is no pass.
        """
        return None

    def text(self, seen: Observed) -> str:
        """The scheme with its numbers, those left open as they were seen."""
        settled = self.settled(seen)
        numbers = {name: getattr(settled, name) for name in signature(type(settled)).parameters}
        told = (f"{name}={each:.6g}" if isinstance(each, float) else f"{name}={each}" for name, each in numbers.items())
        return f"{self.kind}({', '.join(each for each in told if not each.endswith('=None'))})"

    def settled(self, seen: Observed) -> Self:
        """The scheme with all numbers, those left open as they were seen; a scheme with numbers says how."""
        if self.open:
            raise NotImplementedError(f"{type(self).__name__} leaves numbers open, and does not say how they are seen")
        return self

    def priced(self, terms: Terms, seen: Observed, *, alpha: float) -> Priced:
        """Epsilon of a training with such batches; `alpha` is the error of limits of numbers that are left open.

        Without an accountant or bound for the scheme: `NOTHING`.
        """
        return NOTHING

    def fits(self, records: int) -> None:
        """Raise InputError where its numbers do not go with so many records."""

    @property
    def open(self) -> bool:
        """Tell whether a number is left open."""
        return any(getattr(self, name) is None for name in signature(type(self)).parameters)

    def called(self) -> str:
        """Messages call the scheme by this name."""
        return self.kind


@dataclass(frozen=True, slots=True, kw_only=True)
class SizedScheme(Scheme):
    """A scheme of batches of one size; the first batch that was seen has it where it is left open."""

    repeats: ClassVar[bool] = False
    """Whether a record may be in a batch twice, so that batches may be larger than the data set."""

    size: Count | None = None

    def settled(self, seen: Observed) -> Self:
        """Take the size that was seen."""
        return replace(self, size=self.size or max(1, int(seen.sizes[0])))

    def fits(self, records: int) -> None:
        """Raise InputError for batches that are larger than the data set."""
        if self.size is not None and self.size > records and not self.repeats:
            raise InputError(f"{self.kind}(size={self.size}) of {records} records", allowed=f"a size of 1 to {records}")
