"""Evidence pooled over sessions: a file keeps the e-values of all sequential audits of one claim on one pair.

Result: e-values of independent draws multiply (`dpverify.stats.betting`): given all earlier sessions, a session's
e-value has expectation at most 1 under the claim at any stopping time. So the product is a supermartingale over
sessions and within them. Whether to add a session, its length, and when to stop may therefore depend on all earlier
results.

What would make the product invalid is refused: another claim, mechanism, relation or pair; a seed used before, since
the draws would be the same; and a session with the first draws or the e-values of an earlier one (a generator that
every process seeds alike). Nor can an unfavourable session be left out: a session is entered in the file before its
first draw, and its e-values after every block. A killed session counts with the e-values entered so far (1 where
nothing was bet), unless the same session (seed, trials, confidence) is repeated from its beginning, which must give the
same numbers.

Assumptions: sessions draw independently, and are not killed because of draws that are not entered yet. Limits: repeated
draws after the first block are not noticed; outputs with few different values may coincide by chance and are then
refused. Each session has a checksum, which finds damage and mistakes; the file is not signed, and whoever edits or
copies it can cheat. Sessions of other code (`dpverify.code_key`) are none of this mechanism: the evidence begins anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from dpverify.code_key.key import NOT_LOOKED_AT
from dpverify.core.errors import InputError, one_line
from dpverify.core.read_untrusted import parse_json
from dpverify.core.subjects import Float
from dpverify.runner.atomic_files import write_atomically
from dpverify.runner.session import (
    FORMAT,
    OLDER,
    REPEATED,
    BettingSession,
    Identity,
    same_e_values,
    session_checksum,
    sessions_of,
    text_in,
)
from dpverify.stats.betting import product_e_values

Hide = Callable[[Mapping[str, Any]], dict[str, Any]]
"""Takes out of a witness what no file may hold: records of the user's example."""


