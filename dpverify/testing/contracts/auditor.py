"""The contract of an auditor: it is right as often as it says, and others can check what it found.

>>> from dpverify.testing import AuditorContract, check_auditor
>>> import dpverify as dpv
>>> check_auditor(dpv.registry().auditors.get("histogram"), audits=20)

The one statistical rule audits mechanisms at the exact boundary of their claims (`exact_boundaries`)
again and again. An auditor at error probability alpha refutes such a claim, or reports a bound above the truth, with
probability alpha at most; the rule is broken where P[Bin(audits, alpha) >= count] is below 1e-8. So a valid auditor
fails with probability below 1e-8 for each boundary. Limits: an auditor that never refutes anything keeps the contract:
what it finds is another question.
"""

from __future__ import annotations

import ast
import inspect
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scipy import stats

from dpverify.core.auditing import Auditor, Rechecks, Task
from dpverify.core.claim import Claim, Source
from dpverify.core.errors import DpverifyError, InputError, UnsupportedError
from dpverify.core.evidence import Evidence, Measure
from dpverify.core.json_text import dump
from dpverify.core.plugins import registry
from dpverify.core.subjects import HasOutputLaw
from dpverify.core.verdict import Status, judge
from dpverify.runner.plan import task_streams
from dpverify.runner.recheck import differences
from dpverify.runner.record import evidence_record, plain
from dpverify.sampling.streams import stream
from dpverify.testing.boundaries import Boundary, exact_boundaries
from dpverify.testing.contracts.rules import Rule, as_tests, check


@dataclass(frozen=True)
class AuditorCase:
    """An auditor, and how it is tried out."""

    auditor: Auditor
    """The one to check."""
    boundaries: tuple[Boundary, ...]
    alpha: float
    trials: int
    audits: int
    seed: int
    """`alpha`, `trials`, `audits`, `seed`: error probability and draws a side of each audit; audits of each boundary;
    seed of all."""

    @property
    def name(self) -> str:
        """The auditor's name, as far as it has one."""
        return str(getattr(self.auditor, "name", type(self.auditor).__name__))

    @property
    def examined(self) -> list[Boundary]:
        """The boundaries that the auditor does not refuse, with this number of draws."""
        return [boundary for boundary in self.boundaries if self._examines(boundary)]

    def task(self, boundary: Boundary, repetition: int = 0) -> Task:
        """One audit to do, on streams of its own."""
        names = ("contract", self.name, boundary.name, repetition)
        return Task(
            claim=Claim(
                id=f"boundary-{boundary.name}",
                guarantee=boundary.guarantee,
                relation=boundary.neighbors.relation,
                subject=boundary.name,
                source=Source(paper="contract", locus=""),
                parameters=boundary.parameters,
                space=boundary.space,
            ),
            build=lambda **_searched: boundary.subject,
            neighbors=boundary.neighbors,
            alpha=self.alpha,
            trials=self.trials,
            stream=task_streams(self.seed, *names),
            seed=int(stream(self.seed, *names, "number").integers(2**31)),
        )

    def exceeds(self, boundary: Boundary, evidence: Evidence) -> bool:
        """Tell whether the evidence refutes the claim, or its bound is above the truth."""
        return judge(evidence) is Status.REFUTED or evidence.bound > _truth(boundary, evidence.measure)

    def _examines(self, boundary: Boundary) -> bool:
        task, lacks = self.task(boundary), getattr(self.auditor, "lacks", None)
        if self.auditor.refuses(task) is not None:
            return False
        try:
            return lacks is None or lacks(task) is None
        except InputError:
            return False


def _truth(boundary: Boundary, measure: Measure) -> float:
    """The measure's true value on the boundary's pair, never below it; inf where no law knows it."""
    subject: Any = boundary.subject
    if measure.kind not in ("epsilon", "delta", "renyi") or not isinstance(subject, HasOutputLaw):
        return math.inf
    (pair,) = boundary.neighbors.candidates(boundary.space, limit=1, rng=stream(0, "truth"))
    laws = subject.output_law(pair.d0).against(subject.output_law(pair.d1))
    try:
        return max(float(getattr(side, measure.kind)(measure.argument).upper) for side in (laws, laws.swap()))
    except UnsupportedError:
        return math.inf


