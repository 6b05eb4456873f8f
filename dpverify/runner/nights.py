"""Evidence pooled over nights: what each sequential audit of one claim on one pair left, kept in a file.

Result: e-values of independent draws multiply (`dpverify.stats.e_values`): given all earlier nights, a night's e-value
has expectation at most 1 under the claim at whatever time it stopped, so the product is a supermartingale over nights,
and inside a night too. When to add a night, how long, and when to stop may therefore depend on all that was seen.

What would break it is refused: another claim, mechanism, relation or pair; a seed used before, since the draws would be
the same ones; and a bad night that is thrown away. For that a night is entered in the file before its first draw, and
after every block with its e-values so far: one that was killed counts with those, unless the very same night (seed,
trials, confidence) is made again from its beginning, which must pass through the same numbers.

Assumptions: nights draw independently (different seeds, and a mechanism that draws from the `rng` it is given). Limits:
the file is not signed; whoever edits or copies it can cheat. A mechanism is known by its name only.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.protocols import Float, Pair
from dpverify.datasets.neighbors.plain import plain_pair
from dpverify.runner.files import write_whole
from dpverify.runner.plan import Unit
from dpverify.stats.e_values import product_e_values

FORMAT = "dpverify sequential evidence, version 1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Night:
    """One sequential audit.

    Attributes
    ----------
    seed, trials, confidence
        With which it was asked for.
    done : bool
        False until it stopped by itself.
    pairs : int
        Pairs of draws so far.
    e_values : tuple of float
        This night's alone, one for each claim of the chain; empty before the first block.
    peaks : tuple of float
        The highest products, of all nights up to then, that were seen at any time of this one.
    """

    seed: int
    trials: int
    confidence: float
    done: bool = False
    pairs: int = 0
    e_values: tuple[float, ...] = ()
    peaks: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        numbers = (self.pairs, *self.e_values, *self.peaks)
        if len(self.peaks) != len(self.e_values) or not all(math.isfinite(one) and one >= 0.0 for one in numbers):
            raise InputError(f"the night of seed {self.seed} in the evidence file", allowed="finite e-values >= 0")

    @property
    def key(self) -> tuple[int, int, float]:
        """What makes two nights the same."""
        return self.seed, self.trials, self.confidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What all nights of one file must share."""

    claim: str
    relation: str
    mechanism: str
    pair: str
    method: str

    @classmethod
    def of(cls, *, claim: str, relation: str, mechanism: str, pair: Pair, method: str) -> Identity:
        """With the pair as a SHA-256 digest."""
        text = json.dumps(plain_pair(pair), sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()
        return cls(claim=claim, relation=relation, mechanism=mechanism, pair=digest, method=method)


@dataclass(kw_only=True)
class Nights:
    """The evidence file of one claim, open for one more night.

    Make one with `Nights.open`, then `begin`, then `note` after every block.

    Attributes
    ----------
    asked : Night
        The night to come.
    reproducible : bool
        Whether its seed gives its draws back.
    chain : mapping
        What the claims of the chain are, in the auditor's own words (plain JSON values); empty before the first block.
    """

    path: Path
    identity: Identity
    asked: Night
    reproducible: bool
    nights: list[Night] = field(default_factory=list)
    chain: Mapping[str, Any] = field(default_factory=dict)
    _text: str | None = None
    _before: Night | None = None

    @classmethod
    def open(cls, path: Path | str, identity: Identity, *, asked: Night, reproducible: bool) -> Nights:
        """The file's nights, or none yet, and the one to come.

        Raises
        ------
        InputError
            When it is not such a file, or is about something else; for a seed used before, other than to make the last
            night again that was broken off, of a mechanism whose seed gives its draws back.
        """
        path = Path(path)
        try:
            text = path.read_text(encoding="utf-8") if path.exists() else None
            found = None if text is None else json.loads(text)
        except (OSError, UnicodeDecodeError, json.JSONDecodeError) as problem:
            raise InputError(
                f"the evidence file {path} cannot be read: {problem}", allowed=f"a {FORMAT} file"
            ) from None
        if found is None:
            return cls(path=path, identity=identity, asked=asked, reproducible=reproducible)
        try:
            if found["format"] != FORMAT:
                raise ValueError(f"its format is {found['format']!r}")
            kept = Identity(**found["identity"])
            lists = ("e_values", "peaks")
            nights = [Night(**{**one, **{name: tuple(one[name]) for name in lists}}) for one in found["nights"]]
            book = cls(path=path, identity=identity, asked=asked, reproducible=reproducible, nights=nights)
            book.chain, book._text = dict(found["chain"]), text
            book._check()
        except (KeyError, TypeError, ValueError) as problem:
            raise InputError(f"the evidence file {path}: {problem}", allowed=f"a {FORMAT} file") from None
        for name, value in asdict(kept).items():
            wanted = getattr(identity, name)
            if value != wanted:
                raise InputError(
                    f"the evidence file {path} is about the {name} {value}, not {wanted}",
                    allowed="the same claim, relation, mechanism, pair and method in every night",
                    remedy="take another file for another audit",
                )
        book._check_asked()
        return book

    def _check(self) -> None:
        counted = [night for night in self.nights if night.e_values]
        if len({len(night.e_values) for night in counted}) > 1 or (counted and not self.chain):
            raise ValueError("its nights are of different chains")
        if any(not (night.done or night.e_values) for night in self.nights[:-1]):
            raise ValueError("a night that was broken off in its first block has others after it")
        if counted and not np.all(np.array(self.peaks) >= self.wealth * (1 - 1e-12)):
            raise ValueError("a product is above the highest one")

    @property
    def wealth(self) -> Float:
        """Product over the nights so far, one for each claim of the chain; never above the exact one."""
        each = [night.e_values for night in self.nights if night.e_values]
        return np.array([product_e_values(column) for column in zip(*each, strict=True)])

    @property
    def peaks(self) -> tuple[float, ...]:
        """The highest product that was seen at any time of the nights so far, for each claim."""
        each = [night.peaks for night in self.nights if night.peaks]
        return tuple(max(column) for column in zip(*each, strict=True))

    @property
    def pairs(self) -> int:
        """Pairs of all nights."""
        return sum(night.pairs for night in self.nights)

    @property
    def _again(self) -> bool:
        """Whether the night to come is the last one, broken off, made again."""
        return bool(self.nights) and not self.nights[-1].done and self.nights[-1].key == self.asked.key

    def _check_asked(self) -> None:
        last, seed = (self.nights[-1] if self.nights else None), self.asked.seed
        if last is not None and self._again:
            if not self.reproducible:
                raise InputError(
                    f"the night of seed {seed} was broken off, and this mechanism's draws do not come back",
                    allowed="another seed: the broken night counts as far as it went",
                    remedy="pass another --seed",
                )
            self.nights, self._before = self.nights[:-1], last
            return
        if any(seed == other.seed for other in self.nights):
            raise InputError(
                f"seed {seed} was used in {self.path} before: the draws would be the same ones",
                allowed="a seed for every night of its own",
                remedy=f"pass --seed {max(other.seed for other in self.nights) + 1}",
            )
        if last is not None and not last.done and not last.e_values:
            raise InputError(
                f"the night of seed {last.seed} was broken off in its first block",
                allowed=f"the same night again: seed {last.seed}, {last.trials} trials, confidence {last.confidence:g}",
                remedy=f"pass --seed {last.seed}",
            )

    def begin(self) -> None:
        """Enter the night, before anything is drawn."""
        self._before = self._before or self.asked
        self._save([*self.nights, self._before])

    def note(
        self, *, chain: Mapping[str, Any], e_values: Float, wealth: Float, peaks: Float, pairs: int, done: bool
    ) -> None:
        """Enter how far the night has come, complete or not at all.

        Raises
        ------
        InputError
            When a night that is made again passes through other numbers than before, or somebody else wrote the file.
        """
        night = self._before
        if night is None:
            raise InputError("a note before the night began", allowed="begin first")
        values = tuple(float(value) for value in e_values)
        if night.pairs == pairs and night.e_values and night.e_values != values:
            raise InputError(
                f"the night of seed {night.seed} does not come back: its e-values after {pairs} pairs are others",
                allowed="a mechanism that draws from the rng that it is given, on one machine",
                remedy="pass another seed: the broken night counts as far as it went",
            )
        if pairs < night.pairs and not done:  # made again, and not yet as far as it was
            return
        self.chain, highest = dict(chain), tuple(float(value) for value in np.maximum(peaks, wealth))
        self._before = replace(night, pairs=pairs, e_values=values, peaks=highest, done=done)
        self._save([*self.nights, self._before])

    def _save(self, nights: list[Night]) -> None:
        present = self.path.read_text(encoding="utf-8") if self.path.exists() else None
        if present != self._text:
            raise InputError(
                f"{self.path} was changed while this night ran", allowed="one night at a time", remedy="run it again"
            )
        found = {
            "format": FORMAT,
            "identity": asdict(self.identity),
            "chain": dict(self.chain),
            "nights": [asdict(night) for night in nights],
        }
        text = json.dumps(found, indent=1, allow_nan=False) + "\n"
        write_whole(self.path, text)
        self._text = text


def at_night(
    unit: Unit, *, worth: float | None, file: Path | str | None, pair: Pair, confidence: float, reproducible: bool
) -> Unit:
    """The unit with its sequential auditor told what is worth finding, and where earlier nights are kept.

    Raises
    ------
    InputError
        For a file that does not fit, or a value that is not worth finding.
    """
    claim, task = unit.entry.claim, unit.task
    head = claim.guarantee.measures()[0]
    if worth is not None and not worth > head.claimed:
        raise InputError(
            f"worth = {worth:g}",
            allowed=f"a number above the claimed {head.label()} = {head.claimed:g}",
            remedy="say which true value would have to be found",
        )

    def told(auditor: Any) -> Any:
        if not getattr(auditor, "by_request", False) or not hasattr(auditor, "book"):
            return auditor
        book = None
        if file is not None:
            identity = Identity.of(
                claim=claim.guarantee.text(),
                relation=claim.relation,
                mechanism=claim.id,
                pair=pair,
                method=f"{auditor.name} {auditor.version}",
            )
            asked = Night(seed=task.seed, trials=task.trials, confidence=confidence)
            book = Nights.open(file, identity, asked=asked, reproducible=reproducible)
        return replace(auditor, worth=worth, book=book)

    return replace(unit, auditors=tuple(told(auditor) for auditor in unit.auditors))
