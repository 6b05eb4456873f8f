"""A row: one claim's verdict beside what was expected of it. The closing table and every report are made of rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Literal

from scipy import special

from dpverify.core.errors import exit_status
from dpverify.core.evidence import Evidence
from dpverify.core.note import Telling
from dpverify.core.record import ProofRecord
from dpverify.core.subjects import Guarantee, PrivacyGuarantee
from dpverify.core.suite import SuiteEntry
from dpverify.core.verdict import Status, Verdict
from dpverify.stats.power import rarest_leak

TOO_RARE = 1e-6
"""With a confidence for each row: more false alarms than expected are a surprise below this probability."""


Cut = Literal["", "interrupted", "out of time"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of a run's result."""

    entry: SuiteEntry
    verdict: Verdict
    seconds: float
    seed: int
    reproduce: str
    """The command that repeats this row."""
    rarest: float | None = None
    """The rarest event whose leak the draws could detect (`dpverify.runner.row`); None where no event was counted."""
    cut: Cut = ""
    """Why the run stopped before this row was complete; a resumed run repeats it."""
    proof: ProofRecord | None = None
    """What was proved from the code, beside the audit."""

    @property
    def id(self) -> str:
        """Id of the claim."""
        return self.entry.claim.id

    @property
    def outside(self) -> str:
        """``false unless records lie in [0, 1]``: where the claim falls outside of what its example shows; else empty.

        It is the first line of every text on the row, and no verdict.
        """
        leading = self.verdict.leading
        found = leading.statistics.get("outside") if leading is not None else None
        return str(found["line"]) if found else ""

    @property
    def surprise(self) -> str:
        """Why this row is not as expected; empty when it is, or when nothing was expected.

        A row that was cut short has not missed anything yet.
        """
        status, expectation = self.verdict.status, self.entry.expectation
        if expectation == "stands" and status is Status.REFUTED:
            return "a claim that was expected to stand is refuted"
        if expectation == "broken" and status is not Status.REFUTED and not self.cut:
            return f"known broken, and missed: {status.value.replace('_', ' ')}"
        return ""

    @property
    def incomplete(self) -> bool:
        """True when the audit could not be completed, or decided nothing where something was expected."""
        undecided = self.verdict.status in (Status.UNSUPPORTED, Status.INCONCLUSIVE)
        cut = bool(self.cut) and self.verdict.status is not Status.REFUTED
        return self.verdict.status is Status.ERROR or cut or (undecided and self.entry.expectation is not None)


def rows_status(rows: list[Row], *, chance: float | None = None) -> int:
    """0 every verdict as expected; 1 a surprise; 3 an audit could not be completed (and nothing worse happened).

    With `chance`, each row may refute falsely with that probability. Refuted claims that were expected to stand are
    then a surprise only when there are more of them than chance explains.
    """
    surprises = [row for row in rows if row.surprise and not row.incomplete]
    if chance is not None:
        false = [row for row in surprises if row.entry.expectation == "stands"]
        stand = sum(row.entry.expectation == "stands" for row in rows)
        if false and float(special.bdtrc(len(false) - 1, stand, chance)) >= TOO_RARE:
            surprises = [row for row in surprises if row not in false]
    return exit_status(["surprise" for _ in surprises] + ["incomplete" for row in rows if row.incomplete])


_known: dict[tuple[str, int, float], float | None] = {}
"""By claim, draws a side and error probability: many rows of a suite have the same."""


def rarest_of(guarantee: Guarantee, evidence: Iterable[Evidence]) -> float | None:
    """The rarest event whose leak the draws could detect; None where no event was counted, or none could be found."""
    return Telling()("the rarest leak", partial(rarest_detectable, guarantee, evidence), None)


def rarest_detectable(guarantee: Guarantee, evidence: Iterable[Evidence]) -> float | None:
    """Return `rarest_of` by the first evidence of equally many draws a side; InputError for counts that are none."""
    if not isinstance(guarantee, PrivacyGuarantee):
        return None
    for item in evidence:
        trials, alpha = item.statistics.get("n1"), item.statistics.get("alpha")
        if item.confidence is None or not isinstance(trials, int) or not isinstance(alpha, float):
            continue
        if trials == item.statistics.get("n2"):
            looks = [(trials, alpha)]
            match item.statistics.get("rarest_by"):  # the gate's second look
                case [int(more), float(level)] if more > 0 and 0.0 < level < 1.0:
                    looks.append((more, level))
            found = [least for each in looks if (least := _rarest_leak(guarantee, *each)) is not None]
            return min(found, default=None)
    return None


def _rarest_leak(guarantee: PrivacyGuarantee, trials: int, alpha: float) -> float | None:
    asked = guarantee.text(), trials, alpha
    if asked not in _known:
        _known[asked] = rarest_leak(guarantee, trials, alpha=alpha)
    return _known[asked]
