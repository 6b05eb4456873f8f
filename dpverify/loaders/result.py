"""What an audit of a loader found: what was read, against each scheme, at one error probability each.

All tests of a scheme share it by Bonferroni; which of them failed is told by Holm's steps. The loader follows one
scheme at most, so the probability that the true one is ruled out is that of one scheme.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dpverify.audits.finding import Finding
from dpverify.audits.result import Result
from dpverify.core.evidence import Measure
from dpverify.core.verdict import Status
from dpverify.loaders.observed import Observed
from dpverify.loaders.scheme import Scheme
from dpverify.loaders.scheme_test import KINDS, RATE, SchemeTest
from dpverify.loaders.terms import Priced
from dpverify.runner.environment import environment
from dpverify.shown.view import Dots, View

SPARE = 0.05
"""Part of the error that limits of unknown numbers may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """The result of the tests of one scheme."""

    scheme: Scheme
    text: str
    """With its numbers."""
    tests: int
    """How many there were."""
    p: float
    """Of the scheme: the smallest p-value times the number of tests, and what the limits took; at most 1."""
    failed: tuple[SchemeTest, ...]
    """Those below their level, the strongest of each kind first."""

    @property
    def ruled_out(self) -> bool:
        """Tell whether the scheme is refuted."""
        return bool(self.failed)


def held_against(scheme: Scheme, seen: Observed, pilot: Observed, *, alpha: float) -> Held:
    """Test one scheme at error probability `alpha`."""
    spare = SPARE * alpha
    tests = sorted(scheme.tests(seen, pilot, spare=spare), key=lambda each: each.p)
    failed = []
    for place, each in enumerate(tests):
        if each.p > (alpha - spare) / (len(tests) - place):
            break
        failed.append(each)
    least = tests[0].p if tests else 1.0
    p = min(1.0, least * len(tests) + spare) if least > 0 else 0.0
    kinds = {each.kind: each for each in reversed(failed)}
    places = {kind: place for place, kind in enumerate(KINDS)}  # a scheme may have kinds of its own
    strongest = sorted(kinds.values(), key=lambda each: (each.p > 0, places.get(each.kind, len(places))))
    return Held(scheme=scheme, text=scheme.text(seen), tests=len(tests), p=p, failed=tuple(strongest))


def deviations(held: Held, family: Held) -> tuple[SchemeTest, ...]:
    """Return what tells against a scheme: its own numbers, and what tells against its family with any numbers."""
    own = [each for each in held.failed if each.kind == RATE]
    if not own:
        return held.failed
    return (*own, *family.failed)


def level_of(tests: int, alpha: float) -> float:
    """The error probability of one of so many tests."""
    return (alpha - SPARE * alpha) / tests


