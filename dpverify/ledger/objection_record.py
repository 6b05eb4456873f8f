"""An objection as plain values beside a shown record, with its epsilons, computed now."""

from __future__ import annotations

from typing import Any

from dpverify.core.errors import one_line
from dpverify.core.ledger_words import Objection
from dpverify.core.registry import Registry
from dpverify.runner.record import plain
from dpverify.runner.thread_limits import one_thread


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
