"""What is asked of many audits (of a suite file, a test session, a command line) where one of them does not say."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from dpverify.audits.question import Question, check_number, confidence_at
from dpverify.core.errors import InputError

FALSE_ALARM_RATE = 1e-9
"""Of each claim: nobody has to know how many audits a session will run."""

PROFILES: dict[str, tuple[float, float | None]] = {"quick": (30.0, None), "full": (300.0, 1.25)}
"""Seconds a claim, and the factor of it that a full pass must have been able to detect (None: the default)."""

RARE = 0.06
"""Part of the draws that looks for what is rare where nobody said what the audit may take: of 30 s about two."""

GRACE = 60.0
"""Seconds beyond four times the budget after which an audit is ended: compiling, loading, a machine that is busy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Settings of audits; one that is None is left to others, and to `PROFILES` at last."""

    profile: str | None = None
    """``quick`` or ``full``."""
    seed: int | None = None
    """Of every audit."""
    false_alarm_rate: float | None = None
    """Of each claim."""
    seconds: float | None = None
    """About so long an audit may take."""
    detect: float | None = None
    """The factor of the claim that a full pass must have been able to detect."""
    trials: int | None = None
    """Draws a side, instead of as many as the seconds allow."""
    strict: bool | None = None
    """Whether a pass that could have seen too little fails."""
    regressions: Path | None = None
    """A folder of made-up pairs that refuted claims: they are tried first, and new ones are saved."""
    evidence: Path | None = None
    """A folder of evidence that is pooled over sessions."""

    def over(self, other: Asked) -> Asked:
        """This one, and what it leaves open as the other says."""
        names = (each.name for each in fields(self))
        return replace(other, **{name: value for name in names if (value := getattr(self, name)) is not None})

    def complete(self) -> Asked:
        """This one, with the values of its profile where nothing is said."""
        seconds, detect = PROFILES[self.profile or "quick"]
        return self.over(Asked(seed=0, false_alarm_rate=FALSE_ALARM_RATE, seconds=seconds, detect=detect, strict=False))

    @property
    def rate(self) -> float:
        """The false-alarm probability of each claim."""
        return FALSE_ALARM_RATE if self.false_alarm_rate is None else self.false_alarm_rate

    def question(self, mechanism: Callable[..., Any], **words: Any) -> Question:
        """The question of one audit: `words` are arguments of ``dpverify.audit`` and come first."""
        words = {name: value for name, value in words.items() if value is not None}
        whole = self.complete()
        given: dict[str, Any] = {"seed": whole.seed, "seconds": whole.seconds, "trials": self.trials}
        given |= {"isolate": hasattr(os, "fork")}
        if "confidence" not in words:  # as a confidence, so that both spellings give the same bits
            given["confidence"] = confidence_at(words.pop("false_alarm_rate", whole.rate))
        if self.regressions is not None and "data" in words:
            given["regressions"] = self.regressions
        given |= words
        check_number("seconds", given["seconds"])
        given.setdefault("max_seconds", 4.0 * given["seconds"] + GRACE)
        if "methods" not in words and not words.get("sequential"):
            stated = {"seconds", "trials", "detect"} & {*words}
            open_ended = whole.detect is None and self.seconds is None and not stated
            given = {"detect": whole.detect, "rare": RARE if open_ended else None, **given, "methods": ["gate"]}
            if open_ended:
                given["seconds"] = None  # those of `settle`, or fewer beside a proof
        return Question(mechanism, **given)


def asked_for(*, confidence: float | None, **words: Any) -> Asked:
    """Return the settings that a command line asks for; InputError for a value that is not allowed."""
    if confidence is not None:
        from dpverify.runner.plan import check_confidence

        check_confidence(confidence)
        words["false_alarm_rate"] = 1.0 - confidence
    asked = Asked(**words)
    if asked.profile is not None and asked.profile not in PROFILES:
        raise InputError(f"--profile {asked.profile} of a suite file", allowed=", ".join(PROFILES))
    if asked.seed is not None and asked.seed < 0:
        raise InputError(f"--seed {asked.seed}", allowed="an integer >= 0")
    for name, value, least in (("seconds", asked.seconds, 0.0), ("detect", asked.detect, 1.0)):
        if value is not None and not least < value < math.inf:
            raise InputError(f"--{name} {value:g}", allowed=f"a number above {least:g}")
    if asked.trials is not None and asked.trials < 1:
        raise InputError(f"--trials {asked.trials}", allowed="an integer >= 1")
    return asked
