"""An accountant of a library, as `dpverify audit-accountant` asks it: a file of `adapters/libraries/accountants`.

Not to be confused with `Library.accountants`, numbers beside a library's claims at a few fixed settings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dpverify.adapters.libraries.offered import installed_version
from dpverify.core.relation_names import DEFAULT_RELATION

Steps = Mapping[str, tuple[str, ...]]

SAMPLED: Steps = {"gaussian": ("sigma",), "poisson-gaussian": ("q", "sigma")}
"""What most accountants of trainings take."""


class Collected:
    """An accountant that is given all of its runs at once."""

    def __init__(self) -> None:
        self.runs: list[tuple[Mapping[str, Any], int]] = []

    def compose(self, step: Mapping[str, Any], count: int) -> None:
        """Keep the step, where it is run at all."""
        if count:
            self.runs.append((step, count))


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryAccountant:
    """One way of accounting that a library has.

    Attributes
    ----------
    package, module : str
        As package indexes know it, and as it is imported.
    about : str
        In one line: what is called.
    make : callable
        ``make()`` imports the library, and returns a new object with ``compose(step, count)`` and ``epsilon(delta)``.
    steps : callable
        ``steps()`` is the numbers of each kind of step that the installed version takes, such as
        ``{"gaussian": ("sigma",)}``.
    relation : str
        Of its answers.
    relative, absolute, per_run : float
        By so much (relatively; in all; for each run) two of its answers to one question may differ: the grid it
        computes on.
    known : str
        What the library itself says against its answers, where it does; no verdict rests on it.
    extra : str
        dpverify's extra that installs it; empty where there is none.
    """

    package: str
    module: str
    about: str
    make: Callable[[], Any]
    steps: Callable[[], Steps]
    relation: str = DEFAULT_RELATION
    relative: float = 1e-6
    absolute: float = 1e-9
    per_run: float = 0.0
    known: str = ""
    extra: str = ""

    def version(self) -> str:
        """Of the installed package; InputError, which names the extra, where it is not installed."""
        return installed_version(self.package, extra=self.extra, module=self.module)
