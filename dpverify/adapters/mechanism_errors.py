"""Exceptions of a mechanism, and the error line on them: whether they occur on one of the two data sets only."""

from __future__ import annotations

from typing import Any

from dpverify.adapters.copies import equal, short_repr
from dpverify.core.errors import InputError, one_line


class RaisedError(Exception):
    """Carries the exception that the callable raised."""

    def __init__(self, problem: BaseException) -> None:
        super().__init__(str(problem))
        self.problem = problem


class ReturnedOn:
    """Remembers the first two different data sets on which the callable `name` has returned."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._on: list[Any] = []

    def add(self, dataset: Any) -> None:
        """Note that the callable returned on `dataset`."""
        if len(self._on) < 2 and not self.on(dataset):
            self._on.append(dataset)

    def on(self, dataset: Any) -> bool:
        """Whether the callable has returned on `dataset`."""
        return any(equal(known, dataset) for known in self._on)

    def across(self, dataset: Any) -> str:
        """Where it failed on `dataset` and returned on another: that this tells the two apart; else empty."""
        if not self._on or self.on(dataset):
            return ""
        return " on one data set and returned on the other, which tells the two apart if it follows the data"

    def refusal(self, raised: RaisedError, dataset: Any, *, otherwise: str = "") -> InputError:
        """The error for an exception on `dataset`; `otherwise` is an alternative to correcting the mechanism."""
        problem = raised.problem
        said = f"{type(problem).__name__}: {one_line(str(problem)) or '(no message)'}"
        return InputError(
            f"{self._name} raised {said}{self.across(dataset)}",
            allowed="a mechanism that returns on both data sets",
            remedy=f"call it once by hand on {short_repr(dataset)}{otherwise}",
        )
