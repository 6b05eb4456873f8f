"""The judges: what becomes of a finding before anybody sees it, in one order, for every entry.

A judge takes a finding and what is known of its audit, and leaves the finding as it is where that says nothing to it.
No judge makes a verdict stronger, but for one: what was proved from the code is certified.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from dpverify.adapters.callable_mechanism import CallableMechanism
from dpverify.adapters.encoding import Encoder
from dpverify.adapters.event_words import event_in_words, form_event_in_words
from dpverify.adapters.output_columns import Column
from dpverify.adapters.row_layout import STRANGE
from dpverify.audits.finding import Finding
from dpverify.core.errors import one_line
from dpverify.core.evidence import Evidence
from dpverify.core.note import Kind, Note, Telling
from dpverify.core.subjects import Pair
from dpverify.core.suite import Expectation
from dpverify.core.verdict import Status, beside_proof, why_vacuous
from dpverify.neighbourhood.neighbourhood import Neighbourhood
from dpverify.neighbourhood.redact import redacted, with_pair, without_witness
from dpverify.runner import verdict_strength
from dpverify.runner.row import Row

BLIND = 1e-3
"""Where it is not known how rare a leak the draws could see: so large a share of outputs may be beyond comparison."""

HUGE = re.compile(r"-\d(?:\.\d+)?e\+\d+")
OF_STRANGE = "so small a number stands for an output of a type, keys or length that the first calls did not have"

IGNORES = (
    "the mechanism ignores its data: in 16 calls it never looked at the data set, so its outputs cannot depend on it "
    "and there is nothing to refute; check that the right function is audited"
)

CONFIRMED = "confirmed with fresh draws, one call of the library for each output"

CONTRADICTED = (
    "the proof from the code ({parameter} <= {upper:.6g}) and the audit contradict each other, and the audit's verdict "
    "stands: it is wrong with its false-alarm probability only, else one of these is false: {rests}; or a rule of "
    "dpverify's is wrong: please report it"
)

UNTESTED = "no attack could have refuted this claim with so few scores at this confidence: it was not tested"


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Facts that an entry knows of the audit beside its row."""

    columns: Callable[[], Sequence[Column]] | None = None
    """Gives names and values of the output."""
    meanings: Callable[[], Mapping[str, Any]] = dict
    """Gives the meaning of codes in events, for the witness: ``labels``, ``forms``, ``errors``."""
    blind: float = 0.0
    """The share of outputs with a part that no event could use."""
    saw_nothing: str = ""
    """Why what was looked at could have shown nothing; empty where it could."""
    ignores_data: Callable[[], bool] | None = None
    """Whether the mechanism never looks at its data."""
    pair: Pair | None = None
    """The pair that the user brought."""
    hide: Neighbourhood | None = None
    """Whose records must not be shown."""
    again: Callable[[], Finding] | None = None
    """Audits the claim once more on fresh draws; what is not refuted there is not refuted."""
    strict: bool = False
    """Whether a pass that says too little is inconclusive."""
    expect: Expectation | None = None
    """What a suite expects; None where the verdict fails nothing."""
    acceptance: Callable[[Status], tuple[str, str]] | None = None
    """``acceptance(status)``: why a suite accepts that verdict, and what its author should know, each "" for
    nothing."""
    tell: Telling = field(default_factory=Telling)
    """Collects what could not be put into words."""


def judged(finding: Finding, known: Known) -> Finding:
    """The finding after all judges, in their order."""
    return judged_for_suite(_after(finding, known, OF_AUDITS), known)


def judged_for_suite(finding: Finding, known: Known) -> Finding:
    """A finding that was judged where its audit ran, after the judges of what was asked."""
    return _after(finding, known, OF_SUITES)


def _after(finding: Finding, known: Known, judges: Sequence[Callable[[Finding, Known], Finding]]) -> Finding:
    for judge in judges:
        finding = judge(finding, known)
    return finding


def in_words(finding: Finding, known: Known) -> Finding:
    """The event in words, with what codes of labels and of exceptions mean in its witness."""
    leading, columns = finding.row.verdict.leading, known.columns
    if leading is None or columns is None:
        return finding
    return known.tell("the words of the event", partial(_in_words, finding, known, leading, columns), finding)


