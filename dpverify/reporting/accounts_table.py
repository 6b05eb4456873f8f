"""The results of all accountants, as a table and as JSON (schema: ``dpverify/reporting/accounts.schema.json``).

In the table lower ends are rounded down and upper ends up, so that printed bounds hold; JSON has all digits.
"""

from __future__ import annotations

import math
import textwrap
from typing import Any

from rich.console import Console

from dpverify.accounting.risk import Risk
from dpverify.accounting.side_by_side import AccountantRow, Accounts
from dpverify.runner.record import plain
from dpverify.shown.rounded import rounded_bound

SCHEMA_VERSION = 1
WIDTH = 80
_LONGEST = 600  # most characters of a composition or a reason in the table


def accounts_record(accounts: Accounts) -> dict[str, Any]:
    """All results as plain JSON values; infinities are the string "inf", an unknown width is null."""
    lowest = accounts.lowest
    found = {
        "schema": SCHEMA_VERSION,
        "composition": accounts.composition,
        "runs": accounts.runs,
        "relation": accounts.relation,
        "asked": accounts.asked,
        "given": accounts.given,
        "lowest": lowest.accountant if lowest else None,
        "accountants": [
            {
                "accountant": row.accountant,
                "version": row.version,
                "source": row.source,
                "side": row.side,
                "lower": row.bracket.lower,
                "upper": row.bracket.upper,
                "width": None if math.isinf(row.bracket.lower) else row.bracket.width,
                "note": row.bracket.note,
                "seconds": round(row.seconds, 4),
                **_proof(row),
            }
            for row in accounts.rows
        ],
        "refused": [
            {"accountant": item.accountant, "reason": item.reason, "failed": item.failed} for item in accounts.refusals
        ],
        "contradiction": accounts.contradiction,
    }
    if accounts.renyi:
        found["renyi"] = [
            {"order": order, "lower": point.lower, "upper": point.upper, "note": point.note}
            for order, point in accounts.renyi.items()
        ]
    return {name: plain(value) for name, value in found.items()}


def _proof(row: AccountantRow) -> dict[str, Any]:
    """The file that proves both ends, where there is one."""
    certificate = getattr(row.bracket, "certificate", None)
    return {} if certificate is None else {"proved": True, "certificate": dict(certificate)}


def accounts_table(accounts: Accounts, console: Console) -> None:
    """The results, their sources, and the accountants that refuse, in 80 columns."""
    lines = [*_wrapped(_cut(accounts.composition), indent=2), *_wrapped(_question(accounts), indent=2), ""]
    if accounts.rows:
        lines += [*_answers(accounts), "", *_closing(accounts), "", "sources"]
        lines += _listed((row.accountant, row.source) for row in accounts.rows)
    else:
        lines.append("No accountant applies.")
    for order, point in accounts.renyi.items():
        ends = rounded_bound(point.lower, up=False), rounded_bound(point.upper, up=True)
        note = f"; {point.note}" if point.note else ""
        lines += ["", *_wrapped(f"Renyi divergence at order {order:g}: {ends[0]} to {ends[1]} nats{note}", indent=2)]
    if accounts.refusals:
        lines += ["", "do not apply", *_listed((item.accountant, _cut(item.reason)) for item in accounts.refusals)]
    if accounts.contradiction:
        lines += ["", *_wrapped(f"! {accounts.contradiction}", indent=2)]
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def risk_lines(told: Risk) -> list[str]:
    """Return an attacker's chances at most, in 80 columns; every number is rounded up."""

    def up(value: float) -> str:
        return rounded_bound(value, up=True)

    lines = ["", *_wrapped("what an attacker can reach at most, on any two neighbours", indent=2)]
    lines.append(f"{'false positives':>15}  {'true positives':>14}  {'posterior':>11}  {'reconstruction':>14}")
    for rate, power in told.power.items():
        after, secret = up(told.posterior[rate]), up(told.reconstruction[rate])
        lines.append(f"{rate:>15g}  {up(power):>14}  {after:>11}  {secret:>14}")
    text = f"advantage <= {up(told.advantage)}, that of a Gaussian pair of mu = {up(told.mu)}"
    lines += _wrapped(f"{text}; by {', '.join(told.accountants)}", indent=2)
    lines += _wrapped(
        f"posterior: of membership after an alarm, where it was {told.prior:g} before; reconstruction: of a secret "
        "that is guessed with the first column's probability without the output",
        indent=2,
    )
    return lines


