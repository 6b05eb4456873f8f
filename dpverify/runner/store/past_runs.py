"""The runs in a store, and their outcomes in short."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from dpverify.core.errors import InputError
from dpverify.runner.store.codec import decoded, encoded

State = Literal["open", "done", "cut"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run in a store."""

    number: int
    """Number of the run, from 1, in the order in which runs began."""
    suite: str
    """Name of the suite."""
    words: Mapping[str, Any]
    """The arguments that the plan is made from."""
    provenance: Mapping[str, str]
    """Versions and digests of the code and packages that the numbers depend on."""
    begun: float
    """Seconds since 1970."""
    ended: float | None
    """Seconds since 1970; None while it runs, and after a kill."""
    state: State
    """``open`` (running or killed), ``cut`` (stopped by a limit or by hand) or ``done``."""
    intact: bool | None = None
    """Whether the checksum matches; None for a run without one (store version 1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordSummary:
    """Summary of a record for the history; `intact` as in `Run`."""

    run: int
    claim: str
    verdict: str
    surprise: bool
    seconds: float
    intact: bool | None


def record_summary(
    run: int, claim: str, verdict: str, surprise: int | bool, seconds: float | None, *, intact: bool | None
) -> RecordSummary:
    """A record's summary, from the cells of a table row."""
    timed = float(seconds or 0.0)
    return RecordSummary(run=run, claim=claim, verdict=verdict, surprise=bool(surprise), seconds=timed, intact=intact)


CODE_OF, SETTINGS_OF = "code of ", "settings of "
"""Before the name of an audit: the key of its code, data and settings; digests of its settings, which only explain."""


def of_audits(codes: Mapping[str, str], settings: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """The provenance of audits by name: the key of the code, data and settings of each, and digests of its settings."""
    found = {f"{CODE_OF}{name}": key for name, key in codes.items()}
    return found | {f"{SETTINGS_OF}{name}": encoded(dict(each)) for name, each in settings.items()}


def check_unchanged(run: Run, provenance: Mapping[str, str], path: Path) -> None:
    """InputError for a run of other code, settings or packages: what the numbers depend on now is `provenance`."""
    then, now = run.provenance, provenance
    names = sorted(name for name in {*then, *now} if not name.startswith(SETTINGS_OF))
    changed = [name for name in names if then.get(name, "absent") != now.get(name, "absent")]
    others = [name.removeprefix(CODE_OF) for name in changed if name.startswith(CODE_OF)]
    settings = {name: found for name in others if (found := _settings(name, then, now))}
    code = [name for name in others if name not in settings]
    said = [f"the settings of {name} have changed since run {run.number}: {found}" for name, found in settings.items()]
    said += [f"the code of {', '.join(code)} has changed since run {run.number}"] if code else []
    if said:
        raise InputError(
            f"{'; '.join(said)} in {path}",
            allowed="the code, data and settings of that run, so that all its verdicts are of one version",
            remedy="start anew (without --resume), or audit these alone (--only, without --resume, another --out)",
        )
    if changed:
        told = (f"{name} {then.get(name, 'absent')} then, {now.get(name, 'absent')} now" for name in changed)
        raise InputError(
            f"run {run.number} in {path} was made by other code or from other data: {', '.join(told)}",
            allowed="the same code, packages, machine, data sets and saved failures, so that the numbers are the "
            "same to the bit",
            remedy="run without --resume to begin a new run",
        )


def _settings(name: str, *provenance: Mapping[str, str]) -> str:
    """Names of the settings that differ; empty where none does, or where they were not kept."""
    then, now = (decoded(each.get(f"{SETTINGS_OF}{name}", "{}")) for each in provenance)
    return ", ".join(each for each in sorted({*then, *now}) if then.get(each) != now.get(each)) if then and now else ""
