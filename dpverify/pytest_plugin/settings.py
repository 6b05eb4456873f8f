"""What a test session asks of its audits: options of the command line over keys of the ini file over defaults."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dpverify.audits.asked import PROFILES, Asked

OLD_SECONDS = "dp_max_seconds"

TOLD = pytest.StashKey[list[str]]()
"""Lines for the end of the session."""

SUITE_FILE = "dp_suite_file"
"""The ini key that has a suite file collected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of one session."""

    asked: Asked
    """What is asked of every audit, with the values of the profile only where `Asked.complete` gives them."""
    report: Path | None
    """The folder of the session's report."""


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
    _Option("seconds", _positive, "a number above 0", "about so long the audit of a claim may take (default 30)"),
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
        names = [f"--dp-{option.name}", *(["--dp-max-seconds"] if option.name == "seconds" else [])]
        group.addoption(*names, dest=_key(option), default=None, metavar="X", help=told)
        parser.addini(_key(option), told, default="")
    parser.addini(OLD_SECONDS, "an older name of dp_seconds", default="")
    told = "a pass that could have seen nothing, or less than was to be detected, fails"
    group.addoption("--dp-strict", action="store_true", default=None, help=told)
    parser.addini("dp_strict", told, type="bool", default=False)
    told = "collect the audits of dpverify.toml (or [tool.dpverify]) without naming it: one item each [default: false]"
    parser.addini(SUITE_FILE, told, type="bool", default=False)


def settings_of(config: pytest.Config, *, declared: Mapping[str, Any] | None = None) -> Settings:
    """The session's settings.

    `declared`: of a suite file, by field: over the ini file, below the options.

    Raises
    ------
    pytest.UsageError
        One line for a value that is not allowed.
    """
    declared = declared or {}
    given = {option.name: _given(config, option, declared.get(option.name.replace("-", "_"))) for option in _OPTIONS}
    strict = config.getoption("--dp-strict")
    words = {option.name.replace("-", "_"): given[option.name] for option in _OPTIONS if option.name != "report"}
    words |= {name: _absolute(config, given[name]) for name in ("evidence", "regressions")}
    words["strict"] = bool(declared.get("strict", config.getini("dp_strict")) if strict is None else strict)
    return Settings(asked=Asked(**words), report=_absolute(config, given["report"]))


def _key(option: _Option) -> str:
    return f"dp_{option.name.replace('-', '_')}"


def _given(config: pytest.Config, option: _Option, declared: Any) -> Any:
    typed = config.getoption(_key(option))
    if typed is None and declared is not None:
        return declared
    old = "" if typed is not None else _by_its_old_name(config, option)
    text = typed if typed is not None else config.getini(_key(option)) or old
    if text in (None, ""):
        return None
    key = OLD_SECONDS if old else _key(option)
    where = f"--dp-{option.name}" if typed is not None else f"{key} in {config.inipath or 'the ini file'}"
    try:
        return option.read(str(text))
    except (ValueError, OverflowError):
        raise pytest.UsageError(f"dpverify: {where} = {text}; allowed: {option.allowed}") from None


def _by_its_old_name(config: pytest.Config, option: _Option) -> str:
    """The value under an older name of the ini key."""
    found = str(config.getini(OLD_SECONDS)) if option.name == "seconds" else ""
    if found:
        if config.getini(_key(option)):
            raise pytest.UsageError(f"dpverify: {OLD_SECONDS} beside {_key(option)}, its newer name; allowed: one")
        tell(config, f"{OLD_SECONDS} is called {_key(option)} now, and means the same")
    return found


def tell(config: pytest.Config, line: str) -> None:
    """Keep a line for the end of the session."""
    told = config.stash.setdefault(TOLD, [])
    if line not in told:
        told.append(line)


def _absolute(config: pytest.Config, path: Path | None) -> Path | None:
    return None if path is None else config.invocation_params.dir / path


MARKER = "dp_claim"

PROPERTY = "dpverify"
"""Reports of tests carry one such property an audit: what the summary needs, in any worker."""

SETTINGS: pytest.StashKey[Settings] = pytest.StashKey()

AUDITS: pytest.StashKey[list[dict[str, Any]]] = pytest.StashKey()
"""Of a test: what was found of each audit so far."""