def _question(accounts: Accounts) -> str:
    relation = "any relation" if accounts.relation == "any" else accounts.relation
    given = ", ".join(f"{name} = {value:g}" for name, value in accounts.given.items())
    asked = {"sigma": "sigma that suffices for"}.get(accounts.asked, f"{accounts.asked} at")
    return f"{asked} {given}; {accounts.runs} runs, neighbours: {relation}"


def _answers(accounts: Accounts) -> list[str]:
    name = max(len("accountant"), *(len(row.accountant) for row in accounts.rows))
    with_lower = any(row.side in ("bracket", "lower") for row in accounts.rows) and accounts.asked != "sigma"
    cells = [("accountant", *(("lower",) if with_lower else ()), "upper", "side", "s", "note")]
    for row in accounts.rows:
        lower = (_lower(row),) if with_lower else ()
        upper = rounded_bound(row.bracket.upper, up=True)
        side = "upper" if accounts.asked == "sigma" and row.side == "bracket" else row.side
        cells.append((row.accountant, *lower, upper, side, f"{row.seconds:.2f}", _note(row, accounts)))
    lines: list[str] = []
    for accountant, *numbers, side, seconds, note in cells:
        columns = "".join(f" {value:>11}" for value in numbers)
        start = f"{accountant:<{name}}{columns}  {side:<7} {seconds:>6}  "
        first, *rest = textwrap.wrap(note, max(WIDTH - len(start), 16), break_on_hyphens=False) or [""]
        lines += [(start + first).rstrip(), *(" " * len(start) + more for more in rest)]
    return lines


def _lower(row: AccountantRow) -> str:
    return rounded_bound(row.bracket.lower, up=False) if row.side in ("bracket", "lower") else "-"


def _note(row: AccountantRow, accounts: Accounts) -> str:
    """The accountant's note, with the width of the bracket if the note does not contain it."""
    note, width = row.bracket.note, row.bracket.width
    one_sided = row.side != "bracket" or not row.bracket.lower > 0  # its width would be 1, whatever is known
    if one_sided or accounts.asked == "sigma" or "width" in note or not math.isfinite(width):
        return note
    return f"{note}, width {width:.2g}" if note else f"width {width:.2g}"


def _closing(accounts: Accounts) -> list[str]:
    """The joint result of all accountants, and warnings."""
    lowest, highest = accounts.lowest, accounts.highest
    lines: list[str] = []
    if lowest is not None:
        text = f"{accounts.asked} <= {rounded_bound(lowest.bracket.upper, up=True)} ({lowest.accountant})"
        if accounts.asked == "sigma":
            text = f"sigma = {rounded_bound(lowest.bracket.upper, up=True)} suffices ({lowest.accountant})"
        elif highest is not None and highest.bracket.lower > 0:
            text = f"{rounded_bound(highest.bracket.lower, up=False)} ({highest.accountant}) <= {text}"
        lines += _wrapped(text, indent=2)
    if any(_proof(row) for row in accounts.rows):
        lines += _wrapped("proved: --json FILE keeps the proof, `dpverify check-proof FILE` checks it", indent=2)
    if any(row.side == "printed" for row in accounts.rows):
        lines += _wrapped("printed: a paper's formula as printed; it may be wrong", indent=2)
    return lines


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."


def _listed(items: Any) -> list[str]:
    pairs = list(items)
    name = max(len(pair[0]) for pair in pairs)
    lines: list[str] = []
    for accountant, text in pairs:
        first, *rest = textwrap.wrap(text, WIDTH - name - 4) or [""]
        lines += [f"  {accountant:<{name}}  {first}".rstrip(), *(" " * (name + 4) + more for more in rest)]
    return lines


def _wrapped(text: str, *, indent: int) -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent=" " * indent, break_on_hyphens=False)
