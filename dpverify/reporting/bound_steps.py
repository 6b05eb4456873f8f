"""How a bound follows from what its record holds, with its numbers, so that a reader can follow it by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dpverify.core.record import Record
from dpverify.reporting.bound_of_bets import bets_steps
from dpverify.reporting.bound_of_event import counted_event, event_steps
from dpverify.reporting.bound_of_runs import runs_steps
from dpverify.reporting.formatting import number, number_down


def bound_steps(item: Record) -> list[str]:
    """One step a line; where the leading evidence keeps no such numbers, what the bound rests on instead."""
    if not item["evidence"]:
        return []
    told = [*_steps(item["evidence"][0])]
    return [
        *told,
        f"Bound: {item['measure']} >= {number_down(item['bound'], 6)}; claimed {number(item['claimed'], 6)}.",
    ]


def _steps(leading: Mapping[str, Any]) -> Iterator[str]:
    said, measure = leading["statistics"], leading.get("measure") or {}
    drawn = leading.get("confidence") is not None
    if (counted := counted_event(leading)) is not None:
        yield from event_steps(counted, measure)
    elif drawn and isinstance(said.get("laws"), Mapping):
        yield from runs_steps(said["laws"], measure)
    elif drawn and "chain" in said:
        yield from bets_steps(said)
    elif drawn:
        yield "It rests on draws; `dpverify recheck` computes it again from the statistics below."
    else:
        yield "It rests on exact or enclosed computation, not on draws: the command of the row computes it again."
    steps = said.get("steps")
    if drawn and isinstance(steps, list):
        levels = [f"{step['step']} {number(step['level'], 2)}" for step in steps if "level" in step]
        yield (
            f"{_of_replay(said)}This step is one of the audit's; the error of all of them was divided beforehand: "
            f"{', '.join(levels)}{_in_all(said)}."
        )


def _of_replay(said: Mapping[str, Any]) -> str:
    runs = said.get("laws") or said.get("counts")
    if said.get("step") != "replay" or not isinstance(runs, Mapping):
        return ""
    return f"A replay may look often, so each look is at {number(runs.get('alpha'))}, whatever its share. "


def _in_all(said: Mapping[str, Any]) -> str:
    whole = said.get("level")
    return f" of {number(whole, 2)} in all" if isinstance(whole, int | float) else ""
