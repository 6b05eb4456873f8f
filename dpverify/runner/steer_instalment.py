"""One instalment of a steered audit: new draws, which go on from the wealth of all earlier instalments.

Result: given all earlier results, an instalment's e-value E has expectation at most 1 under the claim at any stopping
time (`dpverify.stats.e_values`). So wealth that is multiplied by e-values is a supermartingale, however the time and
length of the next instalment are chosen.

Not all wealth is staked at once. Instalment k adds a stake v_k = 1 / k(k + 1) (the stakes sum to 1) to the wealth left
by the earlier ones, so A_k = (A_(k-1) + v_k) E_k. Where less than v_k is left, it stakes v_k alone, the remaining
wealth is given up, and the auditor may choose a new event. (A plain product would carry on the losses of early bets.
Where a claim is far from tight, a thousand pairs can lose as much as a refutation gains.) A series of instalments that
continue one another falsely reaches 1/alpha with probability at most alpha times its stakes, so all series together
with probability at most alpha. The same holds for the bounds.

An auditor starts at wealth 1 and refutes at 1/alpha. In units of v_k an instalment starts from (A_(k-1) + v_k) / v_k >=
1, and refutes at 1 / (alpha v_k), which means that A_k reaches 1/alpha. Its detectable value is computed for wealth 1
at level alpha v_k, so it holds whatever the earlier instalments have lost.

Assumption: draws are independent of all earlier ones. Every instalment has separate random streams. An instalment whose
first block equals that of an earlier one bit for bit is dropped before any bet (which is valid, since nothing was
staked), and after a few of these in a row the audit stops.

Limits: a mechanism that does not use its rng and repeats draws after the first block, or on other pairs of data sets,
is not noticed. Sessions (`dpverify.runner.evidence_file`) are different: they pool separate runs in a file, by the
plain product; instalments are parts of one run and are kept in its store.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dpverify.core.auditing import Auditor
from dpverify.core.errors import AuditError
from dpverify.core.evidence import Evidence
from dpverify.core.subjects import Float
from dpverify.runner.plan import Unit, task_streams
from dpverify.runner.store.codec import evidence_of, text_of
from dpverify.runner.thread_limits import one_thread

ATTEMPTS = 16
"""Repeated first blocks in a row after which an audit stops; a single one may be chance.
"""


def stake(place: int) -> float:
    """The stake that instalment `place` (from 0) adds to the wealth; all stakes sum to at most 1."""
    return 1.0 / ((place + 1) * (place + 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class Instalment:
    """The result of one instalment.

    Attributes
    ----------
    evidence : Evidence or None
        The auditor's evidence. Wealth and bounds include the instalments that it continues; counts and ``e_value_here``
        are of this one alone. None where its draws were repeated and nothing was bet.
    goes_on : bool
        Whether it continued from the wealth of the instalment before.
    chain : mapping
        The auditor's description of the claims of its chain; empty before the first bet.
    wealth, peaks : tuple of float
        A_k and its highest value so far, for each claim of the chain.
    first : tuple of str
        Digests of the first block, under d0 and under d1.
    witness : mapping
        Event and pair with the largest bet at the end.
    """

    evidence: Evidence | None
    goes_on: bool = False
    chain: Mapping[str, Any] = field(default_factory=dict)
    wealth: tuple[float, ...] = ()
    peaks: tuple[float, ...] = ()
    first: tuple[str, ...] = ()
    witness: Mapping[str, Any] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """The plain JSON values that the store saves."""
        return {
            "evidence": None if self.evidence is None else text_of(self.evidence),
            "goes_on": self.goes_on,
            "chain": dict(self.chain),
            "wealth": list(self.wealth),
            "peaks": list(self.peaks),
            "first": list(self.first),
            "witness": dict(self.witness),
        }

    @classmethod
    def of(cls, plain: Mapping[str, Any]) -> Instalment:
        """The instalment made of the values that `plain` gave.

        Raises
        ------
        ValueError, TypeError, KeyError
            When the values are malformed.
        """
        return cls(
            evidence=None if plain["evidence"] is None else evidence_of(plain["evidence"]),
            goes_on=bool(plain["goes_on"]),
            chain=dict(plain["chain"]),
            wealth=tuple(plain["wealth"]),
            peaks=tuple(plain["peaks"]),
            first=tuple(plain["first"]),
            witness=dict(plain["witness"]),
        )


def left(before: Sequence[Instalment]) -> float:
    """The wealth against the claim itself after these instalments."""
    last = before[-1].evidence if before else None
    return 0.0 if last is None else float(last.statistics["e_value"])


class RepeatedError(AuditError):
    """The first draws of an instalment are those of an earlier one."""


class InstalmentJournal:
    """The evidence journal of one instalment: all earlier instalments, and the present one.

    The sequential auditor uses it as its evidence journal, in units of the present stake.
    """

    def __init__(self, before: Sequence[Instalment]) -> None:
        self.before = before
        self.stake = stake(len(before))
        self._last = before[-1] if before and left(before) >= self.stake else Instalment(evidence=None)
        self.now = replace(self._last, evidence=None, goes_on=bool(self._last.chain), first=(), witness={})
        if self.now.wealth:
            staked = tuple(one + self.stake for one in self.now.wealth)
            self.now = replace(self.now, wealth=staked, peaks=tuple(map(max, self.now.peaks, staked)))

    @property
    def chain(self) -> Mapping[str, Any]:
        """The chain of the earlier instalments; empty without any."""
        return self._last.chain

    @property
    def wealth(self) -> Float:
        """The wealth that is staked now, one for each claim of the chain."""
        return np.array(self.now.wealth) / self.stake

    @property
    def peaks(self) -> tuple[float, ...]:
        """The highest wealth seen so far, for each claim of the chain."""
        return tuple(one / self.stake for one in self.now.peaks)

    @property
    def count(self) -> int:
        """Number of instalments, including this one; the auditor only reports it."""
        return len(self.before) + 1

    def begin(self) -> None:
        """Do nothing: an interrupted instalment is repeated from the same streams, or does not count."""

    def drew(self, first: tuple[str, str]) -> None:
        """Refuse draws of an earlier instalment, before the first bet."""
        if any(one.first == first for one in self.before):
            raise RepeatedError("the first draws are, bit for bit, those of an earlier instalment")
        self.now = replace(self.now, first=first)

    def note(
        self,
        *,
        chain: Mapping[str, Any],
        e_values: Float,
        wealth: Float,
        peaks: Float,
        pairs: int,
        done: bool,
        witness: Mapping[str, Any],
    ) -> None:
        """Save the present state; the last call counts."""
        del e_values, pairs, done
        if not wealth.size:
            return
        highest = self.stake * np.maximum(peaks, wealth)
        if self._last.peaks:
            highest = np.maximum(highest, self._last.peaks)
        self.now = replace(
            self.now,
            chain=dict(chain),
            wealth=tuple((self.stake * wealth).tolist()),
            peaks=tuple(highest.tolist()),
            witness=dict(witness),
        )

    def witness(self, place: int, *, least: float) -> Mapping[str, Any]:
        """Witness of an earlier instalment in which the wealth against claim `place` reached `least`."""
        peak = max(self._last.peaks[place:][:1], default=0.0)
        return self._last.witness if peak >= least * self.stake else {}


def accepts_journal(auditor: Auditor) -> bool:
    """Whether the auditor accepts a value to detect and an evidence journal."""
    return auditor.statistical and hasattr(auditor, "journal") and hasattr(auditor, "detect")


def steerable(unit: Unit) -> Auditor | None:
    """The unit's sequential auditor, which can work in instalments."""
    return next(filter(accepts_journal, unit.auditors), None)


