"""What an audit of an accountant found: one row a relation, and the verdict of all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpverify.audits.finding import Finding
from dpverify.audits.result import Result
from dpverify.core.evidence import Measure
from dpverify.core.verdict import Status
from dpverify.runner.environment import environment
from dpverify.runner.record import plain
from dpverify.shown.view import WORDS, View

FORMAT = "dpverify accountant 1"
INCONSISTENT, NOTHING_FOUND = "inconsistent", "no contradiction found"


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountantClaim:
    """The claim of an accountant: its answers are upper bounds, and follow one rule."""

    steps: tuple[str, ...]

    def text(self) -> str:
        """The claim in a few words."""
        return f"an accountant of {', '.join(self.steps)}"

    def measures(self) -> tuple[Measure, ...]:
        """Return none: its rows have the numbers."""
        return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationRow:
    """One relation that the answers were held to.

    Attributes
    ----------
    name, asks : str
        Of the relation, and what is asked.
    verdict : Status
        ``refuted``; ``not_refuted`` (no contradiction was found, which proves nothing); ``inconclusive``
        (inconsistent); ``unsupported`` (the accountant cannot be asked this, or answers nowhere).
    inconsistent : bool
        Whether two answers contradict each other, and neither is below a lower bound.
    words : str
        The finding.
    settings, unanswered : int
        How many settings were looked at, and at how many of them it raised an error.
    shown : tuple of str
        The answers at the smallest setting that shows it; empty where nothing was found.
    answers : tuple of float
        Their numbers.
    bound : float or None
        The lower bound that an answer is below.
    beside : str
        The command that computes this bound, or a sharper one; empty where there is none.
    """

    name: str
    asks: str
    verdict: Status
    inconsistent: bool = False
    words: str
    settings: int = 0
    unanswered: int = 0
    shown: tuple[str, ...] = ()
    answers: tuple[float, ...] = ()
    bound: float | None = None
    beside: str = ""

    @property
    def word(self) -> str:
        """The verdict as tables have it."""
        if self.inconsistent:
            return INCONSISTENT
        return NOTHING_FOUND if self.verdict is Status.NOT_REFUTED else WORDS[self.verdict.value]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class AccountantAuditResult(Result):
    """Rows of relations that an accountant was held to. Compare `verdict`, or call `check`.

    Attributes
    ----------
    verdict : Status
        ``refuted`` where a row is, else ``inconclusive`` where one is or nothing could be asked, else ``not_refuted``,
        which proves nothing.
    rows : tuple of RelationRow
        The relations, with the smallest setting that contradicts each.
    version : str
        Of the accountant, where it is known.
    relation : str
        The neighbour relation that its answers are taken for.
    steps : tuple of str
        The kinds of steps that it was asked about.
    calls : int
        How often it was called.
    """

    finding: Finding
    rows: tuple[RelationRow, ...]
    version: str
    relation: str
    steps: tuple[str, ...]
    calls: int

    @property
    def name(self) -> str:
        """The name of the accountant."""
        return self.row.entry.claim.subject

    @property
    def inconsistent(self) -> bool:
        """Tell whether answers contradict each other, and no row is refuted."""
        return self.verdict is not Status.REFUTED and any(row.inconsistent for row in self.rows)

    @property
    def word(self) -> str:
        """The verdict as tables have it."""
        if self.inconsistent:
            return INCONSISTENT
        return NOTHING_FOUND if self.verdict is Status.NOT_REFUTED else WORDS[self.verdict.value]

    def __getitem__(self, name: str) -> RelationRow:
        """Return the row of a name."""
        return next(row for row in self.rows if row.name == name)

    def finding_line(self) -> str:
        """The verdict in one line, with the first row that it rests on."""
        first = next((row for row in self.rows if row.verdict is self.verdict), None)
        told = "" if first is None or self.verdict is Status.NOT_REFUTED else f": {first.name}: {first.words}"
        return f"{self._title()}: {self.word}{told}"

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """Return the lines that a person reads."""
        found = [f"{self.word.upper() if self.verdict is Status.REFUTED else self.word}: {self._title()}"]
        for row in self.rows:
            mark = "" if row.verdict in (Status.NOT_REFUTED, Status.UNSUPPORTED) else f"{row.word}: "
            found.append(f"  {row.name}: {mark.upper() if row.verdict is Status.REFUTED else mark}{row.words}")
            found += [f"    {line}" for line in (*row.shown, row.beside) if line]
        return [*found, self._said(), *self.notes]

    def _said(self) -> str:
        return f"{self.calls} calls of the accountant, seed {self.row.seed}; what was not looked at may show more"

    def _title(self) -> str:
        version = f" ({self.version})" if self.version else ""
        return f"{self.name}{version} as {self.row.entry.claim.guarantee.text()}, relation {self.relation}"

    def view(self) -> View:
        """The view shows a table of the rows."""
        rows = [(row.name, row.word, row.words, "; ".join(row.shown)) for row in self.rows]
        return View(
            title=self._title(),
            verdict=self.verdict.value,
            facts=[("looked at", self._said())],
            table=[("relation", "", "found", "smallest setting"), *rows],
            notes=self.notes,
        )

    def record(self) -> dict[str, Any]:
        """Return the result as plain values for JSON."""
        found: dict[str, Any] = plain(
            {
                "format": FORMAT,
                "accountant": self.name,
                "version": self.version,
                "verdict": str(self.verdict),
                "word": self.word,
                "relation": self.relation,
                "steps": list(self.steps),
                "rows": [
                    {
                        "name": row.name,
                        "asks": row.asks,
                        "verdict": str(row.verdict),
                        "word": row.word,
                        "words": row.words,
                        "settings": row.settings,
                        "unanswered": row.unanswered,
                        "shown": list(row.shown),
                        "answers": list(row.answers),
                        "bound": row.bound,
                        "beside": row.beside,
                    }
                    for row in self.rows
                ],
                "calls": self.calls,
                "seed": self.row.seed,
                "seconds": round(self.row.seconds, 3),
                "notes": list(self.notes),
                "environment": environment(),
            }
        )
        return found
