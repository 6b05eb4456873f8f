"""Refreshing records: what is stale is replayed in a small part first, and decided again only where that differs.

A record whose part comes out the same to the bit, with code that is no longer the code that decided it, is `replayed`:
it says what was compared, and is never shown as fresh, for a branch that only the whole audit takes may lie beyond the
part. Before a release all records are decided again from nothing (``dpverify ledger --rerun``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dpverify.core.claim import Claim
from dpverify.core.record import Record
from dpverify.core.registry import Registry
from dpverify.ledger import committed_records
from dpverify.ledger.decide import Rerun, rerun_rows
from dpverify.ledger.partial_replays import parts, with_parts
from dpverify.ledger.stale import code_of, code_underneath, state
from dpverify.runner.environment import environment


@dataclass(frozen=True, slots=True, kw_only=True)
class Refreshed:
    """Ids of rows by what became of them, and how many an interruption left."""

    fresh: tuple[str, ...]
    before: tuple[str, ...] = ()
    replayed: tuple[str, ...]
    decided: tuple[str, ...]
    """`fresh`, `before`, `replayed`, `decided`: made by the present code; spot-checked with it earlier; spot-checked
    now; decided again now."""
    left: int = 0

    def text(self) -> str:
        """The numbers of rows in one line."""
        again = f"{len(self.decided)} made again" + (f", {self.left} left" if self.left else "")
        earlier = f"{len(self.before)} were replayed before, " if self.before else ""
        return (
            f"{len(self.fresh)} rows were up to date, {earlier}{len(self.replayed)} replayed now (a small part of "
            "each was "
            f"repeated and is identical to the bit), {again}."
        )


def refresh(registry: Registry, claims: Sequence[tuple[Claim, bool]], how: Rerun) -> Refreshed:
    """Bring the records of these claims up to the code that is here now; they are written to `how.out`.

    Parameters
    ----------
    claims : sequence of (Claim, bool)
        Each with whether its record is one of this claim.
    how : Rerun
        `profile` counts for rows without a record only: others are decided again in their own.
    """
    kept = {claim.id: committed_records.read_record(claim.id) if its_own else None for claim, its_own in claims}
    fresh: list[str] = []
    before: list[str] = []
    stale: dict[str, Record] = {}
    for claim, _ in claims:
        item = kept[claim.id]
        if item is None or not item["evidence"]:
            continue
        known = state(registry, claim, item)
        if known.stale:
            stale[claim.id] = item
        else:
            (before if known.replayed else fresh).append(claim.id)
    _stamp(registry, [kept[name] for name in fresh], how)
    made = parts(registry, [item for item in stale.values() if "part" in item.get("code", {})], jobs=how.jobs)
    by_id = {claim.id: claim for claim, _ in claims}
    same = [name for name, found in made.items() if found == stale[name]["code"]["part"]]
    for name in same:
        item = stale[name]
        now = code_of(registry, by_id[name], [part["auditor"] for part in item["evidence"]])
        here = code_underneath(environment())
        replayed = {"digest": now["digest"], "compared": made[name]["compared"], "with": here}
        _write({**item, "code": {**item["code"], "replayed": replayed}}, how)
    again = [claim.id for claim, _ in claims if claim.id not in {*fresh, *before, *same}]
    decided, left = [], 0
    for profile in ("quick", "full"):
        ids = [name for name in again if _profile(kept[name], how) == profile]
        if ids:
            found = rerun_rows(registry, ids, replace(how, profile=profile))
            decided += list(found.records)
            left += found.left
    return Refreshed(fresh=tuple(fresh), before=tuple(before), replayed=tuple(same), decided=tuple(decided), left=left)


def _stamp(registry: Registry, items: Sequence[Record | None], how: Rerun) -> None:
    """Give fresh records that have no part one."""
    without = {item["id"]: item for item in items if item is not None and "part" not in item["code"]}
    for item in with_parts(registry, without, jobs=how.jobs).values():
        _write(item, how)


def _write(item: Record, how: Rerun) -> None:
    if how.out is not None:
        committed_records.write_records([item], how.out)


def _profile(item: Record | None, how: Rerun) -> str:
    """The one that a record was made in."""
    if item is None:
        return how.profile
    return "full" if "--profile full" in item["reproduce"] else "quick"
