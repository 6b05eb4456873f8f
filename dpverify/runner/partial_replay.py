"""Repeats a small part of a row: the same streams and methods at a small budget, compared to the bit.

Runs are reproducible and streams are named, so code that has changed without changing what it computes gives the very
same bits. That is what a record's part is for: it is made when the record is made, and again when the code that decided
the record is no longer the same. Side of the error: other bits prove a change; the same bits prove none, since a branch
that only the whole audit takes may lie beyond the part. Bits are those of one kind of machine and one set of packages.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from dpverify.core.auditing import Auditor, Task
from dpverify.core.claim import Claim
from dpverify.core.errors import DpverifyError, one_line
from dpverify.core.evidence import Evidence
from dpverify.runner.plan import task_streams
from dpverify.runner.record import plain
from dpverify.runner.thread_limits import one_thread

DRAWS, EFFORT = 2_000, 0.02
"""Draws a side and effort of a part; more draws where an auditor refuses so few."""

ALPHA = 0.001
"""The part's own error probability: the share of a row's own follows from how many rows there are."""

MORE = 8
"""Times as many draws, until the auditor takes them or the whole task has no more."""


def bits(evidence: Evidence) -> str:
    """All that the audit found, to the last bit, without what the clock said."""
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
def part(task: Task, auditors: Iterable[Auditor], witnesses: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """The part of a row in which these auditors speak: its digest, and in words what it is.

    Parameters
    ----------
    task : Task
        Of the whole row.
    auditors : iterable of Auditor
        Each makes a small audit of its own, from the streams of the row.
    witnesses : mapping
        By auditor, what its record holds as a witness: an exact method computes that point again.
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
    """The bits of an audit, or the line of the error that it ends with."""
    while True:
        try:
            return bits(auditor.audit(task))
        except DpverifyError as problem:
            if not auditor.statistical or task.trials >= most:
                return one_line(str(problem))
        task = replace(task, trials=min(MORE * task.trials, most))


def _at_witness(claim: Claim, witness: Mapping[str, Any]) -> Iterator[Claim]:
    """The claim at the parameters of the witness alone."""
    searched = {name: value for name, value in witness.get("parameters", {}).items() if name in claim.space.parameters}
    if searched:
        yield replace(
            claim,
            guarantee=claim.guarantee_at(searched),
            parameters={**claim.parameters, **searched},
            space=claim.space.stated(),
        )
