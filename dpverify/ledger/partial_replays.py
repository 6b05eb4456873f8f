"""The small parts of ledger rows that records carry: the same streams and methods at a small budget, compared to the
bit.

Runs are reproducible, so code that was changed without changing its results gives the same bits. A part is computed
when a record is made, and again when the code behind the record has changed. Side of the error: different bits prove a
change of results; equal bits do not exclude one, since the whole audit may take branches that the part does not. Bits
are compared on one kind of machine with one set of packages.

Rows that are decided are taken from the plan of the whole ledger: so a row's share of the false-alarm budget is always
the same, whichever rows they are. A part has a share of its own.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import joblib

from dpverify.core.auditing import Auditor, Task
from dpverify.core.claim import Claim
from dpverify.core.errors import DpverifyError, one_line
from dpverify.core.evidence import Evidence
from dpverify.core.plugins import registry as installed
from dpverify.core.record import Record
from dpverify.core.registry import Registry
from dpverify.runner.plan import Plan, make_plan, suite_plan, task_streams
from dpverify.runner.record import plain
from dpverify.runner.thread_limits import one_thread


def with_parts(registry: Registry, records: Mapping[str, Record], *, jobs: int) -> dict[str, Record]:
    """The records, each with its part in ``code``; those in which nothing was decided stay as they are."""
    decided = {name: item for name, item in records.items() if item["evidence"]}
    made = parts(registry, decided.values(), jobs=jobs)
    return {
        name: {**item, "code": {**item["code"], "part": made[name]}} if name in made else item
        for name, item in records.items()
    }


def parts(registry: Registry, records: Iterable[Record], *, jobs: int) -> dict[str, dict[str, str]]:
    """The part of each record's row, made now, by id."""
    todo = sorted(records, key=lambda item: -item["seconds"])  # what lasts long is begun first
    if jobs == 1 or len(todo) < 2 * jobs or registry is not installed():
        made = [_part(registry, item) for item in todo]
    else:
        made = joblib.Parallel(n_jobs=jobs, batch_size=1)(joblib.delayed(_part_there)(_short(item)) for item in todo)
    return {item["id"]: found for item, found in zip(todo, made, strict=True)}


def _short(item: Record) -> dict[str, Any]:
    """Return the part of a record that `_part` reads."""
    evidence = [{"auditor": each["auditor"]} for each in item["evidence"]]
    return {"id": item["id"], "seed": item["seed"], "evidence": evidence, "witness": item["witness"]}


def _part_there(item: Record) -> dict[str, str]:
    """`_part` in a worker process, with the code that is installed there."""
    return _part(installed(), item)


def _part(registry: Registry, item: Record) -> dict[str, str]:
    entry = registry.entries.get(item["id"])  # alone: the others' plan takes seconds, and sets the share of a row alone
    (unit,) = make_plan(registry, [entry], **_words(registry, profile="full", seed=item["seed"])).units
    spoke = [each["auditor"] for each in item["evidence"]]
    auditors = [auditor for auditor in unit.auditors if auditor.name in spoke]
    return partial_replay(unit.task, auditors, {spoke[0]: item["witness"] or {}})


SUITE = "papers"


def ledger_plan(registry: Registry, *, profile: str, seed: int) -> Plan:
    """All rows that the profile has."""
    return suite_plan(registry, **_words(registry, profile=profile, seed=seed))


def _words(registry: Registry, *, profile: str, seed: int) -> dict[str, Any]:
    described = registry.suite(SUITE)
    return {
        "suite": SUITE,
        "profile": profile,
        "seed": seed,
        "confidence": described.confidence,
        "trials": described.trials,
        "methods": described.methods,
    }


DRAWS, EFFORT = 2_000, 0.02
"""Draws a side and search effort of a partial replay; more draws where an auditor refuses so few."""

ALPHA = 0.001
"""The false-alarm probability of the partial replay: fixed, since a row's share depends on how many rows a run has."""

MORE = 8
"""Factor by which the draws grow until the auditor accepts them, or the draws of the whole task are reached."""


def exact_numbers(evidence: Evidence) -> str:
    """All numbers of the evidence as exact text, without running times."""
    found = dataclasses.asdict(evidence)
    for name in ("claim", "seconds", "seed", "version"):
        del found[name]
    return json.dumps(plain(found), sort_keys=True)


def digest_of(parts: Iterable[str]) -> str:
    """Digest of a partial replay's numbers, 16 hexadecimal digits."""
    found = hashlib.sha256()
    for part in parts:
        found.update(f"{len(part)}:{part}\n".encode())
    return found.hexdigest()[:16]


@one_thread()
def partial_replay(
    task: Task, auditors: Iterable[Auditor], witnesses: Mapping[str, Mapping[str, Any]]
) -> dict[str, str]:
    """Make the partial replay of a row by these auditors: its digest, and a description in words.

    Parameters
    ----------
    task : Task
        The task of the whole row.
    auditors : iterable of Auditor
        Each makes a small audit from the row's random streams.
    witnesses : mapping
        By auditor, the witness in the record; an exact method computes its value again.
    """
    found, words = [], []
    for auditor in auditors:
        small = replace(
            task,
            stream=task_streams(task.seed, task.claim.stream_name, auditor.name),
            effort=EFFORT,
            trials=min(DRAWS, task.trials),
            numbers=None,
            alpha=ALPHA,
        )
        found.append(_audit(auditor, small, most=task.trials))
        told = f"{auditor.name}: a search at {EFFORT:g} of the usual effort"
        if auditor.statistical:
            told = f"{auditor.name}: the first draws, a few thousand a side"
        else:
            for claim in _at_witness(task.claim, witnesses.get(auditor.name, {})):
                found.append(_audit(auditor, replace(small, claim=claim), most=task.trials))
                told += " and the witness"
        words.append(told)
    return {"compared": "; ".join(words), "digest": digest_of(found)}


def _audit(auditor: Auditor, task: Task, *, most: int) -> str:
    """The exact numbers of an audit, or the error line that it ends with."""
    while True:
        try:
            return exact_numbers(auditor.audit(task))
        except DpverifyError as problem:
            if not auditor.statistical or task.trials >= most:
                return one_line(str(problem))
        task = replace(task, trials=min(MORE * task.trials, most))


def _at_witness(claim: Claim, witness: Mapping[str, Any]) -> Iterator[Claim]:
    """The claim restricted to the witness's parameters."""
    searched = {name: value for name, value in witness.get("parameters", {}).items() if name in claim.space.parameters}
    if searched:
        yield replace(
            claim,
            guarantee=claim.guarantee_at(searched),
            parameters={**claim.parameters, **searched},
            space=claim.space.stated(),
        )
