"""A sampling scheme as a hypothesis: what it says of the counts, with numbers given or left open.

A number that is left open (a rate, a batch size) is either read off a pass that is not counted (the pilot), or bounded
from the counts, for a part `spare` of the error that the tests then do not have.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from inspect import signature
from typing import ClassVar

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
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

    @abstractmethod
    def text(self, seen: Observed) -> str:
        """The scheme with its numbers, those left open as they were seen."""

    @abstractmethod
    def settled(self, seen: Observed) -> Scheme:
        """The scheme with all numbers, those left open as they were seen."""

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


def fitting_size(size: int | None, records: int, kind: str, *, repeated: bool = False) -> None:
    """Raise InputError for batches that are larger than the data set."""
    if size is not None and size > records and not repeated:
        raise InputError(f"{kind}(size={size}) of {records} records", allowed=f"a size of 1 to {records}")
