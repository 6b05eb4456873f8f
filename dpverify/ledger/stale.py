"""Which code decided a row, and whether that is the code that is here now.

A record carries a digest of the sources of its subject, of the auditors whose evidence it has, of its guarantee and of
its neighbours, with all that they import (`dpverify.runner.deciding`), and the versions of the packages underneath. A
record of other sources is shown with its verdict, and marked: nobody knows whether it would come out the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dpverify.core.claim import Claim
from dpverify.core.registry import Registry
from dpverify.runner.deciding import digest, module_of
from dpverify.runner.environment import environment

PACKAGES = ("numpy", "scipy", "python-flint")
"""Versions that stand beside the digest."""

SAME = ("guarantee", "subject", "parameters", "relation", "space")
"""What a kept record must share with its claim; otherwise it is the record of another claim."""


def code_of(registry: Registry, claim: Claim, auditors: Iterable[str]) -> dict[str, str]:
    """The digest and the versions, for a record in which these auditors speak."""
    remark = registry.remarks.get(claim.id) if claim.id in registry.remarks else None
    parts = [
        registry.subject(claim.subject),
        claim.guarantee,
        registry.neighbors.get(claim.space.generator or claim.relation),
        *(registry.auditors.get(name) for name in sorted(set(auditors)) if name in registry.auditors),
        *([remark.shown] if remark else []),
    ]
    used = environment()
    return {"digest": digest(map(module_of, parts)), **{name: used[name] for name in PACKAGES}}


def why_stale(registry: Registry, claim: Claim, kept: Mapping[str, Any]) -> str:
    """Why a record of this very claim may not be what its code says now; empty when it is."""
    auditors = [part["auditor"] for part in kept["evidence"]]
    now, then = code_of(registry, claim, auditors), kept.get("code")
    if then is None:
        return "it does not say which code decided it"
    if then["digest"] != now["digest"]:
        return "the code that decided it has changed"
    return ""


def other_claim(kept: Mapping[str, Any], asked: Mapping[str, Any]) -> list[str]:
    """What a record has otherwise than its claim."""
    return [name for name in SAME if kept.get(name) != asked[name]]
