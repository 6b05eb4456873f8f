"""What ``dpverify.audit`` returns, and what becomes of a row before it is returned."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dpverify.adapters.callable_mechanism import CallableMechanism
from dpverify.adapters.event_words import event_in_words
from dpverify.adapters.form_words import form_event_in_words
from dpverify.adapters.output_columns import Column
from dpverify.adapters.row_layout import STRANGE
from dpverify.core.evidence import Evidence
from dpverify.core.verdict import Status, why_vacuous
from dpverify.runner.assertable_result import AssertableResult
from dpverify.runner.record import rarest_of
from dpverify.runner.row import Row

BLIND = 1e-3
"""Where it is not known how rare a leak the draws could see: so large a share of outputs may be beyond comparison."""


HUGE = re.compile(r"-\d(?:\.\d+)?e\+\d+")
OF_STRANGE = "so small a number stands for an output of a type, keys or length that the first calls did not have"

IGNORES = (
    "the mechanism ignores its data: in 16 calls it never looked at the data set, so its outputs cannot depend on it "
    "and there is nothing to refute; check that the right function is audited"
)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class AuditResult(AssertableResult):
    """What one audit found. It is neither true nor false: compare `verdict`, or call `check`.

    Attributes
    ----------
    verdict : Status
        ``refuted``, ``not_refuted`` (never "private"), ``inconclusive`` (the audit could have seen nothing, or was
        stopped), ``unsupported`` or ``error``.
    epsilon_lower : float or None
        Lower bound on the headline measure of the claim at the stated confidence: never above the truth, up to it.
    epsilon_estimate : float or None
        A point estimate; no bound, and no verdict rests on it.
    evidence : Evidence or None
        Counts, event, witness: all that is needed to compute the bound again.
    relation : str
        The neighbour relation, given or read off the pair (`relation_inferred`).
    notes : tuple of str
        What the mechanism's author should know, one line each; no verdict rests on it.
    row : Row
        The row for reports.
    """

    verdict: Status
    epsilon_lower: float | None
    epsilon_estimate: float | None
    evidence: Evidence | None
    relation: str
    relation_inferred: bool
    reproducible: bool
    notes: tuple[str, ...] = ()
    row: Row = field(repr=False)


def with_meaning(row: Row, subject: CallableMechanism) -> Row:
    """The row, its event in words, with what codes of labels and of exceptions mean in its witness."""
    leading = row.verdict.leading
    if leading is None:
        return row
    leading = in_words(leading, subject.columns)
    witness: Mapping[str, Any] = leading.witness
    if any(float(each) <= STRANGE for each in HUGE.findall(str(witness.get("event", "")))):
        witness = {**witness, "event": f"{witness['event']} ({OF_STRANGE})"}
    if subject.labels:
        witness = {**witness, "labels": {str(k): v for k, v in subject.labels.items()}}
    if subject.forms:
        witness = {**witness, "forms": subject.forms}
    if subject.errors:
        witness = {**witness, "errors": dict(subject.errors)}
    leading = replace(leading, witness=witness)
    return replace(row, verdict=replace(row.verdict, evidence=(leading, *row.verdict.evidence[1:])))


def in_words(evidence: Evidence, columns: Sequence[Column]) -> Evidence:
    """The evidence, with names and values of the output in its event; a replay's events are of recorded steps."""
    witness, statistics = dict(evidence.witness), dict(evidence.statistics)
    if "event" in witness:
        told, replayed = str(witness["event"]), "hidden_coin" in statistics
        witness["event"] = form_event_in_words(told) if replayed else event_in_words(told, columns)
    single = statistics.get("single_values")
    if single:
        statistics["single_values"] = {**single, "event": event_in_words(str(single["event"]), columns)}
    return replace(evidence, witness=witness, statistics=statistics)


def unless_blind(row: Row, blind: float) -> Row:
    """The row; inconclusive where more outputs than its draws could have caught have parts that were not compared."""
    leading = row.verdict.leading
    undecided = row.verdict.status in (Status.NOT_REFUTED, Status.INCONCLUSIVE)
    if not undecided or leading is None or not leading.trials or leading.excess > 0:
        return row
    if blind <= (rarest_of(row) or BLIND):
        return row
    reason = (
        f"{100 * blind:.2g} % of the outputs have a part that is known by its hash only and occurred once (a text, a "
        "large integer, a form that the first calls did not have), so no event could use it: return numbers as "
        "numbers, in outputs of one form, without random parts such as an id"
    )
    return replace(row, verdict=replace(row.verdict, status=Status.INCONCLUSIVE, reason=reason))


def result_of(row: Row, inferred: bool, reproducible: bool, notes: tuple[str, ...]) -> AuditResult:
    """What a finished row says, for Python."""
    leading = row.verdict.leading
    if row.verdict.status is Status.UNSUPPORTED:
        notes = (*notes, row.verdict.reason)
    return AuditResult(
        verdict=row.verdict.status,
        epsilon_lower=leading.bound if leading else None,
        epsilon_estimate=leading.estimate if leading else None,
        evidence=leading,
        relation=row.entry.claim.relation,
        relation_inferred=inferred,
        reproducible=reproducible,
        notes=notes,
        row=row,
    )


def unless_vacuous(row: Row, subject: CallableMechanism, *, rng: np.random.Generator) -> Row:
    """The row; inconclusive where nothing that was looked at could have refuted the claim."""
    status, evidence = row.verdict.status, row.verdict.evidence
    marked = status is Status.INCONCLUSIVE and any("vacuous" in each.statistics for each in evidence)
    if not evidence or not (status is Status.NOT_REFUTED or marked):
        return row
    reasons = [str(each.statistics.get("vacuous", "")) or why_vacuous(each) for each in evidence]
    if not all(reasons):
        return row
    reason = IGNORES if subject.ignores_data(rng=rng) else reasons[0]
    return replace(row, verdict=replace(row.verdict, status=Status.INCONCLUSIVE, reason=reason))
