"""What a suite file declares: its audits, and what is asked of them where nobody says otherwise. Plain values only."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any

from dpverify.core.errors import InputError
from dpverify.gate.profiles import FALSE_ALARM_RATE, PROFILES
from dpverify.suite_file.faults import DATA

if TYPE_CHECKING:
    from dpverify.assertion import Gate
    from dpverify.core.suite import Expectation


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """How audits are done; what is None is left to others.

    Attributes
    ----------
    profile : str or None
        ``quick`` or ``full``.
    seed : int or None
        Of every audit.
    false_alarm_rate : float or None
        Of each claim.
    max_seconds : float or None
        About so long an audit may take.
    detect : float or None
        The factor of the claim that a full pass must have been able to detect.
    trials : int or None
        Draws a side, instead of as many as the seconds allow.
    strict : bool or None
        Whether a pass that could have seen too little fails.
    regressions : Path or None
        A folder of made-up pairs that refuted claims: they are tried first, and new ones are saved.
    """

    profile: str | None = None
    seed: int | None = None
    false_alarm_rate: float | None = None
    max_seconds: float | None = None
    detect: float | None = None
    trials: int | None = None
    strict: bool | None = None
    regressions: Path | None = None

    def over(self, other: Asked) -> Asked:
        """This one, and what it leaves open as the other says."""
        names = (each.name for each in fields(self))
        return replace(other, **{name: value for name in names if (value := getattr(self, name)) is not None})

    def gate(self) -> Gate:
        """The gate, with the defaults of the profile."""
        from dpverify.assertion import Gate

        seconds, detect = PROFILES[self.profile or "quick"]
        return Gate(
            seed=self.seed or 0,
            seconds=self.max_seconds or seconds,
            false_alarm_rate=self.false_alarm_rate or FALSE_ALARM_RATE,
            detect=self.detect or detect,
            chosen=self.max_seconds is not None,
            fixed_seed=self.seed is not None,
            regressions=self.regressions,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """A failure that is known, and accepted up to and including a day."""

    verdict: str
    reason: str
    until: datetime.date


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One audit of a suite file.

    Attributes
    ----------
    name, mechanism, claim : str
        Its id; ``module:callable``, or the command of a program; the text of the guarantee.
    program : str
        What a program prints (``json``, ``doubles``); empty where the mechanism is a callable.
    file : Path
        The suite file, absolute.
    line : int
        Where the entry begins there, from 1.
    key_lines : mapping
        Lines of its keys, as far as they are known.
    asked : Asked
        What the entry itself asks for.
    words : mapping
        Further arguments of ``dpverify.audit``; data sets may be names of files.
    parameters : mapping
        Further arguments of the callable.
    python_path : tuple of Path
        Folders from which modules are imported.
    accept : Accepted or None
        A failure that is accepted.
    expect : "stands" or "broken"
        What the audit is to find.
    """

    name: str
    mechanism: str
    claim: str
    file: Path
    line: int
    program: str = ""
    key_lines: Mapping[str, int] = field(default_factory=dict)
    asked: Asked = field(default_factory=Asked)
    words: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    python_path: tuple[Path, ...] = ()
    accept: Accepted | None = None
    expect: Expectation = "stands"

    def typed_data(self) -> list[Any]:
        """The data sets that stand in the file itself."""
        return [value for key in DATA if not isinstance(value := self.words.get(key), str | NoneType)]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteFile:
    """A suite file that was read: its path, what it asks of every audit, and its audits in their order."""

    path: Path
    asked: Asked
    entries: tuple[Entry, ...]


def asked_for(*, confidence: float | None, **words: Any) -> Asked:
    """What a command line asks for; InputError for a value that is not allowed."""
    if confidence is not None:
        from dpverify.runner.plan import check_confidence

        check_confidence(confidence)
        words["false_alarm_rate"] = 1.0 - confidence
    asked = Asked(**words)
    if asked.profile is not None and asked.profile not in PROFILES:
        raise InputError(f"--profile {asked.profile} of a suite file", allowed=", ".join(PROFILES))
    if asked.seed is not None and asked.seed < 0:
        raise InputError(f"--seed {asked.seed}", allowed="an integer >= 0")
    for name, value, least in (("seconds", asked.max_seconds, 0.0), ("detect", asked.detect, 1.0)):
        if value is not None and not least < value < math.inf:
            raise InputError(f"--{name} {value:g}", allowed=f"a number above {least:g}")
    if asked.trials is not None and asked.trials < 1:
        raise InputError(f"--trials {asked.trials}", allowed="an integer >= 1")
    return asked
