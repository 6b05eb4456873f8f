"""The loader of a training: does it draw the Poisson samples that the account assumes?"""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any

from dpverify.core.errors import InputError
from dpverify.core.verdict import Status
from dpverify.loaders.audit import audit_sampler
from dpverify.loaders.result import SamplerResult
from dpverify.training_step.account import TrainingAccount
from dpverify.training_step.step_row import StepRow, could_not, passed

NAME = "loader"
SHARE = 0.25
"""Of the error probability: the tests of the noise leave more than that."""

SECONDS, PER_PASS = 2.0, 10.0
BY_ITSELF = "audit it by itself: dpverify sampler MODULE:LOADER --accounted poisson"
DRAW = "draw each record into each batch by itself with the accounted probability, or account for what is drawn"


def loader_row(loader: Any, account: TrainingAccount | None, alpha: float, seed: int) -> StepRow:
    """Read the loader for some seconds, and tell whether its batches are Poisson samples."""
    if loader is None:
        words = "not asked for (no loader was given); `dpverify sampler` audits one"
        return StepRow(name=NAME, verdict=Status.UNSUPPORTED, words=words)
    how: dict[str, Any] = {
        "accounted": "poisson" if account is None else f"poisson(rate={account.sample_rate!r})",
        "seconds": SECONDS,
        "max_seconds_per_epoch": PER_PASS,
        "seed": seed,
        "name": "loader",
        **(loader if isinstance(loader, Mapping) else {"loader": loader}),
        "confidence": 1.0 - SHARE * alpha,
    }
    if unknown := sorted(set(how) - set(signature(audit_sampler).parameters)):
        raise InputError(f"loader with {unknown[0]!r}", allowed=", ".join(signature(audit_sampler).parameters))
    try:
        found = audit_sampler(**how)
    except InputError as problem:
        return could_not(NAME, str(problem), BY_ITSELF)
    if found.verdict is Status.REFUTED:
        fits = found.found or "none of the schemes known here"
        words = "; ".join((f"batches are not {found.accounted}, they fit {fits}", *_seen(found)))
        shown = f"{found.passes} passes of {found.steps} batches"
        return StepRow(name=NAME, verdict=Status.REFUTED, number=found.p_value, words=words, shown=shown, change=DRAW)
    if found.verdict is not Status.NOT_REFUTED:
        return could_not(NAME, found.reason, BY_ITSELF)
    return passed(NAME, f"batches were not told apart from {found.accounted}", found.p_value)


def _seen(found: SamplerResult) -> list[str]:
    """The strongest deviations."""
    return [told for _, told, _ in found.deviations[:2]]