TOO_RARE = 1e-8
"""Binomial upper tails below this convict: the false-alarm probability of the rule, for each boundary."""


def says_who_it_is(case: AuditorCase) -> str:
    """It has a name without spaces, a version, and says whether it spends false-alarm probability."""
    auditor: Any = case.auditor
    if not isinstance(auditor, Auditor):
        missing = [
            name for name in ("name", "version", "statistical", "refuses", "audit") if not hasattr(auditor, name)
        ]
        return f"{case.name} is no Auditor: it lacks {', '.join(missing)}"
    if not auditor.name or auditor.name != "-".join(auditor.name.split()):
        return f"name {auditor.name!r}: a registry name without spaces is needed"
    if not isinstance(auditor.version, str) or not auditor.version:
        return f"{auditor.name} has the version {auditor.version!r}: a text is needed"
    return "" if isinstance(auditor.statistical, bool) else f"{auditor.name}.statistical is {auditor.statistical!r}"


def refuses_in_one_line(case: AuditorCase) -> str:
    """A refusal is one line; some boundary is not refused."""
    for boundary in case.boundaries:
        reason = case.auditor.refuses(case.task(boundary))
        if reason is not None and (not isinstance(reason, str) or not reason or "\n" in reason):
            return f"{case.name} refuses {boundary.name} with {reason!r}: one line that says why is needed"
    if case.examined:
        return ""
    names = ", ".join(boundary.name for boundary in case.boundaries)
    return f"{case.name} examines none of {names} with {case.trials} draws: pass boundaries of its own, or more trials"


def same_seed_same_evidence(case: AuditorCase) -> str:
    """The same task gives the same evidence to the bit."""
    for boundary in case.examined:
        found = (case.auditor.audit(case.task(boundary)) for _ in range(2))
        first, second = (plain({**evidence_record(each), "seconds": 0.0}) for each in found)
        if dump(first) != dump(second):
            differ = sorted(name for name in first if dump(first[name]) != dump(second[name]))
            return (
                f"{case.name} gave other evidence on {boundary.name} from the same seed ({', '.join(differ)}): draw "
                "from task.stream alone"
            )
    return ""


def evidence_is_plain_and_its_own(case: AuditorCase) -> str:
    """Evidence names the claim, the auditor and its version, keeps to alpha, and is written as JSON."""
    for boundary in case.examined:
        task = case.task(boundary)
        found = case.auditor.audit(task)
        if (found.claim, found.auditor) != (task.claim.id, case.name):
            return (
                f"{case.name} signs its evidence as {found.auditor} on {found.claim}: not as itself on {task.claim.id}"
            )
        if found.confidence is not None and found.confidence < 1.0 - case.alpha - 1e-12:
            asked = f"{1.0 - case.alpha:g} was asked for"
            return f"{case.name} has confidence {found.confidence:g} on {boundary.name}: {asked}"
        if case.auditor.statistical and found.confidence is None:
            return f"{case.name} is statistical, and its evidence on {boundary.name} has no confidence"
        try:
            json.dumps([found.statistics, found.witness, found.picture])
        except (TypeError, ValueError) as problem:
            return f"{case.name} has evidence on {boundary.name} that is no plain JSON: {problem}"
    return ""


def evidence_can_be_rechecked(case: AuditorCase) -> str:
    """A statistical auditor computes its bound again from the counts in its evidence, and gets the same."""
    if not case.auditor.statistical:
        return ""
    if not isinstance(case.auditor, Rechecks):
        return f"{case.name} counts draws and has no method recheck: nobody could check its records"
    for boundary in case.examined:
        found = case.auditor.audit(case.task(boundary))
        try:
            differ = differences(found, case.auditor.recheck(boundary.guarantee, found))
        except DpverifyError as problem:
            differ = [str(problem)]
        if differ:
            return f"{case.name} does not get its evidence on {boundary.name} again: {differ[0]}"
    return ""


