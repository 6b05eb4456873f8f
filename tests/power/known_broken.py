"""Which auditor finds which known-broken mechanism: every pair of the two that does not refuse, at a small budget.

Pairs follow from the registry: suite entries that are expected to be broken, and all auditors. "Found" is refuted by
this auditor alone. What nobody finds is looked at once more with a larger budget.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dpverify.core.auditing import Auditor
from dpverify.core.registry import Registry
from dpverify.core.suite import SuiteEntry
from dpverify.ledger.partial_replays import digest_of, exact_numbers
from dpverify.runner.audit_unit import run_unit
from dpverify.runner.plan import make_plan
from tests.calibration.sources import digest
from tests.power.kept import Kept

TRIALS, MORE, CONFIDENCE, SEED = 10_000, 1_000_000, 0.999, 3

PART = 1_000
"""Trials of the small part that a look is replayed by."""

SIGNS = {"refuted": "found", "refused": "", "not_refuted": "missed", "error": "stopped"}


def broken_entries(registry: Registry) -> list[SuiteEntry]:
    """Of every suite, quick ones only."""
    return [
        entry for _, entry in registry.entries.items() if entry.expectation == "broken" and entry.profile == "quick"
    ]


def look(
    registry: Registry, auditor: str, entry: SuiteEntry, *, trials: int = TRIALS, seed: int = SEED
) -> dict[str, Any]:
    """What one auditor says of one, alone: ``refuted``, another verdict, or why it refused."""
    plan = make_plan(
        registry,
        [entry],
        suite="known-broken",
        seed=seed,
        confidence=CONFIDENCE,
        trials=trials,
        methods=(auditor,),
    )
    (unit,) = plan.units
    cell = {"auditor": auditor, "claim": entry.claim.id, "trials": trials, "seed": seed}
    if not unit.auditors:
        return {**cell, "verdict": "refused", "reason": "; ".join(unit.refusals)}
    row = run_unit(unit, plan, report=lambda _message, _share: None)
    return {
        **cell,
        "verdict": str(row.verdict.status),
        "reason": row.verdict.reason,
        "seconds": round(row.seconds, 2),
    }


def part(registry: Registry, auditor: str, entry: SuiteEntry) -> str:
    """Digest of a look with few draws, to the bit; of why it was refused, where it was."""
    plan = make_plan(
        registry, [entry], suite="known-broken", seed=SEED, confidence=CONFIDENCE, trials=PART, methods=(auditor,)
    )
    (unit,) = plan.units
    if not unit.auditors:
        return digest_of(unit.refusals)
    row = run_unit(unit, plan, report=lambda _message, _share: None)
    return digest_of([str(row.verdict.status), row.verdict.reason, *map(exact_numbers, row.verdict.evidence)])


def key(registry: Registry, auditor: Auditor, entry: SuiteEntry, trials: int) -> dict[str, Any]:
    """What a finished look must agree with: definitions of auditor, subject, claim and neighbours, and the budget."""
    claim = entry.claim
    parts = (
        auditor,
        registry.subject(claim.subject),
        claim.guarantee,
        registry.neighbors.get(claim.space.generator or claim.relation),
        claim.relation,
        claim.parameters,
        claim.space,
    )
    return {
        "claim": claim.id,
        "sources": digest(parts),
        "trials": trials,
        "confidence": CONFIDENCE,
        "seed": SEED,
    }


def looks(registry: Registry, auditors: Sequence[Auditor], *, folder: Path) -> Iterator[str]:
    """Every auditor on every one, then on what nobody has found; what is finished is not made again. Yields a line a
    look that no auditor refused."""
    yield from _made(registry, auditors, broken_entries(registry), TRIALS, folder)
    yield from _made(registry, auditors, unfound(registry, folder), MORE, folder)


def _made(
    registry: Registry, auditors: Sequence[Auditor], entries: Sequence[SuiteEntry], trials: int, folder: Path
) -> Iterator[str]:
    for auditor in auditors:
        kept = Kept(folder, auditor.name)
        for entry in entries:
            wanted = key(registry, auditor, entry, trials)
            if kept.asks("known_broken", wanted) is not None:
                kept.replayed("known_broken", wanted, part(registry, auditor.name, entry))
            if kept.holds("known_broken", wanted) is not None:
                continue
            one = look(registry, auditor.name, entry, trials=trials)
            made = part(registry, auditor.name, entry)
            Kept(folder, auditor.name).put("known_broken", {**one, **wanted, "part": made})
            if one["verdict"] != "refused":
                yield f"{auditor.name} on {one['claim']}, {trials} trials: {one['verdict']} ({one['seconds']:.1f} s)"


def unfound(registry: Registry, folder: Path) -> list[SuiteEntry]:
    """What all auditors have looked at with the small budget, and none has found."""
    found = []
    kept = {name: Kept(folder, name) for name, _ in registry.auditors.items()}
    for entry in broken_entries(registry):
        seen = [
            kept[name].holds("known_broken", key(registry, auditor, entry, TRIALS))
            for name, auditor in registry.auditors.items()
        ]
        if all(one is not None and one["verdict"] != "refuted" for one in seen):
            found.append(entry)
    return found


def lines(registry: Registry, folder: Path) -> list[str]:
    """Claims down and auditors across; then what is stale or missing."""
    claims = {entry.claim.id: entry for entry in broken_entries(registry)}
    again = {entry.claim.id for entry in unfound(registry, folder)}
    seen: dict[str, dict[tuple[str, int], dict[str, Any] | str]] = {}
    for name, auditor in registry.auditors.items():
        kept = Kept(folder, name)
        seen[name] = here = {}
        for claim, entry in claims.items():
            for trials in (TRIALS, MORE):
                wanted = key(registry, auditor, entry, trials)
                one = kept.holds("known_broken", wanted)
                if one is not None and trials == MORE:
                    again.add(claim)
                here[claim, trials] = one or ("missing" if kept.find("known_broken", wanted) is None else "stale")
    told: dict[str, dict[str, str]] = {}
    lacking: list[str] = []
    for name, here in seen.items():
        states: dict[str, list[str]] = {"stale": [], "missing": []}
        signs = {}
        for claim in claims:
            looks = [here[claim, trials] for trials in ((MORE, TRIALS) if claim in again else (TRIALS,))]
            made = [one for one in looks if not isinstance(one, str)]
            signs[claim] = SIGNS.get(made[0]["verdict"], made[0]["verdict"]) if made else "?"
            for state in sorted({one for one in looks if isinstance(one, str)}):
                states[state].append(claim)
        if set(signs.values()) - {"?", ""}:
            told[name] = signs
        for state, places in states.items():
            if places:
                lacking.append(f"- {name}, {state}: {'all' if len(places) == len(claims) else ', '.join(places)}.")
    return [*_table(sorted(claims), again, told), *lacking] if told else lacking


def _table(claims: Sequence[str], again: set[str], told: Mapping[str, Mapping[str, str]]) -> list[str]:
    error = 1 - CONFIDENCE
    head = (
        f"Each auditor alone, {TRIALS} trials a side; where nobody found it, {MORE} in a second look (*). A look errs "
        f"with probability {error:g}, two with {2 * error:g}. Empty where the auditor refuses the claim beforehand; "
        "`?` where a look is missing or stale; `stopped` where it can say nothing once it has begun (a hidden coin "
        "decides before any noise is shown, say). The last column counts the auditors that find it."
    )
    found = [
        *textwrap.wrap(head, 118),
        "",
        f"| claim | {' | '.join(told)} | found by |",
        f"|---|{'---|' * len(told)}---:|",
    ]
    for claim in claims:
        here = [signs[claim] for signs in told.values()]
        found.append(f"| {claim}{' *' * (claim in again)} | {' | '.join(here)} | {here.count('found')} |")
    return [*found, ""]