def _in_words(finding: Finding, known: Known, leading: Evidence, columns: Callable[[], Sequence[Column]]) -> Finding:
    leading = evidence_in_words(leading, columns())
    witness: Mapping[str, Any] = leading.witness
    if any(float(each) <= STRANGE for each in HUGE.findall(str(witness.get("event", "")))):
        witness = {**witness, "event": f"{witness['event']} ({OF_STRANGE})"}
    meanings = {name: meaning for name, meaning in known.meanings().items() if meaning}
    leading = replace(leading, witness={**witness, **meanings})
    verdict = replace(finding.row.verdict, evidence=(leading, *finding.row.verdict.evidence[1:]))
    return replace(finding, row=replace(finding.row, verdict=verdict))


def meanings_of(encoder: Encoder | CallableMechanism) -> dict[str, Any]:
    """Return the meanings of codes in events, as those who encoded the outputs give them."""
    return {"labels": {str(code): label for code, label in encoder.labels.items()}, "forms": encoder.forms}


def evidence_in_words(evidence: Evidence, columns: Sequence[Column]) -> Evidence:
    """The evidence, with names and values of the output in its event; a replay's events are of recorded steps."""
    witness, statistics = dict(evidence.witness), dict(evidence.statistics)
    if "event" in witness:
        told, replayed = str(witness["event"]), "hidden_coin" in statistics
        witness["event"] = form_event_in_words(told) if replayed else event_in_words(told, columns)
    single = statistics.get("single_values")
    if single:
        statistics["single_values"] = {**single, "event": event_in_words(str(single["event"]), columns)}
    return replace(evidence, witness=witness, statistics=statistics)


def with_the_pair(finding: Finding, known: Known) -> Finding:
    """The pair that the user brought, in the witness as it was given."""
    return finding if known.pair is None else replace(finding, row=with_pair(finding.row, known.pair))


def unless_blind(finding: Finding, known: Known) -> Finding:
    """Inconclusive where more outputs than the draws could have caught have parts that were not compared."""
    leading = finding.row.verdict.leading
    undecided = finding.status in (Status.NOT_REFUTED, Status.INCONCLUSIVE)
    if not undecided or leading is None or not leading.trials or leading.excess > 0:
        return finding
    if known.blind <= (finding.row.rarest or BLIND):
        return finding
    reason = (
        f"{100 * known.blind:.2g} % of the outputs have a part that is known by its hash only and occurred once (a "
        "text, a large integer, a form that the first calls did not have), so no event could use it: return numbers as "
        "numbers, in outputs of one form, without random parts such as an id"
    )
    return finding.but(Status.INCONCLUSIVE, reason)


def unless_untested(finding: Finding, known: Known) -> Finding:
    """Inconclusive where scores were too few for any attack to refute the claim, or what was seen told nothing."""
    leading = finding.row.verdict.leading
    if finding.status is not Status.NOT_REFUTED:
        return finding
    too_few = leading is not None and not leading.statistics.get("could_refute", True)
    if too_few or known.saw_nothing:
        return finding.but(Status.INCONCLUSIVE, UNTESTED if too_few else known.saw_nothing)
    return finding


def unless_vacuous(finding: Finding, known: Known) -> Finding:
    """Inconclusive where nothing that was looked at could have refuted the claim."""
    status, evidence = finding.status, finding.row.verdict.evidence
    marked = status is Status.INCONCLUSIVE and any("vacuous" in each.statistics for each in evidence)
    if not evidence or not (status is Status.NOT_REFUTED or marked):
        return finding
    reasons = [_saw_nothing(each) for each in evidence]
    if not all(reasons):
        return finding
    ignored = known.ignores_data is not None and known.ignores_data()
    return finding.but(Status.INCONCLUSIVE, IGNORES if ignored else reasons[0])


def _saw_nothing(evidence: Evidence) -> str:
    """Why evidence could not have refuted; of scores a perfect attack counts, which `unless_untested` knows."""
    if "could_refute" in evidence.statistics:
        return ""
    return str(evidence.statistics.get("vacuous", "")) or why_vacuous(evidence)


def unless_confirmed(finding: Finding, known: Known) -> Finding:
    """Inconclusive where a refutation that must show twice does not show again."""
    if finding.status is not Status.REFUTED or known.again is None:
        return finding
    second = known.again()
    if second.status is Status.REFUTED:
        return finding.noting(Note(Kind.PLAIN, CONFIRMED))
    lead = finding.row.verdict.leading
    first = "" if lead is None else f" ({lead.measure.label()} >= {lead.bound:.4g})"
    reason = f"refuted once{first}, and not again with fresh draws, one call for each output ({second.status})"
    return second.but(Status.INCONCLUSIVE, reason)


