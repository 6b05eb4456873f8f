"""``dp_utility`` of one test: a trainer measured and audited in a process of its own, and what becomes of it."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest

from dpverify.core.callable_name import callable_name
from dpverify.core.errors import DpverifyError
from dpverify.core.note import Telling, note_of
from dpverify.frontier.result import FrontierResult
from dpverify.frontier.run import utility_frontier
from dpverify.neighbourhood.redact import without_records
from dpverify.pytest_plugin.report import keep_plain
from dpverify.pytest_plugin.settings import PROPERTY, Settings
from dpverify.runner.watched_process import WatchedProcess


@dataclass(frozen=True, slots=True)
class Utilities:
    """The fixture ``dp_utility`` of one test."""

    item: Any
    settings: Settings

    def __call__(
        self,
        trainer: Any,
        *,
        data: Any,
        at_least: float | Mapping[float | None, float] | None = None,
        epsilon: float | Sequence[float] = 1.0,
        delta: float = 1e-5,
        against: Sequence[str] = (),
        **words: Any,
    ) -> FrontierResult:
        """Measure and audit; further words are those of ``dpverify.utility_frontier``."""
        __tracebackhide__ = True
        epsilons = [epsilon] if isinstance(epsilon, int | float) else list(epsilon)
        asked = self.settings.asked.complete()
        given = {
            "at_least": at_least,
            "epsilons": epsilons,
            "delta": delta,
            "against": against,
            "confidence": 1.0 - min(asked.rate * len(epsilons), 0.5),
            "audit_seconds": asked.seconds,
            "seed": asked.seed,
            **words,
        }
        name = callable_name(trainer)
        claim = f"({', '.join(f'{each:g}' for each in epsilons)}; {delta:g})-DP of {name}"
        try:
            found = WatchedProcess(lambda: dict(utility_frontier(trainer, data, **given).found)).result()
        except DpverifyError as problem:
            said = without_records(str(problem), [] if isinstance(data, str) else data)
            self._say({"verdict": "error", "claim": claim, "reason": said})
        else:
            said = ""
        if said:
            pytest.fail(f"dpverify: {said}", pytrace=False)
        result = FrontierResult(found=found)
        refuted = any(each["verdict"] == "refuted" for each in result.audits)
        verdict = (
            "refuted" if refuted else "below" if result.failures else "untested" if result.untested else "not_refuted"
        )
        rate = (1.0 - given["confidence"]) if result.audits else 0.0
        self._say({"verdict": verdict, "claim": claim, "rate": rate, "lines": result.lines()})
        for each in result.audits:
            Telling()("the record", partial(keep_plain, self.item, self.settings, each["record"]), None)
        if result.failures or result.untested:
            pytest.fail("\n  ".join([f"{name} fails:", *result.failures, *result.untested]), pytrace=False)
        for line in result.warnings:
            warnings.warn(note_of(line).text, UserWarning, stacklevel=2)
        return result

    def _say(self, found: Mapping[str, Any]) -> None:
        self.item.user_properties.append((PROPERTY, json.dumps(found)))