@dataclass(kw_only=True)
class EvidenceFile:
    """The evidence file of one claim, open for one more session.

    Make one with `EvidenceFile.open`, then `begin`, then `note` after every block.
    """

    path: Path
    identity: Identity
    asked: BettingSession
    """The session about to begin."""
    reproducible: bool
    """Whether the same seed gives the same draws."""
    sessions: list[BettingSession] = field(default_factory=list)
    chain: Mapping[str, Any] = field(default_factory=dict)
    """The auditor's description of the claims of the chain (plain JSON values); empty before the first block."""
    anew: str = ""
    """Why what was in the file does not count; empty where it does."""
    hide: Hide = dict
    """Applied to every witness, those of older files included, which are rewritten when they are opened."""
    fault: str = ""
    """Why the file does not have the session's last state; empty where it has."""
    _text: str | None = None
    _before: BettingSession | None = None
    _passed: bool = True

    @classmethod
    def open(
        cls, path: Path | str, identity: Identity, *, asked: BettingSession, reproducible: bool, hide: Hide = dict
    ) -> EvidenceFile:
        """Open the file for one more session; the file may not exist yet.

        Raises
        ------
        InputError
            When it is no evidence file, is damaged, or belongs to another audit. When the seed was used before, unless
            it repeats the interrupted last session of a reproducible mechanism. When the mechanism is not reproducible
            and an earlier session has no digest of its draws.
        """
        path = Path(path)
        try:
            text = text_in(path)
            found = None if text is None else parse_json(text)
        except (OSError, ValueError) as problem:
            raise InputError(
                f"the evidence file {path} cannot be read: {one_line(str(problem))}", allowed=f"a {FORMAT} file"
            ) from None
        if found is None:
            return cls(path=path, identity=identity, asked=asked, reproducible=reproducible, hide=hide)
        try:
            if found["format"] not in (FORMAT, OLDER):
                raise ValueError(f"its format is {found['format']!r}")
            kept = Identity(**found["identity"])
            sessions = [] if found["format"] == OLDER else list(sessions_of(found))
            journal = cls(
                path=path, identity=identity, asked=asked, reproducible=reproducible, sessions=sessions, hide=hide
            )
            journal.chain, journal._text = dict(found["chain"]), text
            journal._check()
        except (KeyError, TypeError, ValueError) as problem:
            raise InputError(f"the evidence file {path}: {problem}", allowed=f"a {FORMAT} file") from None
        if found["format"] == OLDER:
            kept = replace(kept, code="")
        for name, value in asdict(replace(kept, code=identity.code)).items():
            wanted = getattr(identity, name)
            if value != wanted:
                raise InputError(
                    f"the evidence file {path} is about the {name} {value}, not {wanted}",
                    allowed="the same claim, relation, mechanism, pair and method in every session",
                    remedy="take another file for another audit",
                )
        if kept.code != identity.code:
            anew = f"begins anew in {path}, whose sessions are of other code or values ({NOT_LOOKED_AT})"
            journal = cls(
                path=path, identity=identity, asked=asked, reproducible=reproducible, anew=anew, hide=hide, _text=text
            )
        if found["format"] == OLDER:  # it may hold what no file may hold
            journal.chain = {}
            journal._save([])
        if kept.code != identity.code:
            return journal
        journal._hide_again()
        journal._check_asked()
        return journal

    def _hide_again(self) -> None:
        """Write a file anew that holds what no file may hold, or that others may read."""
        hidden = [replace(one, witness=self.hide(one.witness)) for one in self.sessions]
        if hidden != self.sessions or self.path.stat().st_mode & 0o077:
            self.sessions = hidden
            self._save(hidden)

    def _check(self) -> None:
        counted = [session for session in self.sessions if session.e_values]
        if len({len(session.e_values) for session in counted}) > 1 or (counted and not self.chain):
            raise ValueError("its sessions test different chains of claims")
        if counted and not np.all(np.array(self.peaks) >= self.wealth * (1 - 1e-12)):
            raise ValueError("a product is above the highest one")

    @property
    def wealth(self) -> Float:
        """Product of e-values over the sessions so far, for each claim of the chain; rounded down."""
        each = [session.e_values for session in self.sessions if session.e_values]
        return np.array([product_e_values(column) for column in zip(*each, strict=True)])

    @property
    def peaks(self) -> tuple[float, ...]:
        """Highest product so far at any time, for each claim."""
        each = [session.peaks for session in self.sessions if session.peaks]
        return tuple(max(column) for column in zip(*each, strict=True))

    @property
    def count(self) -> int:
        """Number of sessions, including the one about to begin."""
        return len(self.sessions) + 1

    @property
    def pairs(self) -> int:
        """Number of pairs of draws in all sessions."""
        return sum(session.pairs for session in self.sessions)

    @property
    def _again(self) -> bool:
        """Tell whether the new session repeats the interrupted last one."""
        return bool(self.sessions) and not self.sessions[-1].done and self.sessions[-1].key == self.asked.key

    def _check_asked(self) -> None:
        last, seed = (self.sessions[-1] if self.sessions else None), self.asked.seed
        if last is not None and self._again:
            if not self.reproducible:
                raise InputError(
                    f"the session of seed {seed} was interrupted, and this mechanism's draws cannot be reproduced",
                    allowed="another seed: the interrupted session counts with the draws that it made",
                    remedy="pass another --seed",
                )
            self.sessions, self._before, self._passed = self.sessions[:-1], last, last.pairs == 0
            return
        if any(seed == other.seed for other in self.sessions):
            raise InputError(
                f"seed {seed} was used in {self.path} before: the draws would be the same ones",
                allowed="a different seed for every session",
                remedy=f"pass --seed {max(other.seed for other in self.sessions) + 1}",
            )
        unknown = next((session for session in self.sessions if session.pairs and not session.first), None)
        if unknown is not None and not self.reproducible:
            raise InputError(
                f"sessions of a mechanism that draws its own randomness, and no digest in that of seed {unknown.seed}",
                allowed="sessions that are known to have drawn different outputs",
                remedy="take a mechanism that draws from the rng that it is given, or another file",
            )

    def witness(self, place: int, *, least: float) -> Mapping[str, Any]:
        """Witness of the session whose product against claim `place` of the chain reached `least`; {} without one."""
        able = (
            session.witness
            for session in self.sessions
            if session.witness and max(session.peaks[place:][:1], default=0.0) >= least
        )
        return next(able, {})

    def begin(self) -> None:
        """Enter the session in the file, before the first draw."""
        self._before = self._before or self.asked
        self._save([*self.sessions, self._before])

    def drew(self, first: tuple[str, str]) -> None:
        """Enter the digests of the first block, under d0 and under d1, before the first bet.

        Raises
        ------
        InputError
            When an earlier session had the same draws: on both sides, or on one side of a mechanism that does not use
            the given rng. When a repeated session draws something else.
        """
        session, enough = self._begun(), all if self.reproducible else any
        for other in self.sessions:
            if other.first and enough(one == two for one, two in zip(other.first, first, strict=True)):
                raise InputError(
                    f"the first draws are, bit for bit, {REPEATED} {other.seed}",
                    allowed="sessions that draw independently of one another: this one does not count",
                    remedy="let the mechanism draw from the rng that it is given",
                )
        if session.first and session.first != first:
            raise self._other(session, "its first draws")
        self._before = replace(session, first=first)
        self._save([*self.sessions, self._before], needed=False)

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
        """Enter the session's present state, as a whole or not at all; without e-values where nothing was bet yet.

        Raises
        ------
        InputError
            When a repeated session has other numbers than before, when the e-values are those of an earlier session
            (this one is then entered with at most 1), or when another program has changed the file.
        """
        session = self._begun()
        values = tuple(float(value) for value in e_values)
        if not self._passed:
            if pairs < session.pairs and not done:  # repeated, and not yet as far as the interrupted one
                return
            if pairs != session.pairs or session.e_values != values:
                raise self._other(session, f"its e-values after {session.pairs} pairs")
            self._passed = True
        if values:
            self.chain = dict(chain)
        highest = tuple(float(value) for value in np.maximum(peaks, wealth))
        self._before = replace(
            session, pairs=pairs, e_values=values, peaks=highest, done=done, witness=self.hide(witness)
        )
        same = next((other for other in self.sessions if same_e_values(values, other.e_values)), None)
        if same is not None:
            lowered = tuple(min(value, 1.0) for value in values)
            self._before = replace(self._before, e_values=lowered, peaks=self.peaks, done=True, witness={})
        self._save([*self.sessions, self._before], needed=False)
        if same is not None:
            raise InputError(
                f"the e-values are {REPEATED} {same.seed}",
                allowed="sessions that draw independently of one another: this one is entered with at most 1",
                remedy="let the mechanism draw from the rng that it is given",
            )

    def _begun(self) -> BettingSession:
        if self._before is None:
            raise InputError("a note before the session began", allowed="begin first")
        return self._before

    @staticmethod
    def _other(session: BettingSession, what: str) -> InputError:
        return InputError(
            f"the session of seed {session.seed} cannot be reproduced: {what} differ",
            allowed="a mechanism that draws from the rng that it is given, on one machine",
            remedy="pass another seed: the interrupted session counts with the draws that it made",
        )

    def _save(self, sessions: list[BettingSession], *, needed: bool = True) -> None:
        """Write the file. Where it is not `needed` (the session has begun, and counts as a killed one), a full disk is
        a `fault`, and no error.
        """
        try:
            present = text_in(self.path)
        except (OSError, ValueError) as problem:
            raise InputError(f"{self.path} cannot be read: {one_line(str(problem))}", allowed="a file") from None
        if present != self._text:
            raise InputError(
                f"{self.path} was changed while this session ran",
                allowed="one session at a time",
                remedy="run it again",
            )
        found: dict[str, Any] = {
            "format": FORMAT,
            "identity": asdict(self.identity),
            "chain": dict(self.chain),
        }
        told = [asdict(session) for session in sessions]
        found["sessions"] = [
            {**each, "checksum": session_checksum(found, told, place)} for place, each in enumerate(told)
        ]
        text = json.dumps(found, indent=1, allow_nan=False) + "\n"
        try:
            write_atomically(self.path, text, private=True)
        except InputError as problem:
            if needed:
                raise
            self.fault = problem.what
        else:
            self._text, self.fault = text, ""
