"""The audits of one test: what was asked, the audit in a process of its own, and what becomes of its verdict."""

from __future__ import annotations

import hashlib
import inspect
import json
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from dpverify.assertion import VacuousAuditWarning, audit_asked, failure, key_of, summary
from dpverify.audits.audit_result import AuditResult
from dpverify.audits.judges import Known, judged_for_suite
from dpverify.audits.question import DATA, Question
from dpverify.code_key.key import NOT_LOOKED_AT, CodeKey
from dpverify.core.errors import DpverifyError, InputError
from dpverify.core.note import Telling
from dpverify.core.verdict import Status
from dpverify.neighbourhood.redact import without_records
from dpverify.pytest_plugin.report import keep_record, page_of
from dpverify.pytest_plugin.settings import AUDITS, MARKER, PROPERTY, Settings
from dpverify.runner.regressions import used_folder
from dpverify.suite_file.warm import warm

if TYPE_CHECKING:
    from dpverify.pytest_plugin.declared import Declared

STORED = "dpverify/refuted"
"""In pytest's cache: refutations by what was audited, so that a rerun is no second ticket in a lottery."""


UNCHANGED = f"no change was seen of its code and data, and of variables and files that it reads; {NOT_LOOKED_AT}"


class AcceptedNoMoreWarning(UserWarning):
    """A failure that a suite file accepts, and that is none any more."""