def instalment_streams(
    seed: int, claim: str, auditor: str, place: int, attempt: int
) -> Callable[..., np.random.Generator]:
    """The random streams of one instalment; no two instalments share any."""
    return task_streams(seed, claim, auditor, "instalment", place, attempt)


def make_instalment(
    unit: Unit, *, seed: int, place: int, trials: int, detect: float | None, before: Sequence[Instalment]
) -> Instalment:
    """Run instalment `place` of the unit's audit with at most `trials` pairs of draws.

    Raises
    ------
    AuditError
        When the unit has no sequential auditor. Errors of the auditor or the subject are passed on.
    """
    auditor: Any = steerable(unit)
    if auditor is None:
        raise AuditError(f"no auditor of {unit.entry.claim.id} bets")
    share = unit.task.alpha * stake(place)
    with one_thread():
        for attempt in range(ATTEMPTS):
            begun, journal = time.perf_counter(), InstalmentJournal(before)
            named = instalment_streams(seed, unit.entry.claim.stream_name, auditor.name, place, attempt)
            task = replace(unit.task, alpha=share, trials=trials, stream=named)
            try:
                found = replace(auditor, detect=detect, journal=journal).audit(task)
            except RepeatedError:
                continue
            seconds = time.perf_counter() - begun
            return replace(journal.now, evidence=_whole(found, unit.task.alpha, place, seconds=seconds))
    return Instalment(evidence=None)


def _whole(found: Evidence, alpha: float, place: int, *, seconds: float) -> Evidence:
    """The auditor's evidence in units of 1, at the alpha of the whole audit."""
    said = found.statistics
    wealth = {name: stake(place) * said[name] for name in ("e_value", "e_value_largest")}
    return replace(found, confidence=1.0 - alpha, seconds=seconds, statistics={**said, **wealth, "alpha": alpha})
