"""An audit of one callable, made ready: its settings checked and completed, its data, its one unit and its plan.

Of an example that is too large to be audited in seconds, a sample is audited. A claim about one record more or less
holds for data sets of every size, so a part of an example is an example, too. Under other relations the size is public,
and a mechanism may know it: there no part is taken.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.adapters.bound import bound
from dpverify.adapters.callable_mechanism import CallableMechanism
from dpverify.adapters.time_limit import TimeLimit
from dpverify.audits.asked import RARE
from dpverify.audits.callable_audit import CallableAudit
from dpverify.audits.question import Question, check_number
from dpverify.core.auditing import Task
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.registry import Registry
from dpverify.core.subjects import Guarantee
from dpverify.core.suite import SuiteEntry
from dpverify.datasets.neighbors.relation import keeps_size
from dpverify.definitions.claims import guarantee_of
from dpverify.neighbourhood.goal import sought_factor, with_goal
from dpverify.neighbourhood.neighbourhood import Neighbourhood, of_example, of_pair
from dpverify.neighbourhood.outside import DOMAINS
from dpverify.neighbourhood.saved_failures import with_saved_failures
from dpverify.programs.command import PROGRAM, Command
from dpverify.programs.mechanism import CommandMechanism
from dpverify.runner.plan import Plan, check_confidence, check_draws, chosen_auditors, task_streams, unit_for
from dpverify.sampling.streams import stream

DEFAULT_TRIALS = 200_000
"""Draws a side on a pair that the user brings."""

DEFAULT_SECONDS = 30.0
"""Of an audit that finds its neighbours."""

LONGEST_CALL = 60.0
"""Seconds of one call, at least, where draws are to fit into seconds: what hangs cannot be audited in them."""


def settle(question: Question) -> CallableAudit:
    """The audit that answers a question, ready to begin: all that is wrong with it is said here, before any draw."""
    confidence = question.sure()
    check_confidence(confidence)
    check_draws(question.trials)
    seconds = DEFAULT_SECONDS if question.seconds is None else question.seconds
    if not check_number("seconds", seconds) > 0:
        raise InputError(f"seconds = {seconds}", allowed="a number above 0")
    known = registry()
    guarantee = guarantee_of(question.claim)
    limit = _limit(question, seconds)
    question, place, sampled = _placed(question, known)
    subject = _subject(question, limit)
    claim = _claim(question, guarantee, subject, place)
    asked, made = _methods(question), question.data is not None
    gated = asked is not None and [*asked] == ["gate"]
    rare = question.rare
    if rare is not None and (not gated or not 0.0 <= rare <= 0.5):
        raise InputError(f"rare = {rare:g}", allowed="a number in [0, 0.5], where the gate audits")
    if gated and all(each is None for each in (question.seconds, question.trials, question.detect, rare)):
        rare = RARE
    if made and question.sequential and question.detect is None:
        question = replace(question, detect=sought_factor(guarantee.measures()[0]))
    task = Task(
        claim=claim,
        build=lambda **_searched: subject,
        neighbors=place.generator,
        alpha=1 - confidence,
        trials=question.trials or DEFAULT_TRIALS,
        stream=task_streams(question.seed, claim.stream_name),
        seed=question.seed,
    )
    unit = unit_for(SuiteEntry(claim=claim, suites=()), task, chosen_auditors(known, asked))
    saved = None if question.sequential or question.regressions is None else Path(question.regressions)
    return CallableAudit(
        question=replace(question, rare=rare),
        subject=subject,
        place=place,
        plan=Plan.of_unit(
            with_saved_failures(with_goal(unit, question.detect, rare=rare), saved),
            confidence=confidence,
            suite="audit",
        ),
        limit=limit,
        seconds=seconds if (made or gated) and question.trials is None else None,
        sampled=sampled,
    )


def _limit(question: Question, seconds: float) -> TimeLimit:
    """The limits of the whole and of a call; where draws are to fit into seconds, a call has one of its own."""
    per_call = question.max_seconds_per_call
    unlimited = all(each is None for each in (question.trials, question.max_seconds, per_call))
    if question.data is not None and unlimited and seconds < math.inf:
        per_call = max(LONGEST_CALL, 2.0 * seconds)
    return TimeLimit(seconds=question.max_seconds, per_call=per_call)


def _placed(question: Question, known: Registry) -> tuple[Question, Neighbourhood, str]:
    """The question with the part of its example that is audited, where to look, and a line on that part."""
    if question.domain not in DOMAINS:
        raise InputError(f"domain {question.domain!r}", allowed=", ".join(DOMAINS))
    of_records = {"records": question.records, "bounds": question.bounds, "unit": question.unit}
    d0, d1, relation = question.d0, question.d1, question.relation
    if question.data is None:
        stated = None if question.domain == "example" else question.domain
        _check_pair(d0, d1, {**of_records, "domain": stated, "regressions": question.regressions})
        return question, of_pair(d0, d1, relation=relation, known=known), ""
    if d0 is not None or d1 is not None:
        raise InputError("data beside d0 and d1", allowed="one example, or a pair", remedy="leave one of them out")
    data, sampled = sample_of(question.data, relation=relation, seed=question.seed)
    return replace(question, data=data), of_example(data, relation=relation, **of_records), sampled


def _subject(question: Question, limit: TimeLimit) -> CallableMechanism:
    """The mechanism with its parameters, in the form that auditors examine."""
    mechanism, program = question.mechanism, isinstance(question.mechanism, Command)
    if question.parameters and program:
        raise InputError("parameters with a command", allowed="a callable with them; a command says how it is started")
    kind = CommandMechanism if program else CallableMechanism
    return kind(bound(mechanism, question.parameters), call=question.call, on_error=question.on_error, limit=limit)


def _claim(question: Question, guarantee: Guarantee, subject: CallableMechanism, place: Neighbourhood) -> Claim:
    known_as, program = (question.name or subject.name).replace(" ", "-"), question.mechanism
    return Claim(
        id=known_as,
        streams=known_as.rpartition(":")[2],  # the command line names the module, too, and draws the same
        guarantee=guarantee,
        relation=place.relation,
        subject=program.text if isinstance(program, Command) else subject.name,
        source=Source(paper="user", locus=PROGRAM if isinstance(program, Command) else ""),
        space=SearchSpace(),
    )


def _check_pair(d0: Any, d1: Any, settings: Mapping[str, Any]) -> None:
    """InputError where there is neither an example nor a pair, or a setting of examples with a pair."""
    if d0 is None or d1 is None:
        raise InputError(
            "no data", allowed="data=EXAMPLE, one example data set", remedy="or the two data sets of a pair: d0, d1"
        )
    used = [name for name, value in settings.items() if value is not None]
    if used:
        raise InputError(f"{', '.join(used)} beside d0 and d1", allowed="these settings with data=EXAMPLE only")


def _methods(question: Question) -> Sequence[str] | None:
    """The auditors' names; InputError where the options contradict one another."""
    methods, pooled = question.methods, question.evidence_file is not None
    if question.sequential:
        if methods is not None and set(methods) != {"sequential"}:
            raise InputError(f"sequential with the methods {', '.join(methods)}", allowed="one or the other")
        return ["sequential"]
    if question.data is not None and methods is None and not pooled:
        return ["gate"]
    gated = methods is not None and set(methods) == {"gate"}
    if pooled or (question.detect is not None and not gated):
        raise InputError(
            "detect or an evidence file without a sequential audit",
            allowed="both only where the audit may stop at any time",
            remedy="add sequential=True (--sequential)",
        )
    return methods


