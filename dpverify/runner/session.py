"""One session of an evidence file, the identity that all its sessions share, and when two sessions count as the same.

Limits: equal e-values do not prove repeated draws (outputs with few different values may coincide by chance), and
different ones do not exclude them. `dpverify.runner.evidence_file` uses these rules.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dpverify.core.errors import InputError, one_line
from dpverify.core.read_untrusted import parse_json, read_text
from dpverify.core.subjects import Pair
from dpverify.datasets.neighbors.json_values import plain_pair
from dpverify.runner.store.checksums import checksum

REPEATED = "those of the session of seed"
"""In the error of a session that draws what an earlier one drew."""

ALIKE = 1e-9
"""Relative difference below which e-values count as the same: they went through a division by earlier sessions'."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BettingSession:
    """One sequential audit."""

    seed: int
    trials: int
    confidence: float
    """`seed`, `trials`, `confidence`: options of the session."""
    done: bool = False
    """True once the session has stopped by itself."""
    pairs: int = 0
    """Pairs of draws so far."""
    e_values: tuple[float, ...] = ()
    """E-values of this session alone, one for each claim of the chain; empty before the first block."""
    peaks: tuple[float, ...] = ()
    """The highest products over all sessions so far that were reached during this one."""
    first: tuple[str, ...] = ()
    """Digests of the first block, under d0 and under d1; empty before the first draw."""
    witness: Mapping[str, Any] = field(default_factory=dict)
    """Event and pair with the largest bet at the end, as the auditor describes them; empty before any bet."""

    def __post_init__(self) -> None:
        numbers = (self.pairs, *self.e_values, *self.peaks)
        if len(self.first) not in (0, 2) or not isinstance(self.witness, Mapping):
            raise InputError(
                f"the session of seed {self.seed} in the evidence file", allowed="two digests, and a witness"
            )
        if len(self.peaks) != len(self.e_values) or not all(math.isfinite(one) and one >= 0.0 for one in numbers):
            raise InputError(f"the session of seed {self.seed} in the evidence file", allowed="finite e-values >= 0")

    @property
    def key(self) -> tuple[int, int, float]:
        """Values that are equal when two sessions are the same."""
        return self.seed, self.trials, self.confidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The properties that all sessions of one file must share; `code` is the key of the mechanism's code."""

    claim: str
    relation: str
    mechanism: str
    pair: str
    method: str
    code: str = ""

    @classmethod
    def of(cls, *, claim: str, relation: str, mechanism: str, pair: Pair, method: str, code: str = "") -> Identity:
        """The identity of an audit; the pair is a SHA-256 digest."""
        text = json.dumps(plain_pair(pair), sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()
        return cls(claim=claim, relation=relation, mechanism=mechanism, pair=digest, method=method, code=code)


def same_e_values(one: tuple[float, ...], two: tuple[float, ...]) -> bool:
    """Tell whether two sessions have the same e-values, up to rounding; never for sessions without a bet (all 1)."""
    if len(one) != len(two) or all(value == 1.0 for value in one):
        return False
    return all(math.isclose(first, second, rel_tol=ALIKE) for first, second in zip(one, two, strict=True))


FORMAT = "dpverify sequential evidence, version 2"
OLDER = "dpverify sequential evidence, version 1"

LARGEST = 2**26
"""Largest file that is read, in bytes: about a hundred thousand sessions."""


def seeds_in(path: Path) -> tuple[int, ...]:
    """Return the seeds of the sessions in a file; none without a file, and of an older version.

    InputError for a file that is no evidence, and for one that is not what was written.
    """
    try:
        text = text_in(path)
        found = {"format": OLDER} if text is None else parse_json(text)
        return () if found["format"] == OLDER else tuple(session.seed for session in sessions_of(found))
    except (OSError, ValueError, TypeError, KeyError, AttributeError, InputError) as problem:
        raise InputError(
            f"the evidence file {path}: {one_line(str(problem))}",
            allowed="a file that earlier sessions have written",
            remedy="delete it: evidence begins anew",
        ) from None


def sessions_of(found: Mapping[str, Any]) -> Iterator[BettingSession]:
    """The sessions of a file; ValueError where one is not what was written."""
    told = [dict(one) for one in found["sessions"]]
    kept = [one.pop("checksum") for one in told]
    for place, one in enumerate(told):
        if kept[place] != session_checksum(found, told, place):
            raise ValueError(f"the session of seed {one['seed']} is not what was written (its checksum differs)")
        yield BettingSession(**{**one, **{name: tuple(one[name]) for name in ("e_values", "peaks", "first")}})


def session_checksum(found: Mapping[str, Any], sessions: Sequence[Mapping[str, Any]], place: int) -> str:
    """Return the checksum of a session, of what the file is about, and of how many sessions there are."""
    about = [json.dumps(found[name], sort_keys=True) for name in ("format", "identity", "chain")]
    return checksum(*about, place, len(sessions), json.dumps(sessions[place], sort_keys=True))


def text_in(path: Path) -> str | None:
    """The file's present text; None where there is no file."""
    try:
        return read_text(path, largest=LARGEST)
    except FileNotFoundError:
        return None
