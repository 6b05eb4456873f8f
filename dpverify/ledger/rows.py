"""The ledger's rows as records: what papers say, the readings of the claims that decide it, and what evidence said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dpverify.core.claim import Claim
from dpverify.core.errors import InputError, one_line
from dpverify.core.ledger_words import LedgerRow, Objection
from dpverify.core.record import Record
from dpverify.core.registry import Registry
from dpverify.core.suite import SuiteEntry
from dpverify.core.verdict import Status, Verdict
from dpverify.ledger import committed_records
from dpverify.ledger.decide import Decided, Rerun, reproduce, rerun_rows, with_current_names
from dpverify.ledger.measured_replays import refresh_measured
from dpverify.ledger.refresh import refresh
from dpverify.ledger.stale import State, other_claim, state
from dpverify.ledger.utility_records import command, is_measured
from dpverify.runner.record import SCHEMA_VERSION, claim_record, plain, record
from dpverify.runner.row import Row
from dpverify.runner.thread_limits import one_thread

Listed = tuple[Claim | None, LedgerRow]

_UNDECIDED = "not examined yet: examine it with --rerun"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The rows that are wanted: those that agree with all that is not None."""

    paper: str | None = None
    """Whose rows."""
    id: str | None = None
    """A row of a paper with all its claims' readings, or one of these."""
    verdict: str | None = None
    """What their records say now, ``unsupported`` for those without one."""
    relation: str | None = None
    """As the claim has it, such as ``add-remove``."""

    def __post_init__(self) -> None:
        if self.verdict is not None and self.verdict not in set(Status):
            raise InputError(f"--verdict {self.verdict!r}", allowed=", ".join(Status))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """Records in the papers' order; how many an interruption left, how many the profile does not decide, and what a
    refresh did, in a line."""

    records: list[Record]
    left: int = 0
    skipped: int = 0
    refreshed: str = ""


def ledger_records(registry: Registry, wanted: Wanted | None = None, *, rerun: Rerun | None = None) -> list[Record]:
    """The rows asked for, in the papers' order, from their committed records or decided now; see `ledger_rows`."""
    return ledger_rows(registry, wanted, rerun=rerun).records


def ledger_rows(
    registry: Registry, wanted: Wanted | None = None, *, rerun: Rerun | None = None, refreshing: bool = False
) -> Ledger:
    """The rows asked for, in the papers' order, and what became of those that were to be decided.

    Without `rerun` the committed records are shown; a claim without one (or with that of another claim) is
    ``unsupported`` and says so, as is a row that no claim decides yet. Each has an entry ``ledger`` with its paper, its
    row, why it is stale, if it is, what of it was replayed, if it was, and what the authors would say to it, if it is
    refuted.

    With `rerun` all of them are decided again; with `refreshing` too, only those of which a small part does not come
    out the same.

    InputError for a paper, an id, a verdict or a relation that no row has.
    """
    wanted = wanted or Wanted()
    papers = paper_names(registry)
    if wanted.paper is not None and wanted.paper not in papers:
        raise InputError(f"--paper {wanted.paper!r}", allowed=", ".join(papers))
    rows = [row for row in _rows(registry) if wanted.paper in (None, row[1].paper) and _named(row, wanted.id)]
    rows.sort(key=lambda row: papers.index(row[1].paper))
    if not rows:
        raise InputError(
            f"--id {wanted.id!r}{f' of {wanted.paper}' if wanted.paper else ''}",
            allowed="an id that `dpverify ledger` shows",
            remedy="ids are upper case",
        )
    known = sorted({_relation(row) for row in rows})
    if wanted.relation is not None and wanted.relation not in known:
        raise InputError(f"--relation {wanted.relation!r}", allowed=", ".join(known))
    rows = [row for row in rows if wanted.relation in (None, _relation(row))]
    shown = [_kept(registry, *row) for row in rows]
    if wanted.verdict is not None:
        rows = [row for row, item in zip(rows, shown, strict=True) if item["verdict"] == wanted.verdict]
        shown = [item for item in shown if item["verdict"] == wanted.verdict]
    if rerun is None:
        return Ledger(records=shown)
    if refreshing:
        claims = [(claim, item["method"] is not None) for (claim, _), item in zip(rows, shown, strict=True) if claim]
        measured = [claim for claim, its_own in claims if its_own and is_measured(registry, claim)]
        audited = [each for each in claims if not is_measured(registry, each[0])]
        done = refresh(registry, audited, rerun)
        told = [done.text()] if audited or not measured else []
        told += [refresh_measured(registry, measured, rerun).text()] if measured else []
        return Ledger(records=[_kept(registry, *row) for row in rows], left=done.left, refreshed="\n".join(told))
    decided = _decided(registry, rows, rerun)
    fresh = [_fresh(registry, row, item, decided) for row, item in zip(rows, shown, strict=True)]
    return Ledger(records=fresh, left=decided.left, skipped=decided.skipped)


def paper_names(registry: Registry) -> list[str]:
    """Papers in the ledger's order; those that nobody described come last."""
    described = [paper.name for paper in sorted(registry.papers.in_order(), key=lambda paper: paper.place)]
    others = sorted({row.paper for row in registry.rows.in_order()} - set(described))
    return described + others


def _rows(registry: Registry) -> Iterator[Listed]:
    """Each row with the readings of its claims."""
    for row in registry.rows.in_order():
        if not row.claims:
            yield None, row
        for name in row.claims:
            yield from ((single, row) for single in registry.claims.get(name).single())