MOST = 100_000
"""Records."""


def sample_of(data: Any, *, relation: str | None, seed: int) -> tuple[Any, str]:
    """The example, or `MOST` of its records in their order, drawn by the seed; and a line where it is not the whole.

    InputError for more records under a relation of neighbours of one size.
    """
    size = _size(data)
    if size <= MOST:
        return data, ""
    if relation is not None and keeps_size(relation):
        raise InputError(
            f"data: {size} records under {relation}, whose neighbours have the example's size",
            allowed=f"at most {MOST}",
            remedy="pass a part of them, and the mechanism's parameters for that size",
        )
    places = np.sort(stream(seed, "records of the example").choice(size, MOST, replace=False))
    return _taken(data, places), f"of {size} records {MOST} were taken, drawn by the seed: an example needs no more"


def _size(data: Any) -> int:
    """Records; 0 where the data are of no known kind, and refused later."""
    parts = data.values() if isinstance(data, Mapping) else data if _is_arrays(data) else [data]
    sizes = [len(part) if hasattr(part, "__len__") else 0 for part in parts]
    return sizes[0] if len(set(sizes)) == 1 else 0


def _taken(data: Any, places: NDArray[np.int64]) -> Any:
    if isinstance(data, Mapping):
        return {name: _taken(column, places) for name, column in data.items()}
    if _is_arrays(data):
        return tuple(_taken(part, places) for part in data)
    if isinstance(data, list | tuple):
        return type(data)([data[place] for place in places.tolist()])
    if hasattr(data, "iloc"):  # of pandas
        return data.iloc[places]
    if isinstance(data, np.ndarray):
        return data[places]
    return data.take(places) if hasattr(data, "take") else data[places.tolist()]  # of Arrow, of polars


def _is_arrays(data: Any) -> bool:
    return isinstance(data, tuple) and len(data) == 2 and all(isinstance(part, np.ndarray) for part in data)
