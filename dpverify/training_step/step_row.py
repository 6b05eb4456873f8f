"""One row of what was checked of a step, and the sizes below which a check looks away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dpverify.core.errors import InputError
from dpverify.core.verdict import Status
from dpverify.training_step.step_runner import StepRunner, Total


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRow:
    """One check of a step.

    Attributes
    ----------
    name : str
        Such as ``norm``.
    verdict : Status
        ``refuted``; ``not_refuted`` (nothing was found, which proves nothing); ``inconclusive`` (the check could not
        look, or what it found is not against the claim by itself); ``unsupported`` (not asked for).
    number : float or None
        The measured number, which `words` explain.
    words : str
        The finding.
    shown : str
        The smallest batch that shows it; empty where nothing was found.
    change : str
        The part of the step to change; empty where nothing was found.
    """

    name: str
    verdict: Status
    number: float | None = None
    words: str
    shown: str = ""
    change: str = ""


def could_not(name: str, why: str, change: str = "") -> StepRow:
    """The row of a check that could not look."""
    return StepRow(name=name, verdict=Status.INCONCLUSIVE, words=f"could not look: {why}", change=change)


def passed(name: str, words: str, number: float | None = None) -> StepRow:
    """The row of a check that found nothing."""
    return StepRow(name=name, verdict=Status.NOT_REFUTED, number=number, words=words)


def tried(
    runner: StepRunner, records: Sequence[int], factors: Sequence[float] | None = None, **how: object
) -> Total | None:
    """The sum of an unusual batch; None where the step raises on it, or gives a number that is not finite."""
    try:
        found = runner.at(records, factors, **how)  # type: ignore[arg-type]  # the words of `at`
    except InputError:
        return None
    return found if found.finite else None


def batch_words(records: Sequence[int], factors: Sequence[float] | None = None) -> str:
    """Such as ``records 0, 3 (x 1e+06)``."""
    if not records:
        return "the empty batch"
    told = [
        f"{record}" if factor == 1 else f"{record} (x {factor:g})"
        for record, factor in zip(records, factors or [1.0] * len(records), strict=True)
    ]
    more = f" and {len(told) - 8} more" if len(told) > 8 else ""
    return f"record{'s' * (len(told) > 1)} {', '.join(told[:8])}{more}"