def _named(row: Listed, id: str | None) -> bool:
    """Select by the row's id (all its claims' readings), a claim's (all its readings), or a reading's."""
    claim, sentence = row
    return id is None or id == sentence.id or (claim is not None and id in (claim.id, claim.id.partition(".")[0]))


def _relation(row: Listed) -> str:
    return row[0].relation if row[0] else row[1].relation


def _decided(registry: Registry, rows: Sequence[Listed], how: Rerun) -> Decided:
    ids = [claim.id for claim, _ in rows if claim is not None and not is_measured(registry, claim)]
    if ids or not rows:
        return rerun_rows(registry, ids, how) if ids else Decided(records={})
    measured = next((claim.subject for claim, _ in rows if claim is not None), None)
    if measured is not None:
        raise InputError(
            f"--rerun of {rows[0][1].id}", allowed="rows that are audited", remedy=f"run `{command(measured)}`"
        )
    return Decided(records={})


def _fresh(registry: Registry, row: Listed, shown: Record, decided: Decided) -> Record:
    claim, sentence = row
    found = decided.records.get(claim.id) if claim is not None else None
    return shown if found is None else _placed(found, sentence, registry=registry)


def _placed(item: Record, row: LedgerRow, *, known: State | None = None, registry: Registry | None = None) -> Record:
    """The record with its place in the ledger; of a `registry`, what the authors would say to it."""
    known = known or State()
    place: dict[str, Any] = {"paper": row.paper, "row": row.id, "stale": known.stale, "replayed": known.replayed}
    if registry is not None:
        place["objection"] = objection_record(registry, item["id"], item["verdict"])
    return {**item, "ledger": place}


def _kept(registry: Registry, claim: Claim | None, row: LedgerRow) -> Record:
    if claim is None:
        return _placed(_unsupported(row), row)
    kept, asked = committed_records.read_record(claim.id), claim_record(claim)
    if kept is None:
        return _placed(record(_undecided(registry, claim)), row)
    changed = other_claim(registry, claim, kept, asked)
    if changed:
        undecided = record(_undecided(registry, claim))
        again = f"`{undecided['reproduce']}`" if is_measured(registry, claim) else "--rerun"
        reason = f"its record was made with another {', another '.join(changed)}: make it again with {again}"
        return _placed(undecided | {"reason": reason}, row)
    known = state(registry, claim, kept)
    if not known.stale:
        kept = with_current_names(registry, claim.id, kept)
    # How a claim is worded decides nothing: the record is shown in the words and names that it has now.
    shown: Record = {**kept, "source": asked["source"], "statement": asked["statement"], "subject": asked["subject"]}
    return _placed(shown, row, known=known, registry=registry)


def _undecided(registry: Registry, claim: Claim) -> Row:
    again = command(claim.subject) if is_measured(registry, claim) else reproduce(claim.id)
    reason = f"not measured yet: `{again}`" if is_measured(registry, claim) else _UNDECIDED
    return Row(
        entry=SuiteEntry(claim=claim),
        verdict=Verdict(claim=claim, status=Status.UNSUPPORTED, reason=reason),
        seconds=0.0,
        seed=0,
        reproduce=again,
    )


def _unsupported(row: LedgerRow) -> Record:
    return {
        "schema": SCHEMA_VERSION,
        "id": row.id,
        "source": f"{row.paper} {row.locus}",
        "statement": row.says,
        "guarantee": "",
        "subject": "",
        "parameters": {},
        "relation": row.relation,
        "space": {},
        "verdict": str(Status.UNSUPPORTED),
        "reason": "no claim in code yet",
        "method": None,
        "measure": "",
        "bound": None,
        "claimed": None,
        "tightness": None,
        "excess": None,
        "confidence": None,
        "error": None,
        "proved": None,
        "estimate": None,
        "detectable": None,
        "ceiling": None,
        "witness": None,
        "trials": 0,
        "seconds": 0.0,
        "seed": 0,
        "reproduce": reproduce(row.id),
        "expectation": None,
        "surprise": None,
        "evidence": [],
        "environment": {},
    }


def objection_record(registry: Registry, claim_id: str, verdict: str) -> dict[str, Any] | None:
    """The objection to a refuted claim; None where there is none, or nothing was refuted."""
    if verdict != "refuted" or claim_id not in registry.objections:
        return None
    found = registry.objections.get(claim_id)
    words = {name: getattr(found, name) for name in ("loses", "says", "left", "ours", "scale", "excluded", "factor")}
    words |= {name: getattr(found, name) for name in ("delta", "law", "no_epsilon")}
    printed = [{"what": each.what, "where": each.where} for each in found.printed]
    return {**words, "printed": printed, "beside": list(found.beside), **_epsilons(found)}


def _epsilons(found: Objection) -> dict[str, Any]:
    """The computed epsilons; a computation that fails shows none, and says so."""
    if found.epsilon is None:
        return {"epsilon": None, "problem": ""}
    try:
        with one_thread():
            prices = found.epsilon()
    except Exception as problem:  # noqa: BLE001 - it decides nothing, so nothing that it does stops a ledger
        return {"epsilon": None, "problem": f"{type(problem).__name__}: {one_line(str(problem))}"}
    shown = {"claimed": plain(float(prices.claimed)), "found": plain(float(prices.found)), "how": prices.how}
    return {"epsilon": shown, "problem": ""}
