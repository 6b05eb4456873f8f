"""The calibration's table in Markdown: what is finished, and by name what is refused, stale or missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

HEAD = """# Calibration: how often each auditor refutes what is true

Each row: so many independent audits, on fresh draws, of a mechanism at the exact boundary of its claim, and how many of
them refuted the claim or reported a bound above the truth; the share with its 99.9 % Clopper-Pearson interval. An
auditor is wrong when P[Bin(audits, alpha) >= count] is below 1e-8. Trials are draws a side, trainings a side, or
canaries. Made by `make calibrate` from `reports/calibration/`; a cell is stale when the definitions that decide it have
changed since it was made, and replayed where they have and its first audits, made again, came out the same to the bit.
Below each table: what is replayed, and what is not in it, as a boundary or as its trials at an alpha.
`event-confirming` is `event` with a step that it takes by itself from four million trials on."""

SHOWN = ("done", "replayed")

COLUMNS = "| boundary | claim | trials | alpha | exceed | of | share | 99.9 % interval | tail | s an audit |"
RULES = "|---|---|---:|---:|---:|---:|---:|---|---:|---:|"


def rendered(cells: Sequence[tuple[Any, Mapping[str, Any]]]) -> str:
    """From pairs of a cell (with `auditor` and `boundary`) and what is known of it (with its `state`)."""
    found = [state for _, state in cells]
    done = [state for state in found if state["state"] in SHOWN]
    counts = {name: sum(state["state"] == name for state in found) for name in ("replayed", "stale", "missing")}
    bad = sum(state["fails"] for state in done)
    spent = sum(state["cpu_seconds"] for state in done) / 3600
    lines = [
        HEAD,
        "",
        f"{_many(len(done), 'cell')}, {sum(state['repetitions'] for state in done)} audits, {spent:.1f} hours of one "
        f"processor; {_many(bad, 'cell')} {'fails' if bad == 1 else 'fail'}; {counts['replayed']} replayed, "
        f"{counts['stale']} stale, {counts['missing']} missing.",
    ]
    limits = {cell.boundary.name: cell.boundary for cell, _ in cells if cell.boundary.most is not None}
    lines += ["", *(f"- At most {each.most} trials of {each.name}: {each.reason}." for each in limits.values())]
    for auditor in dict.fromkeys(cell.auditor.name for cell, _ in cells):
        lines += _section(auditor, [state for cell, state in cells if cell.auditor.name == auditor])
    return "\n".join(lines) + "\n"


def _section(auditor: str, states: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = ["", f"## {auditor}", ""]
    done = [state for state in states if state["state"] in SHOWN]
    if done:
        lines += [COLUMNS, RULES, *(_row(state) for state in done), ""]
    named = (("replayed", "Replayed"), ("stale", "Stale, to be made again"), ("missing", "Not yet made"))
    for name, words in named:
        if some := [state for state in states if state["state"] == name]:
            lines.append(f"- {words}: {_places(some, states)}.")
    refused: dict[str, list[Mapping[str, Any]]] = {}
    for state in states:
        if state["state"] == "refused":
            refused.setdefault(state["refused"], []).append(state)
    return lines + [f"- Not examined, {reason}: {_places(some, states)}." for reason, some in refused.items()]


def _places(some: Sequence[Mapping[str, Any]], states: Sequence[Mapping[str, Any]]) -> str:
    """Boundaries, with budgets and levels where it is not all of them."""
    told = []
    for boundary in dict.fromkeys(state["boundary"] for state in some):
        here = [f"{state['trials']} at {state['alpha']:g}" for state in some if state["boundary"] == boundary]
        every = sum(state["boundary"] == boundary for state in states)
        told.append(boundary if len(here) == every else f"{boundary} ({', '.join(here)})")
    return ", ".join(told)


def _row(state: Mapping[str, Any]) -> str:
    low, high = state["interval"]
    count, of = state["count"], state["repetitions"]
    tail = f"{state['tail']:.2g}" + (" **fails**" if state["fails"] else "")
    return (
        f"| {state['boundary']} | {state['claim']} | {state['trials']} | {state['alpha']:g} | {count} | {of} | "
        f"{count / of:.4f} | {low:.4f} to {high:.4f} | {tail} | {state['cpu_seconds'] / of:.3f} |"
    )


def _many(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"
