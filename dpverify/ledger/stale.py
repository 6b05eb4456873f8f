"""Which code decided a row, and whether it is the present code.

A record carries a digest of the definitions that its subject, the auditors whose evidence it has, its guarantee and its
neighbours reach (`dpverify.runner.row_sources`), and says which versions of the packages underneath it was made with.
Of a record that other definitions or packages decided, nobody knows whether it would come out the same: it is shown
with its verdict, and marked. Where a small part of it was made again since and came out the same to the bit
(`dpverify.ledger.refresh`), it is `replayed`.

Limits of what is fresh: protocols, the plan and the runner are not followed, nor are auditors that did not speak, which
a change may bring to speak.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dpverify.core.claim import Claim
from dpverify.core.registry import Registry
from dpverify.runner.environment import environment
from dpverify.runner.row_sources import digest

PACKAGES = ("numpy", "scipy", "python-flint")
"""Versions that stand beside the digest."""

UNDERNEATH = (*PACKAGES, "numba", "scikit-learn", "hypothesis")
"""Packages whose other version may give other bits."""

SAME = ("guarantee", "subject", "parameters", "relation", "space")
"""What a kept record must share with its claim; otherwise it is the record of another claim."""


def parts_of(registry: Registry, claim: Claim, auditors: Iterable[str]) -> list[Any]:
    """Return the parts that decide a record in which these auditors speak."""
    remark = registry.remarks.get(claim.id) if claim.id in registry.remarks else None
    return [
        registry.subject(claim.subject),
        claim.guarantee,
        registry.neighbors.get(claim.space.generator or claim.relation),
        *(registry.auditors.get(name) for name in sorted(set(auditors)) if name in registry.auditors),
        *([remark.shown] if remark else []),
    ]


def code_of(registry: Registry, claim: Claim, auditors: Iterable[str]) -> dict[str, str]:
    """The digest and the versions, for a record in which these auditors speak."""
    used = environment()
    digested = digest(parts_of(registry, claim, auditors))
    return {"digest": digested, **{name: used[name] for name in PACKAGES}}


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Tell whether a record says what its code says now: it does when both are empty."""

    stale: str = ""
    """Why it may not; nobody knows."""
    replayed: str = ""
    """What of it was made again with the code that is here now, and came out the same to the bit."""


def state(registry: Registry, claim: Claim, kept: Mapping[str, Any]) -> State:
    """Return the state of a record of this very claim."""
    auditors = [part["auditor"] for part in kept["evidence"]]
    now, then = code_of(registry, claim, auditors), kept.get("code")
    if then is None:
        return State(stale="it does not say by which code it was made")
    here, there = code_underneath(environment()), code_underneath(kept.get("environment") or {})
    if then["digest"] == now["digest"] and here == there:
        return State()
    replayed = then.get("replayed") or {}
    if replayed.get("digest") == now["digest"] and replayed.get("with") == here:
        return State(replayed=replayed["compared"])
    if then["digest"] == now["digest"]:
        return State(stale=f"it was made with {there}, and here is {here}")
    return State(stale="the code that it was made by has changed")


def code_underneath(used: Mapping[str, str]) -> str:
    """The versions of the packages that numbers pass through, in words."""
    return ", ".join(f"{name} {used.get(name, '?')}" for name in UNDERNEATH)


def other_claim(registry: Registry, claim: Claim, kept: Mapping[str, Any], asked: Mapping[str, Any]) -> list[str]:
    """Say how a record's claim differs from its claim now. A subject of the same digest may have another name."""
    other = [name for name in SAME if kept.get(name) != asked[name]]
    renamed = other == ["subject"] and not state(registry, claim, kept).stale
    return [] if renamed else other