@dataclass(frozen=True, slots=True)
class Audits:
    """``dp_audit`` of one test, or the audit that a suite file declares."""

    item: Any
    settings: Settings
    declared: Declared | None = None

    def __call__(self, mechanism: Any, d0: Any = None, d1: Any = None, **words: Any) -> Any:
        """Audit `mechanism`, for each ``dp_claim`` of the test where no claim is given here."""
        __tracebackhide__ = True
        if d0 is not None and "claim" not in words and _states_a_claim(d0):  # dp_audit(f, CLAIM, DATA), as it was
            d0, words = None, {**words, "claim": d0}
        if d0 is None and d1 is not None and words.get("data") is None:
            d1, words = None, {**words, "data": d1}
        results = []
        for each in self._asked({"d0": d0, "d1": d1, **words}):
            results.append(self._one(mechanism, **each))  # noqa: PERF401 - warnings name the caller's line
        return results[0] if len(results) == 1 else results

    def _asked(self, words: dict[str, Any]) -> list[dict[str, Any]]:
        """The arguments of each audit: of the call, over those of the markers."""
        __tracebackhide__ = True
        given = {name: value for name, value in words.items() if value is not None or name not in ("claim", *DATA)}
        markers = [] if "claim" in given else list(self.item.iter_markers(MARKER))
        for marker in markers:
            if len(marker.args) > 1 or (marker.args and "claim" in marker.kwargs):
                _misused(f"{MARKER}{marker.args}", "one claim, and settings by name")
        asked = [{**marker.kwargs, **({"claim": marker.args[0]} if marker.args else {}), **given} for marker in markers]
        asked = asked or [given]
        if any("claim" not in each for each in asked):
            _misused("dp_audit without a claim", f"claim=..., or the marker {MARKER}(claim)")
        known = [name for name in inspect.signature(Question).parameters if name != "mechanism"]
        for name in (name for each in asked for name in each if name not in known):
            near = get_close_matches(name, known, n=1)
            meant = f"; did you mean {near[0]}?" if near else ""
            _misused(f"{name}=, which no audit has", f"the arguments of dpverify.audit{meant}")
        return asked

    def _one(self, mechanism: Any, **words: Any) -> AuditResult:
        __tracebackhide__ = True
        folder = used_folder(self.settings.asked.regressions, below=self.item.config.rootpath)
        asked = replace(self.settings.asked, regressions=folder)
        strict = bool(words.pop("strict", asked.strict))
        done = self.item.stash.setdefault(AUDITS, [])
        place = f"{STORED}/{hashlib.sha256(f'{self.item.nodeid} {len(done)}'.encode()).hexdigest()[:16]}"

        expect = "stands" if self.declared is None else self.declared.entry.expect

        def code() -> CodeKey:
            return key_of(asked.question(mechanism, **words), expect)

        try:
            rate = 1.0 - asked.question(mechanism, **words).sure()
            self._fail_as_before(place, code, done)
            warm()
            result = audit_asked(mechanism, asked, **words)
        except DpverifyError as problem:
            data = [] if words.get("show_records") else [words.get(name) for name in DATA]
            said = without_records(str(problem), data)
            self._say(done, {"verdict": "error", "claim": str(words.get("claim")), "reason": said})
        else:
            said = ""
        if said:
            pytest.fail(f"dpverify: {said}", pytrace=False)
        found = summary(result, asked, rate)
        return self._judged(result, found, strict=strict, place=place, code=code)

    def _fail_as_before(self, place: str, code: Callable[[], CodeKey], done: list[dict[str, Any]]) -> None:
        """Fail where an earlier run refuted the same code, so that a rerun is no second ticket in a lottery."""
        __tracebackhide__ = True
        stored = self._cache.get(place, None) if self._cache else None
        if stored is not None and stored["key"] == code().text:
            self._say(done, {**stored["found"], "stored": True})
            self._fail(f"{stored['text']}\n(as in the earlier run: {UNCHANGED})", Status.REFUTED)

    def _judged(
        self, result: AuditResult, found: dict[str, Any], *, strict: bool, place: str, code: Callable[[], CodeKey]
    ) -> AuditResult:
        """The result, once it is reported as `found` says; the test fails where the judges say so."""
        __tracebackhide__ = True
        declared, done, tell = self.declared, self.item.stash[AUDITS], Telling()
        if declared is not None:
            result = declared.completed(result)
        short, broken = result.shortfall(), declared is not None and declared.broken
        finding = judged_for_suite(
            result.finding, Known(strict=strict, expect="stands") if declared is None else declared.known
        )
        result = replace(result, finding=finding)
        tell(
            "the record for the report", partial(keep_record, self.item, self.settings, result, declared=declared), None
        )
        found |= {"verdict": str(finding.status), **({"expect": "broken"} if broken else {})}
        text = f"dpverify: {result.row.surprise or finding.status}: {finding.row.verdict.reason}".rstrip(": ")
        if finding.status is Status.REFUTED and finding.fails:
            text = self._refuted(result, found, place, code, tell)
        elif finding.status is Status.INCONCLUSIVE and strict and not broken:
            text = f"dpverify (strict): {short}"
        self._say(done, found)
        if finding.fails:
            self._fail(text, finding.status)
        for line in finding.told:
            kind = VacuousAuditWarning if line == short else AcceptedNoMoreWarning
            warnings.warn(kind(line), stacklevel=4)
        return result

    def _refuted(
        self, result: AuditResult, found: dict[str, Any], place: str, code: Callable[[], CodeKey], tell: Telling
    ) -> str:
        """Say what a refutation says; it is kept, for a rerun of the same code."""
        page = tell("the page of the refutation", partial(page_of, self.item, result), None)
        plain = f"{found['claim']} is refuted"
        text = "\n  ".join([tell("what was found", partial(failure, result, page=page), plain), *tell.faults])
        if self._cache:
            key = tell("the key of the code", code, CodeKey("", "its key could not be made"))
            if key.unknown:
                return f"{text}\n  not kept for a rerun: nothing tells whether the code changes: {key.unknown}"
            self._cache.set(place, {"key": key.text, "text": text, "found": found})
        return text

    def _fail(self, text: str, verdict: Status) -> NoReturn:
        """Fail the test; where a suite file accepts the verdict, it is expected to fail."""
        __tracebackhide__ = True
        accepted, more = ("", "") if self.declared is None else self.declared.acceptance(verdict)
        if accepted:
            pytest.xfail(accepted)
        pytest.fail("\n".join(filter(None, [text, more])), pytrace=False)

    @property
    def _cache(self) -> Any:
        """pytest's cache; None where somebody has switched it off."""
        return getattr(self.item.config, "cache", None)

    def _say(self, done: list[dict[str, Any]], found: dict[str, Any]) -> None:
        """Keep what the summary needs with the test's report."""
        if self.declared is not None and (accepted := self.declared.acceptance(Status(found["verdict"]))[0]):
            found = {**found, "accepted": accepted}
        done.append(found)
        self.item.user_properties.append((PROPERTY, json.dumps(found)))


def _states_a_claim(thing: Any) -> bool:
    """Tell whether it is a guarantee, or reads like the text of one."""
    return hasattr(thing, "measures") or (isinstance(thing, str) and re.fullmatch(r"\w+\(.*\)", thing) is not None)


def _misused(what: str, allowed: str) -> NoReturn:
    """Fail the test in one line."""
    __tracebackhide__ = True
    pytest.fail(f"dpverify: {InputError(what, allowed=allowed)}", pytrace=False)