def redacted_for_all(finding: Finding, known: Known) -> Finding:
    """Return the finding without the records of the user's example."""
    if known.hide is None:
        return finding
    what = "the witness without records of the example"
    hidden = known.tell(what, partial(redacted, finding.row, known.hide), None)
    return replace(finding, row=without_witness(finding.row) if hidden is None else hidden)


def certified_by_code(finding: Finding, known: Known) -> Finding:
    """Certified where the code was proved to meet the claim, unless the audit contradicts that."""
    row, proof = finding.row, finding.row.proof
    if proof is None:
        return finding
    if finding.status is Status.REFUTED or row.outside:
        said = any(note.kind is Kind.CONTRADICTED for note in finding.notes)
        return (
            finding
            if said
            else finding.noting(
                Note(Kind.CONTRADICTED, CONTRADICTED.format(**proof, rests="; ".join(proof["rests_on"])))
            )
        )
    status = beside_proof(finding.status, falls_outside=False)
    if status is finding.status:
        return finding
    notes = tuple(note for note in finding.notes if note.kind is not Kind.WEAK)  # nothing rests on what it could see
    return replace(finding.but(status, ""), notes=notes)


def unless_weak(finding: Finding, known: Known) -> Finding:
    """Inconclusive where a pass says too little, and that is not enough; what is known to be broken never passes."""
    passes = finding.status in (Status.NOT_REFUTED, Status.CERTIFIED, Status.INCONCLUSIVE)
    if not known.strict or known.expect == "broken" or not passes or not (short := shortfall(finding)):
        return finding
    return finding.but(Status.INCONCLUSIVE, finding.row.verdict.reason if _undecided(finding) else short)


def weighed(finding: Finding, known: Known) -> Finding:
    """Tell whether the verdict fails its suite, why that is accepted, and what the suite's author should know."""
    status = finding.status
    if known.expect is None:
        return finding
    if known.expect == "broken":
        return replace(finding, fails=status is not Status.REFUTED)
    fails = status in (Status.REFUTED, Status.ERROR, Status.UNSUPPORTED) or (known.strict and _undecided(finding))
    accepted, more = ("", "") if known.acceptance is None else known.acceptance(status)
    told = ["" if fails else shortfall(finding), more]
    return replace(finding, fails=fails, accepted=accepted, told=tuple(filter(None, told)))


def _undecided(finding: Finding) -> bool:
    return finding.status is Status.INCONCLUSIVE


def shortfall(finding: Finding) -> str:
    """Say in a line what a pass lacks; a full one lacks nothing.

    It is false outside of the example, saw nothing, less than was sought, or not all data.
    """
    row = finding.row
    claim, unseen = row.entry.claim, _unseen(finding)
    if not row.outside:
        return unseen
    return f"{claim.guarantee.text()} of {claim.subject} is {row.outside}" + (f"; {unseen}" if unseen else "")


def _unseen(finding: Finding) -> str:
    """Say what a pass did not see; empty where it saw all that it was to see."""
    leading, about = finding.row.verdict.leading, f"the audit of {finding.row.entry.claim.subject}"
    if _undecided(finding):
        return f"{about} decided nothing: {reason_inside(finding.row)}"
    if finding.status is not Status.NOT_REFUTED:
        return ""
    if left := next((note.text for note in finding.notes if note.kind in (Kind.RAISED, Kind.UNTRIED)), ""):
        return f"{about} left out data: {left}"
    if verdict_strength.depends_in_a_batch(finding.notes):
        return f"{about} is of single calls only, for draws of a batch depend on one another"
    if leading is None or not verdict_strength.missed(finding.status.value, leading.statistics, leading.detectable):
        return ""
    return (
        f"{about} would have detected {leading.measure.label()} = {leading.detectable:.4g} and was to detect "
        f"{leading.statistics['sought']:.4g}: give it more seconds, or a larger factor"
    )


def reason_inside(row: Row) -> str:
    """Why, beside what falls outside of the example."""
    return one_line(row.verdict.reason.removeprefix(row.outside).removeprefix("; "))


OF_AUDITS = (in_words, with_the_pair, unless_blind, unless_untested, unless_vacuous, redacted_for_all)
"""What was seen; where the audit ran. Words come before redaction, which takes records out of words."""

OF_SUITES = (unless_confirmed, certified_by_code, unless_weak, weighed)
"""What was asked; where that is known, after the notes are complete."""