def refutes_what_is_true_no_more_often_than_alpha(case: AuditorCase) -> str:
    """It refutes mechanisms at the boundary of their claims no more often than alpha; false-alarm probability 1e-8."""
    for boundary in case.examined if case.auditor.statistical else []:
        evidence = (case.auditor.audit(case.task(boundary, repetition)) for repetition in range(case.audits))
        count = sum(case.exceeds(boundary, each) for each in evidence)
        tail = float(stats.binom.sf(count - 1, case.audits, case.alpha))
        if tail < TOO_RARE:
            return (
                f"{case.name} was wrong on {boundary.name} in {count} of {case.audits} audits at alpha = {case.alpha:g}"
                f": a valid auditor is so with probability {tail:.2g}"
            )
    return ""


def names_no_subject(case: AuditorCase) -> str:
    """The auditor's source names no registered mechanism or claim: it must treat all alike."""
    known = registry()
    subjects = {*known.mechanisms, *known.known_broken, *known.lemmas, *known.claims, *known.entries}
    path = inspect.getsourcefile(type(case.auditor))
    named = sorted(_strings(Path(path).read_text()) & subjects) if path and Path(path).is_file() else []
    return f"{case.name} names the subject {named[0]!r} in its source: an auditor must treat all alike" if named else ""


def _strings(source: str) -> set[str]:
    """String constants that are data: no docstrings."""
    tree = ast.parse(source)
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    constants = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in prose)
    return {node.value for node in constants if isinstance(node.value, str)}


RULES: tuple[Rule[AuditorCase], ...] = (
    says_who_it_is,
    refuses_in_one_line,
    same_seed_same_evidence,
    evidence_is_plain_and_its_own,
    evidence_can_be_rechecked,
    refutes_what_is_true_no_more_often_than_alpha,
    names_no_subject,
)


ALPHA, TRIALS, AUDITS = 0.2, 2_000, 100
"""Of each audit: its error probability and its draws a side; and audits of each boundary."""


def check_auditor(
    auditor: Auditor,
    *,
    boundaries: Sequence[Boundary] | None = None,
    alpha: float = ALPHA,
    trials: int = TRIALS,
    audits: int = AUDITS,
    seed: int = 0,
) -> None:
    """Check that an auditor keeps the contract.

    Parameters
    ----------
    auditor : Auditor
        Any; the rules on counts are for statistical ones.
    boundaries : sequence of Boundary or None
        Mechanisms at the exact boundary of their claims; None for the usual ones. One that it refuses is left out.
    alpha, trials : float, int
        Error probability and draws a side of each audit.
    audits : int
        Of each boundary, at least 12 for alpha = 0.2 (fewer could convict nobody).
    seed : int
        Of all audits.

    Raises
    ------
    AssertionError
        One line: the first rule that is broken.
    """
    found = exact_boundaries() if boundaries is None else boundaries
    check(RULES, AuditorCase(auditor, tuple(found), alpha=alpha, trials=trials, audits=audits, seed=seed))


@as_tests(RULES)
class AuditorContract:
    """Tests to inherit: one for each rule.

    Attributes
    ----------
    auditor : Auditor
        The one to check.
    boundaries : sequence of Boundary or None
        As for `check_auditor`.
    alpha, trials, audits, seed : float, int, int, int
        As for `check_auditor`.
    """

    auditor: Any = None
    boundaries: Sequence[Boundary] | None = None
    alpha: float = ALPHA
    trials: int = TRIALS
    audits: int = AUDITS
    seed: int = 0

    def case(self) -> AuditorCase:
        """The case that the rules look at."""
        if self.auditor is None:
            raise AssertionError(f"{type(self).__name__} lacks an auditor: set auditor = ...")
        found = exact_boundaries() if self.boundaries is None else self.boundaries
        return AuditorCase(
            self.auditor, tuple(found), alpha=self.alpha, trials=self.trials, audits=self.audits, seed=self.seed
        )
