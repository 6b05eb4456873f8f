"""What a test session asks of its audits: options of the command line over keys of the ini file over defaults."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dpverify.gate.profiles import FALSE_ALARM_RATE, PROFILES

SUITE_FILE = "dp_suite_file"
"""The ini key that has a suite file collected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Of one session.

    Attributes
    ----------
    profile : str
        ``quick`` or ``full``.
    seed : int
        Of every audit.
    false_alarm_rate : float
        Of each claim.
    max_seconds : float
        About so long a claim's audit may take; turned into a number of draws before it begins.
    detect : float or None
        The factor of the claim that a full pass must have been able to detect.
    strict : bool
        Whether a pass that could have seen nothing, or less than was to be detected, fails.
    report, evidence, regressions : Path or None
        Folders: of the session's report, of evidence that is pooled over sessions, of pairs that refuted claims.
    chosen : bool
        Whether somebody chose the seconds.
    fixed_seed : bool
        Whether somebody chose the seed.
    """

    profile: str
    seed: int
    false_alarm_rate: float
    max_seconds: float
    detect: float | None
    strict: bool
    report: Path | None
    evidence: Path | None
    regressions: Path | None
    chosen: bool
    fixed_seed: bool


@dataclass(frozen=True, slots=True)
class _Option:
    """One option ``--dp-NAME`` with its ini key ``dp_NAME``."""

    name: str
    read: Callable[[str], Any]
    allowed: str
    told: str


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < math.inf:
        raise ValueError(text)
    return value


def _rate(text: str) -> float:
    value = float(text)
    if not 1e-15 <= value < 1:
        raise ValueError(text)
    return value


def _factor(text: str) -> float:
    value = float(text)
    if not 1 < value < math.inf:
        raise ValueError(text)
    return value


def _profile(text: str) -> str:
    if text not in PROFILES:
        raise ValueError(text)
    return text


def _seed(text: str) -> int:
    value = int(text)
    if value < 0:
        raise ValueError(text)
    return value


_OPTIONS = (
    _Option("profile", _profile, "quick or full", "quick: 30 s a claim; full: 300 s, to detect 1.25 times the claim"),
    _Option("seed", _seed, "an integer >= 0", "of every audit (default 0)"),
    _Option("false-alarm-rate", _rate, "a number in [1e-15, 1)", "of each claim (default 1e-9)"),
    _Option("max-seconds", _positive, "a number above 0", "about so long the audit of a claim may take (default 30)"),
    _Option("detect", _factor, "a number above 1", "times the claim that a full pass must have been able to detect"),
    _Option("report", Path, "a folder", "write report.html, results.json and junit.xml of all audits there"),
    _Option("evidence", Path, "a folder", "pool evidence over sessions there; the rate holds over all of them"),
    _Option(
        "regressions",
        Path,
        "a folder",
        "save made-up pairs that refute there and try them first (default: .dpverify/regressions below the root "
        "folder, where it exists)",
    ),
)


def add_options(parser: pytest.Parser) -> None:
    """Register ``--dp-*`` and ``dp_*``."""
    group = parser.getgroup("dpverify", "audits of differential-privacy claims")
    for option in _OPTIONS:
        told = f"{option.told} [{option.allowed}]"
        group.addoption(f"--dp-{option.name}", default=None, metavar="X", help=told)
        parser.addini(_key(option), told, default="")
    told = "a pass that could have seen nothing, or less than was to be detected, fails"
    group.addoption("--dp-strict", action="store_true", default=None, help=told)
    parser.addini("dp_strict", told, type="bool", default=False)
    told = "collect the audits of dpverify.toml (or [tool.dpverify]) without naming it: one item each [default: false]"
    parser.addini(SUITE_FILE, told, type="bool", default=False)


def settings_of(config: pytest.Config, *, declared: Mapping[str, Any] | None = None) -> Settings:
    """The session's settings.

    Parameters
    ----------
    declared : mapping
        Of a suite file, by field: over the ini file, below the options.

    Raises
    ------
    pytest.UsageError
        One line for a value that is not allowed.
    """
    declared = declared or {}
    given = {option.name: _given(config, option, declared.get(option.name.replace("-", "_"))) for option in _OPTIONS}
    profile = given["profile"] or "quick"
    seconds, detect = PROFILES[profile]
    strict = config.getoption("--dp-strict")
    return Settings(
        profile=profile,
        seed=given["seed"] or 0,
        false_alarm_rate=given["false-alarm-rate"] or FALSE_ALARM_RATE,
        max_seconds=given["max-seconds"] or seconds,
        detect=given["detect"] or detect,
        strict=bool(declared.get("strict", config.getini("dp_strict")) if strict is None else strict),
        report=_absolute(config, given["report"]),
        evidence=_absolute(config, given["evidence"]),
        regressions=_absolute(config, given["regressions"]),
        chosen=given["max-seconds"] is not None,
        fixed_seed=given["seed"] is not None,
    )


def _key(option: _Option) -> str:
    return f"dp_{option.name.replace('-', '_')}"


def _given(config: pytest.Config, option: _Option, declared: Any) -> Any:
    typed = config.getoption(f"--dp-{option.name}")
    if typed is None and declared is not None:
        return declared
    text = typed if typed is not None else config.getini(_key(option))
    if text in (None, ""):
        return None
    where = f"--dp-{option.name}" if typed is not None else f"{_key(option)} in {config.inipath or 'the ini file'}"
    try:
        return option.read(str(text))
    except (ValueError, OverflowError):
        raise pytest.UsageError(f"dpverify: {where} = {text}; allowed: {option.allowed}") from None


def _absolute(config: pytest.Config, path: Path | None) -> Path | None:
    return None if path is None else config.invocation_params.dir / path
