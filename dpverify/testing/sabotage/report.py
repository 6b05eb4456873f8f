"""What became of the mutants of one mechanism: as a table of 80 columns, as JSON, and as an assertion."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from dpverify.reporting.formatting import number
from dpverify.shown.mixin import Displayed
from dpverify.shown.view import Dots, View

Outcome = Literal["killed", "survived", "no violation", "unknown"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)

WIDTH = 80
NAME, OUTCOME, LOSS = 22, 13, 8


@dataclass(frozen=True, slots=True, kw_only=True)
class MutantRow:
    """The outcome of one mutant, by its `name`.

    Attributes
    ----------
    what : str
        What is broken, in words.
    outcome : str
        ``killed``, ``survived``, ``no violation`` or ``unknown``.
    how : str
        What killed it, or why it counts as it does.
    loss : float or None
        The largest known true value of the claim's headline measure over some pairs; None where it is not known.
    seconds : float
        Of its audit.
    """

    name: str
    what: str
    outcome: Outcome
    how: str
    loss: float | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class MutantReport(Displayed):
    """The outcomes of all mutants of one mechanism.

    Attributes
    ----------
    mechanism, claim : str
        Whose, and what was claimed.
    rows : tuple of MutantRow
        One for each mutant.
    left_out : mapping of str to str
        Mutants that could not be made, and why.
    """

    mechanism: str
    claim: str
    rows: tuple[MutantRow, ...]
    left_out: dict[str, str] = field(default_factory=dict)

    def count(self, outcome: Outcome) -> int:
        """Count the mutants of this outcome."""
        return sum(row.outcome == outcome for row in self.rows)

    def assert_killed(self, *, allowed: Sequence[str] = (), strict: bool = False) -> None:
        """Raise an AssertionError where a mutant survived.

        Parameters
        ----------
        allowed : sequence of str
            Names of mutants that may survive.
        strict : bool
            Whether a mutant of unknown loss may not, either.
        """
        bad = ("survived", "unknown") if strict else ("survived",)
        rows = [row for row in self.rows if row.outcome in bad and row.name not in allowed]
        if rows:
            told = "; ".join(f"{row.name} {row.outcome} ({row.how})" for row in rows)
            raise AssertionError(f"the audit of {self.mechanism} does not find {len(rows)} of its mutants: {told}")

    def view(self) -> View:
        """The view lists the mutants by outcome."""
        head = ("mutant", "outcome", "loss", "how")
        rows = [(row.name, row.outcome, "-" if row.loss is None else number(row.loss, 3), row.how) for row in self.rows]
        return View(
            title=f"mutants of {self.mechanism}: {self.claim}",
            facts=[(each, str(self.count(each))) for each in OUTCOMES],
            table=(head, *rows),
            dots=Dots(x="loss", marks=("loss of the mutant",), rows=[(row.name, (row.loss,)) for row in self.rows]),
            notes=[f"not made: {name}, {why}" for name, why in self.left_out.items()],
        )

    def text(self) -> str:
        """A table of 80 columns."""
        return _table(self)

    def record(self) -> dict[str, Any]:
        """Plain values, as JSON has them; an infinite loss is ``"inf"``."""
        rows = [
            {name: getattr(row, name) for name in ("name", "what", "outcome", "how", "loss", "seconds")}
            for row in self.rows
        ]
        for row in rows:
            row["loss"] = "inf" if row["loss"] == math.inf else row["loss"]
        return {"mechanism": self.mechanism, "claim": self.claim, "rows": rows, "left_out": self.left_out}

    def json(self) -> str:
        """Return `record` as text."""
        return json.dumps(self.record(), indent=1)


def _table(report: MutantReport) -> str:
    """A head line, a line for each mutant (longer texts go on below), those left out, and the counts."""
    how = WIDTH - NAME - OUTCOME - LOSS
    lines = textwrap.wrap(f"mutants of {report.mechanism}, {report.claim}", WIDTH)
    lines += ["", f"{'mutant':<{NAME}}{'outcome':<{OUTCOME}}{'loss':<{LOSS}}how".rstrip()]
    for row in report.rows:
        loss = "-" if row.loss is None else number(row.loss, 3)
        texts = textwrap.wrap(row.how, how) or [""]
        lines.append(f"{row.name:<{NAME}}{row.outcome:<{OUTCOME}}{loss:<{LOSS}}{texts[0]}")
        lines += [" " * (WIDTH - how) + text for text in texts[1:]]
    lines += [
        line for name, why in report.left_out.items() for line in textwrap.wrap(f"not made: {name}, {why}", WIDTH)
    ]
    outcomes = ("killed", "survived", "no violation", "unknown")
    told = ", ".join(f"{sum(row.outcome == each for row in report.rows)} {each}" for each in outcomes)
    return "\n".join([*lines, "", f"{len(report.rows)} mutants: {told}"])