FORMAT = "dpverify sampler 1"
SHOWN = 4
"""Deviations that are printed; the record has all kinds."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """The claim that batches are drawn by a scheme: it has no number that could be exceeded."""

    scheme: str

    def text(self) -> str:
        """The scheme, with its numbers."""
        return self.scheme

    def measures(self) -> tuple[Measure, ...]:
        """Return none: it has no number."""
        return ()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SamplerResult(Result):
    """The scheme that a loader follows. It is neither true nor false: compare `verdict`, or call `check`.

    Attributes
    ----------
    verdict : Status
        Of the scheme that was accounted for: ``refuted``, ``not_refuted`` (not told apart from it, which proves
        nothing), or ``inconclusive`` (what was read could have shown nothing).
    accounted : str
        That scheme.
    found : str or None
        The first scheme that was not ruled out, those that leave less open first; None where all were.
    not_ruled_out : tuple of str
        All that were not.
    deviations : tuple of (str, str, float)
        Of the accounted scheme: kind, what was seen, p-value (before it is multiplied by the number of tests).
    detectable : mapping of str to float or None
        Where it is not refuted: what would have been seen with 80 % power.
    p_value : float
        Of the accounted scheme, all tests together.
    confidence : float
        1 - the probability that a scheme is ruled out which the loader follows.
    passes, steps, records : int
        What was read: passes, batches of each, records of the data set.
    accounted_epsilon, found_epsilon : Priced or None
        Epsilon of a training, where its terms were given.
    replace_tells : bool
        Whether the bounds do not tell if the account is too low, and those of the relation replace do.
    reason : str
        Why it is inconclusive.
    notes : tuple of str
        What to know before quoting it.
    """

    finding: Finding
    found: str | None
    not_ruled_out: tuple[str, ...]
    deviations: tuple[tuple[str, str, float], ...]
    detectable: Mapping[str, float | None]
    p_value: float
    confidence: float
    passes: int
    steps: int
    records: int
    inclusions: int
    terms: Mapping[str, Any] | None = None
    accounted_epsilon: Priced | None = None
    found_epsilon: Priced | None = None
    replace_tells: bool = False
    held: tuple[Held, ...] = ()

    @property
    def name(self) -> str:
        """The name of the loader."""
        return self.row.entry.claim.subject

    @property
    def accounted(self) -> str:
        """The scheme that was accounted for."""
        return self.row.entry.claim.guarantee.text()

    @property
    def reason(self) -> str:
        """The reason of an inconclusive verdict."""
        return self.row.verdict.reason

    def finding_line(self) -> str:
        """The verdict in one line."""
        return " ".join(self.headline().split())

    def __repr__(self) -> str:
        return "\n".join(self.lines()[:10])

    def headline(self) -> str:
        """The verdict in one line."""
        if self.verdict is Status.REFUTED:
            what = f"it fits {self.found}" if self.found else "it fits none of the schemes known here"
            return f"REFUTED: {self.name} is not {self.accounted}; {what}"
        if self.verdict is Status.INCONCLUSIVE:
            return f"inconclusive: {self.name}: {self.reason}"
        return f"not refuted: {self.name} was not told apart from {self.accounted}"

    def lines(self) -> list[str]:
        """Return lines that a person reads, each for itself."""
        error = 1.0 - self.confidence
        found = [
            self.headline(),
            f"read: {self.passes} passes of {self.steps} batches, {self.records} records, "
            f"{self.inclusions} inclusions; "
            f"error probability {error:.2g}",
        ]
        if self.verdict is Status.REFUTED:
            for kind, words, p in self.deviations[:SHOWN]:
                chance = "impossible" if p == 0 else f"p = {p:.1e}" if p > 1e-99 else "p < 1e-99"
                found.append(f"  {kind}: {words} ({chance})")
            if len(self.deviations) > SHOWN:
                found.append(f"  and {len(self.deviations) - SHOWN} more kinds of deviation (--json has them)")
        else:
            told = [f"{words} {_shown(size)}" for words, size in self.detectable.items()]
            if told:
                found.append("would have been seen with 80 % power: " + "; ".join(told))
        others = [each for each in self.not_ruled_out if each not in (self.found, self.accounted)]
        if others:
            found.append("not ruled out either: " + "; ".join(others))
        found += self.epsilon_lines()
        return [*found, *self.notes]

    def epsilon_lines(self) -> list[str]:
        """Say what the loader's scheme costs, beside what was accounted for."""
        if self.terms is None or self.accounted_epsilon is None:
            return []
        at = f"{self.terms['relation']}, delta = {self.terms['delta']:g}, {self.terms['steps']} steps"
        found = [f"accounted for ({self.accounted}; {at}): {self.accounted_epsilon.text()}"]
        if self.found_epsilon is None:
            if self.verdict is Status.REFUTED:
                found.append("really: no accountant or bound here covers it")
            return found
        found.append(f"really ({self.found}): {self.found_epsilon.text()}")
        if self.verdict is Status.REFUTED:
            told = compared(self.accounted_epsilon, self.found_epsilon)
            more = "; those where a record is replaced do: --relation replace" if self.replace_tells else ""
            found.append(told or f"these bounds do not tell whether the account is too low{more}")
        return found

    def view(self) -> View:
        """The view shows the schemes, each with what speaks against it, and what was accounted for."""
        found = [
            ("accounted for", self.accounted),
            ("found", self.found or "none of the schemes known here"),
            ("read", f"{self.passes} passes of {self.steps} batches, {self.records} records"),
            ("error", f"probability {1.0 - self.confidence:.2g} that a scheme is ruled out which the loader follows"),
        ]
        seen = [f"{words} {_shown(size)}" for words, size in self.detectable.items()]
        if seen and self.verdict is not Status.REFUTED:
            found.append(("caught", "with 80 % power: " + "; ".join(seen)))
        rows = [
            (each.text, "ruled out" if each.ruled_out else "not ruled out", "; ".join(one.words for one in each.failed))
            for each in self.held
        ]
        said = None if self.accounted_epsilon is None else self.accounted_epsilon.upper
        really = None if self.found_epsilon is None else self.found_epsilon.lower
        return View(
            title=self.headline().partition(": ")[2],
            verdict=self.verdict.value,
            facts=found,
            measured=("epsilon of the training", said, really) if said is not None and really is not None else None,
            dots=Dots(
                x="-log10 of the p-value (99: impossible)",
                marks=("what was seen against it", "from here on it is ruled out"),
                rows=[(each.text, (_against(each), -math.log10(1.0 - self.confidence))) for each in self.held],
            ),
            table=[("scheme", "", "seen"), *rows] if rows else (),
            notes=[*self.epsilon_lines(), *self.notes],
        )

    def record(self) -> dict[str, Any]:
        """Return the result as plain values for JSON."""
        return {
            "format": FORMAT,
            "loader": self.name,
            "verdict": str(self.verdict),
            "reason": self.reason,
            "accounted": self.accounted,
            "found": self.found,
            "not_ruled_out": list(self.not_ruled_out),
            "p_value": self.p_value,
            "confidence": self.confidence,
            "deviations": [{"kind": kind, "seen": words, "p": p} for kind, words, p in self.deviations],
            "detectable": dict(self.detectable),
            "schemes": [
                {
                    "scheme": each.text,
                    "ruled_out": each.ruled_out,
                    "p_value": each.p,
                    "tests": each.tests,
                    "seen": [{"kind": one.kind, "seen": one.words, "p": one.p} for one in each.failed],
                }
                for each in self.held
            ],
            "read": {
                "passes": self.passes,
                "batches_per_pass": self.steps,
                "records": self.records,
                "inclusions": self.inclusions,
            },
            "terms": None if self.terms is None else dict(self.terms),
            "accounted_epsilon": _ends(self.accounted_epsilon),
            "found_epsilon": _ends(self.found_epsilon),
            "seed": self.row.seed,
            "seconds": round(self.row.seconds, 3),
            "notes": list(self.notes),
            "environment": environment(),
        }


def compared(said: Priced, really: Priced) -> str:
    """Tell whether an account was too low or on the safe side; empty where the bounds do not tell."""
    if said.upper is not None and really.lower is not None and really.lower > said.upper:
        return "the account is too low: this loader costs more than was accounted for"
    if said.lower is not None and really.upper is not None and really.upper <= said.lower:
        return "the account is on the safe side: this loader costs no more than was accounted for"
    return ""


def _ends(priced: Priced | None) -> dict[str, Any] | None:
    return None if priced is None else {"lower": priced.lower, "upper": priced.upper, "by": priced.words}


def _against(held: Held) -> float:
    """The power of ten of a scheme's p-value, without what was set apart for its unknown numbers; at most 99."""
    p = min((each.p * held.tests for each in held.failed), default=held.p)
    return 99.0 if p <= 1e-99 else max(-math.log10(p), 0.0)


def _shown(size: float | None) -> str:
    if size is None:
        return "none"
    return f"{size:+.2%}" if size < 10 else f"{size + 1:.0f} times"
