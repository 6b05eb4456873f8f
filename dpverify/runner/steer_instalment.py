"""One instalment of a steered audit: fresh draws, on top of what all instalments before have come to.

Result: given all that was seen before, an instalment's e-value E has expectation at most 1 under the claim, at whatever
time it stops (`dpverify.stats.e_values`). So wealth that is multiplied by them is a supermartingale, whoever chose when
to make the next instalment and how long. Not all of it is staked at once: instalment k stakes v_k = 1 / k(k + 1), which
sum to 1, on top of what those before have left, A_k = (A_(k-1) + v_k) E_k. Where less than v_k is left it stakes v_k
alone, what is left is given up, and the auditor may choose its point of attack anew. (A plain product would go on from
what early bets have lost, which may be all: where a claim is far from tight, a thousand pairs cost as much as a
refutation brings.) Each run of instalments that go on from one another falsely comes to 1/alpha with probability at
most alpha times what it staked, so all of them together with at most alpha, bounds included.

An auditor knows wealth 1 and 1/alpha. In units of v_k it starts from (A_(k-1) + v_k) / v_k >= 1, and the claim falls at
1 / (alpha v_k), which is when A_k comes to 1/alpha. What it says that it would have found is reckoned from 1, at that
share of alpha: it holds whatever the instalments before have lost.

What this asks for: draws that are independent of all before. Every instalment has streams of its own; one whose first
block is, bit for bit, that of an earlier one is given up before any bet (which is allowed: nothing was staked), and
after a few of those in a row the audit stops.

Limits: a mechanism that does not draw from its rng and repeats itself later than in the first block, or on other pairs
of data sets, is not noticed. Often confused: sessions (`dpverify.runner.evidence_file`) pool runs of several days in a
file that people carry about, by the plain product; instalments are parts of one run, kept in its store.
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
"""Outputs of few kinds may be alike by chance; so often in a row they are not."""


def stake(place: int) -> float:
    """What instalment `place` (from 0) adds to the wealth; all of them together at most 1."""
    return 1.0 / ((place + 1) * (place + 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class Instalment:
    """What one instalment left.

    Attributes
    ----------
    evidence : Evidence or None
        The auditor's, of all that it goes on from where wealth and bounds are concerned, of this one alone in counts
        (and in ``e_value_here``). None where its draws came back: nothing was bet.
    goes_on : bool
        Whether it went on from what the one before had left.
    chain : mapping
        What the claims of the auditor's chain are, in its own words; empty before anything was bet against.
    wealth, peaks : tuple of float
        A_k and the highest that was seen of it, one for each claim of the chain.
    first : tuple of str
        Digests of the first block, under d0 and under d1.
    witness : mapping
        The event and the pair that most was bet on last.
    """

    evidence: Evidence | None
    goes_on: bool = False
    chain: Mapping[str, Any] = field(default_factory=dict)
    wealth: tuple[float, ...] = ()
    peaks: tuple[float, ...] = ()
    first: tuple[str, ...] = ()
    witness: Mapping[str, Any] = field(default_factory=dict)

    def plain(self) -> dict[str, Any]:
        """The plain values that the store saves."""
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
        """What `plain` gave.

        Raises
        ------
        ValueError, TypeError, KeyError
            When it is something else.
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
    """The wealth against the claim itself after these."""
    last = before[-1].evidence if before else None
    return 0.0 if last is None else float(last.statistics["e_value"])


class RepeatedError(AuditError):
    """The first draws of an instalment are those of an earlier one."""


class Pages:
    """The journal that an audit is told to go on from: all instalments before, and the one that it writes.

    To the sequential auditor it is its evidence journal, in units of the present stake.
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
        """Instalments, this one among them (all that the auditor does with it is to say so)."""
        return len(self.before) + 1

    def begin(self) -> None:
        """Nothing: an instalment that is broken off is made again from the same streams, or counts for nothing."""

    def drew(self, first: tuple[str, str]) -> None:
        """Refuse the draws of an earlier instalment, before anything is bet."""
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
        """How far it has come: the last word counts."""
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
        """That of the instalment before, where the wealth against claim `place` of the chain had come to `least`."""
        peak = max(self._last.peaks[place:][:1], default=0.0)
        return self._last.witness if peak >= least * self.stake else {}


def bets(auditor: Auditor) -> bool:
    """Whether it takes a value to detect, and evidence to go on from."""
    return auditor.statistical and hasattr(auditor, "journal") and hasattr(auditor, "detect")


def steerable(unit: Unit) -> Auditor | None:
    """The unit's sequential auditor, which can bet in instalments."""
    return next(filter(bets, unit.auditors), None)


def streams(seed: int, claim: str, auditor: str, place: int, attempt: int) -> Callable[..., np.random.Generator]:
    """Those of one instalment: no two share any."""
    return task_streams(seed, claim, auditor, "instalment", place, attempt)


def make(
    unit: Unit, *, seed: int, place: int, trials: int, detect: float | None, before: Sequence[Instalment]
) -> Instalment:
    """Instalment `place` of the unit's audit, of at most `trials` pairs of draws.

    Raises
    ------
    AuditError
        When nobody there bets. Whatever the auditor or the subject raises comes through.
    """
    auditor: Any = steerable(unit)
    if auditor is None:
        raise AuditError(f"no auditor of {unit.entry.claim.id} bets")
    share = unit.task.alpha * stake(place)
    with one_thread():
        for attempt in range(ATTEMPTS):
            begun, journal = time.perf_counter(), Pages(before)
            named = streams(seed, unit.entry.claim.stream_name, auditor.name, place, attempt)
            task = replace(unit.task, alpha=share, trials=trials, stream=named)
            try:
                found = replace(auditor, detect=detect, journal=journal).audit(task)
            except RepeatedError:
                continue
            seconds = time.perf_counter() - begun
            return replace(journal.now, evidence=_whole(found, unit.task.alpha, place, seconds=seconds))
    return Instalment(evidence=None)


def _whole(found: Evidence, alpha: float, place: int, *, seconds: float) -> Evidence:
    """The auditor's evidence in units of 1, at the audit's own alpha."""
    said = found.statistics
    wealth = {name: stake(place) * said[name] for name in ("e_value", "e_value_largest")}
    return replace(found, confidence=1.0 - alpha, seconds=seconds, statistics={**said, **wealth, "alpha": alpha})
