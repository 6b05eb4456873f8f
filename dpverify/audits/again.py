"""The line that makes an audit again, in which no record of the user's example is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from dpverify.audits.question import DEFAULT_CONFIDENCE, Question
from dpverify.audits.reproduce_command import reproduce_command
from dpverify.core.verdict import Status
from dpverify.neighbourhood.neighbourhood import Neighbourhood
from dpverify.runner.row import Row

HIDDEN = object()
"""Stands for data that are not written out."""

_LEFT_OUT = {"progress", "isolate", "seconds", "regressions", "show_records", "parameters"}
_LEFT_OUT |= {"false_alarm_rate", "confidence"}  # stated once, as the confidence
_OF_EXAMPLES = {"records", "bounds", "unit", "domain"}


def again(question: Question, function: Any, place: Neighbourhood, row: Row, *, trials: int | None) -> str:
    """One line that makes the audit of `function` again; `trials` where seconds were turned into draws."""
    given = {name: value for name, value in question.given().items() if name not in _LEFT_OUT}
    if question.sure() != DEFAULT_CONFIDENCE:
        given["confidence"] = question.sure()
    if ":" in given.get("name", ""):  # the command line's own name for a callable
        del given["name"]
    if trials is not None:
        given["trials"] = trials
    shown = _shown(question, place, row)
    if question.data is not None and "data" not in shown:  # the pair alone
        given = {name: value for name, value in given.items() if name not in _OF_EXAMPLES} | {
            "relation": place.relation
        }
        if not question.sequential:
            given.setdefault("methods", ["gate"])
    settings = {each.name: given[each.name] for each in fields(question) if each.name in given}  # always in one order
    return reproduce_command(function, shown, claim=row.entry.claim.guarantee.text(), settings=settings)


def _shown(question: Question, place: Neighbourhood, row: Row) -> Mapping[str, Any]:
    """The data for that line: of a refutation its pair, which is made up, where JSON gives the pair back."""
    leading = row.verdict.leading
    if question.data is None or question.show_records:
        return question.data_sets()
    refuted = leading is not None and row.verdict.status is Status.REFUTED and isinstance(question.data, list)
    if leading is None or not refuted or place.shows_records(str(leading.witness.get("pair", ""))):
        return {"data": HIDDEN}
    return {"d0": leading.witness["d0"], "d1": leading.witness["d1"]}
