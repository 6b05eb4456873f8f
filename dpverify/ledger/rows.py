"""The ledger's rows as records: the catalogue, each registered claim's readings, and what evidence said of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

from dpverify.core.claim import Claim
from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.suite import SuiteEntry
from dpverify.core.verdict import Status, Verdict
from dpverify.ledger import store
from dpverify.ledger.catalogue import PAPERS, CatalogueRow, catalogue
from dpverify.runner.execute import Watcher, execute
from dpverify.runner.plan import make_plan
from dpverify.runner.record import SCHEMA_VERSION, record
from dpverify.runner.row import Row

SUITE = "papers"
SAME = ("guarantee", "subject", "parameters", "relation", "space")
"""What a kept record must share with its claim; otherwise it is the record of another claim."""


def ledger_records(
    registry: Registry,
    *,
    paper: str | None = None,
    id: str | None = None,
    rerun: bool = False,
    profile: str = "quick",
    jobs: int = 1,
    seed: int = 0,
    out: Path | None = None,
    watch: Callable[[int], AbstractContextManager[Watcher]] | None = None,
) -> list[dict[str, Any]]:
    """The rows asked for, in the papers' order.

    Without `rerun` the committed records are shown; a claim without one (or with a stale one) is
    ``unsupported`` and says so. A row of the
    catalogue that is no Claim in code yet is ``unsupported``.

    Raises
    ------
    InputError
        For an unknown paper or id.
    """
    if paper is not None and paper not in PAPERS:
        raise InputError(f"--paper {paper!r}", allowed=", ".join(PAPERS))
    rows = [row for row in _rows(registry) if (paper is None or row[1].paper == paper) and _named(row, id)]
    if not rows:
        raise InputError(f"--id {id!r}", allowed="an id that `dpverify ledger` shows", remedy="ids are upper case")
    fresh = _decide(registry, rows, profile=profile, jobs=jobs, seed=seed, watch=watch) if rerun else {}
    records = [_shown(claim, row, fresh) for claim, row in rows]
    if out is not None:
        store.write_records([item for item in records if item["id"] in fresh], out)
    return records


def _rows(registry: Registry) -> Iterator[tuple[Claim | None, CatalogueRow]]:
    """Each catalogue row with its claim's readings; a repaired claim (``-R``) follows its original."""
    known = dict(registry.claims.items())
    listed = {row.id for row in catalogue()}
    for row in catalogue():
        if row.id in known:
            yield from ((single, row) for single in known[row.id].single())
        else:
            yield None, row
        for name, claim in known.items():
            if name not in listed and name.startswith(f"{row.id}") and _base(name, listed) == row.id:
                yield from ((single, row) for single in claim.single())


def _base(name: str, listed: set[str]) -> str:
    """The longest catalogue id that `name` begins with."""
    return max((other for other in listed if name.startswith(other)), key=len, default="")


def _named(row: tuple[Claim | None, CatalogueRow], id: str | None) -> bool:
    claim, catalogued = row
    return id is None or id in (catalogued.id, claim.id if claim else None)


def _decide(
    registry: Registry,
    rows: Sequence[tuple[Claim | None, CatalogueRow]],
    *,
    profile: str,
    jobs: int,
    seed: int,
    watch: Callable[[int], AbstractContextManager[Watcher]] | None,
) -> dict[str, dict[str, Any]]:
    ids = {claim.id for claim, _ in rows if claim is not None}
    # The plan is made over the whole ledger, so that a row's share of the false-alarm budget is always the same.
    entries = [
        entry
        for _, entry in registry.entries.items()
        if SUITE in entry.suites and (profile == "full" or entry.profile == "quick")
    ]
    plan = make_plan(registry, entries, suite=SUITE, profile=profile, seed=seed)
    units = [unit for unit in plan.units if unit.entry.claim.id in ids]
    plan = replace(plan, units=tuple(units))
    if watch is None:
        found = execute(plan, jobs=jobs, backend="processes")
    else:
        with watch(len(units)) as watcher:
            found = execute(plan, jobs=jobs, backend="processes", watcher=watcher)
    return {row.id: record(row) for row in found}


def _shown(claim: Claim | None, row: CatalogueRow, fresh: dict[str, dict[str, Any]]) -> dict[str, Any]:
    if claim is None:
        return _unsupported(row)
    if claim.id in fresh:
        return fresh[claim.id]
    kept, asked = store.read_record(claim.id), record(_undecided(claim))
    if kept is None:
        return asked
    changed = [name for name in SAME if kept.get(name) != asked[name]]
    if changed:
        return asked | {"reason": f"its record is stale (another {', '.join(changed)}): decide it with --rerun"}
    return kept


def _undecided(claim: Claim) -> Row:
    return Row(
        entry=SuiteEntry(claim=claim),
        verdict=Verdict(claim=claim, status=Status.UNSUPPORTED, reason="not decided yet: decide it with --rerun"),
        seconds=0.0,
        seed=0,
        reproduce=f"dpverify ledger --id {claim.id} --rerun",
    )


def _unsupported(row: CatalogueRow) -> dict[str, Any]:
    return {
        "schema": SCHEMA_VERSION,
        "id": row.id,
        "source": f"{row.paper} {row.locus}",
        "statement": row.claim,
        "guarantee": "",
        "subject": "",
        "parameters": {},
        "relation": row.relation,
        "space": {},
        "verdict": str(Status.UNSUPPORTED),
        "reason": "no claim in code yet",
        "method": None,
        "measure": "",
        **dict.fromkeys(("bound", "claimed", "tightness", "excess", "confidence", "error", "proved"), None),
        **dict.fromkeys(("estimate", "detectable", "ceiling", "witness"), None),
        "trials": 0,
        "seconds": 0.0,
        "seed": 0,
        "reproduce": f"dpverify ledger --id {row.id} --rerun",
        "expectation": None,
        "surprise": None,
        "evidence": [],
        "environment": {},
    }
