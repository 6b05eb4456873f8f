"""What a person sees while an audit runs, and the closing table; fits 80 columns. Plain lines when not a terminal."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from dpverify.core.printable import all_visible
from dpverify.core.record import Record
from dpverify.reporting.conclusion import conclusion
from dpverify.reporting.formatting import (
    accepted_until,
    bound_text,
    confidence_text,
    count,
    draws,
    limits,
    no_difference_text,
    number,
    part_of_claim,
    relation_legend,
    short_relation,
    tally_apart,
    verdict_words,
    witness_parameter,
)
from dpverify.reporting.labelled_lines import HANG, WIDTH, labelled
from dpverify.reporting.limits_table import limits_table
from dpverify.reporting.name_table import name_table
from dpverify.reporting.outcome import for_people, headline, outcome, unexpected
from dpverify.reporting.risk_table import risk_line
from dpverify.reporting.row_lines import evidence_basis, replay_lines, within_family
from dpverify.reporting.row_notes import limiting_notes, named, outside, outside_line, row_notes
from dpverify.reporting.witness_text import dataset_text, difference_text
from dpverify.runner.verdict_strength import proved_lines

STYLE = {
    "refuted": "bold red",
    "certified": "bold green",
    "not_refuted": "blue",
    "inconclusive": "yellow",
    "unsupported": "dim",
    "error": "bold magenta",
}

GIVEN = "the given pair"

LABELS = 8
"""Most labels that are listed; the record has all."""

_CODED = re.compile(r"^output(\[\d+\])? | in output |order: ")
"""Events on numbers that may be codes; all others say a label as it is, or use none."""


def closing_table(records: Sequence[Record], console: Console) -> None:
    """The table of a run: claim, relation, claimed, measured lower bound, tightness, verdict, trials, seconds."""
    records = [for_people(item) for item in records]
    rows = []
    for item in records:
        mark, style = (" !", STYLE[item["verdict"]]) if unexpected(item) else ("", STYLE[item["verdict"]])
        if refuted_as_expected(item):
            mark, style = " †", "yellow"
        if accepted_until(item):
            mark, style = " ‡", "yellow"
        verdict = Text(verdict_words(item) + mark, style=style)
        cells = [
            number(item["claimed"], 3),
            bound_text(item, at_least="≥") if item["bound"] is not None else number(None),
            number(part_of_claim(item), 2),
        ]
        told = [item["id"], short_relation(item["relation"]), *cells]
        rows.append([*map(Text, told), verdict, Text(count(draws(item))), Text(f"{item['seconds']:.1f}")])
    heads = ("claim", "rel.", "claimed", "measured", "tight", "verdict", "trials", "s")
    name_table(heads, rows, console, words=("rel.", "verdict"))
    console.print(
        Text(
            f"\nRelations: {relation_legend(records)}. Trials: draws a side, "
            "beside an exact method too; a dash: nothing drawn."
        )
    )
    limits_table(records, console)
    console.print(Text(f"{tally_apart(records) or 'no claims'}."))
    if records:
        console.print(Text(f"Conclusion: {conclusion(records)}"))
    if any(map(refuted_as_expected, records)):
        console.print(Text("†: a mechanism that is known to be broken, refuted as it must be."))
    if any(map(accepted_until, records)):
        console.print(Text("‡: a failure that the suite file accepts until a day."))
    for item in records:
        for line in labelled("family", within_family(item) and f"{item['id']}: {within_family(item)}"):
            console.print(Text(line))
    for note, ids in limiting_notes(records):
        for line in labelled(note.label, f"{note.text} ({named(ids)})"):
            console.print(Text(line))
    for item in filter(unexpected, records):
        style = "bold red" if outcome(item) == "surprise" else "bold magenta"
        console.print(Text(f"! {item['id']}: {headline(item)}", style=style))


def refuted_as_expected(item: Record) -> bool:
    """Tell whether a known-broken mechanism was refuted."""
    return bool(item["expectation"] == "broken" and item["verdict"] == "refuted")


def one_result(item: Record, console: Console, *, notes: Sequence[str] = (), verbose: bool = True) -> None:
    """Print the result of one audit, for `dpverify audit`; all of it, or what comes first (`first_lines`)."""
    item, notes = for_people(item), all_visible(list(notes))
    verdict = verdict_words(item, notes)
    seen = f", {no_difference_text(item)}" if no_difference_text(item) else ""
    if not seen and item["verdict"] == "not_refuted" and any(label == "raised" for label, _ in row_notes(item, notes)):
        seen = ", but it raised on some of the data"
    title = f"{verdict}{seen}: {item['guarantee']} of {item['subject']} under {item['relation']}"
    told = Text("\n".join(head := textwrap.wrap(title, WIDTH, subsequent_indent="  ", break_on_hyphens=False)))
    told.stylize(STYLE[item["verdict"]], 0, len(verdict))
    first = outside_line(item)
    if first:
        head += (beyond := textwrap.wrap(first, WIDTH, subsequent_indent="  "))
        console.print(Text("\n".join(beyond), style="bold red"))
    console.print(told)
    lines = labelled("because", item["reason"].removeprefix(first).removeprefix("; "))
    for label, text in proved_lines(item).items():
        lines += labelled(label, text)
    lines += outside_lines(item)
    lines += [*measured_lines(item), *replay_lines(item)] if item["method"] else []
    for label, text in row_notes(item, notes):
        lines += labelled(label, text)
    lines += labelled("risk", risk_line(item)) if verbose else []
    for line in lines if verbose else first_lines(lines, MOST - len(head)):
        console.print(Text(line))


def outside_lines(item: Record) -> list[str]:
    """Say where the claim falls outside of what the example shows, and by which numbers."""
    found = outside(item)
    if not found:
        return []
    told = f"{item['measure']} >= {number(found['bound'], 5)}"
    sure = f"{confidence_text(found)}, {count(found['trials'])} trials a side"
    return [
        *labelled("outside", f"{told}, claimed {number(found['measure']['claimed'], 5)} ({sure})"),
        *labelled("event", str(found["witness"].get("event") or "")),
        *_pair_lines(found["witness"]),
    ]


def measured_lines(item: Record) -> list[str]:
    """Measured value, confidence, and what could not have been detected."""
    sides = f"{count(item['trials'])} trials a side" if item["trials"] else "by an exact method"
    sides = evidence_basis(item) or sides
    estimate, witness = item["estimate"], item["witness"] or {}
    return [
        *labelled(
            "measured",
            f"{item['measure']} {bound_text(item, 5, at_least='>= ')}, claimed {number(item['claimed'], 5)}"
            f"{witness_parameter(item)}",
        ),
        *labelled("reached", percent_of_claim(item)),
        *labelled("sure", f"{confidence_text(item)}, {sides}, {item['seconds']:.1f} s"),
        *labelled("estimate", "" if estimate is None else f"{number(estimate, 4)} (a point estimate: no bound)"),
        *labelled("limits", limits(item)),
        *sequential_lines(item),
        *labelled("event", str(witness.get("event") or "")),
        *_pair_lines(witness),
        *labelled("labels", _labels(witness)),
        *labelled("means", str(witness.get("refutes") or "")),
    ]


def _pair_lines(witness: Mapping[str, Any]) -> list[str]:
    """The pair of data sets, where the audit found it; a pair that the user gave is known to him."""
    label = str(witness.get("pair") or "")
    if not label or label == GIVEN:
        return []
    told = [f"{side} = {dataset_text(witness.get(side))}" for side in ("d0", "d1")]
    if apart := difference_text(witness.get("d0"), witness.get("d1")):
        told = [told[0], f"d1: {apart}"]
    return [*labelled("pair", label), *(line for side in told for line in labelled("", side))]


def _labels(witness: Mapping[str, Any]) -> str:
    """The codes of the first labels, where the event uses codes."""
    codes: Mapping[str, int] = witness.get("labels") or {}
    if not _CODED.search(str(witness.get("event") or "")):
        return ""
    from dpverify.adapters.output_columns import label_text
    from dpverify.neighbourhood.redact import REDACTED

    shown = [(code, label) for label, code in codes.items() if label != REDACTED]
    told = [f"{code} is {label_text(label)}" for code, label in shown[:LABELS]]
    told += [f"and {len(shown) - LABELS} more"] if len(shown) > LABELS else []
    return ", ".join([*told, *(["others are not shown (records of the example)"] if REDACTED in codes else [])])


def percent_of_claim(item: Record) -> str:
    """The bound divided by the claimed value, such as ``97.9 % of the claim``; empty if not finite."""
    part = part_of_claim(item)
    return "" if part is None or isinstance(part, str) else f"{100 * part:.3g} % of the claim"


STOPS = {
    "refuted": "the claim was refuted",
    "power": "the value to detect would have been detected with 80 % power, had it shown at the event that was bet on",
    "trials": "the trials were spent",
    "total": "the draws of the whole run were spent",
    "repeats": "its draws were those of an earlier instalment",
    "cut": "the run was cut",
}


def sequential_lines(item: Mapping[str, Any]) -> list[str]:
    """Lines of at most 79 columns for a record whose leading evidence is sequential; none for others."""
    statistics = item["evidence"][0]["statistics"] if item["evidence"] else {}
    if not {"e_value", "e_value_largest", "e_value_here", "stop", "pairs", "pairs_bet"} <= statistics.keys():
        return []
    least = f", {number(1.0 / statistics['alpha'])} refutes" if statistics.get("alpha") else ""
    return [
        *labelled(
            "e-value",
            f"{number(statistics['e_value_largest'])} at its highest, {number(statistics['e_value'])} last{least}",
        ),
        *labelled("stopped", f"{STOPS.get(statistics['stop'], 'before its end')}, after {statistics['pairs']} pairs"),
        *labelled("sessions", _sessions(statistics)),
    ]


def _sessions(statistics: Mapping[str, Any]) -> str:
    """A text on pooled sessions; empty for a single session."""
    sessions, own = statistics.get("sessions", statistics.get("nights")), statistics["e_value_here"]
    if sessions == 1 or (sessions is None and own == statistics["e_value"]):
        return ""
    many = "several" if sessions is None else str(sessions)
    told = f"{many} pooled, {statistics['pairs_bet']} pairs bet in all; this session's own e-value is {number(own)}"
    if own >= 1.0 or statistics["stop"] in ("refuted", "power"):
        return told
    return f"{told}. Each session learns its event anew: one longer session finds more than many short ones"


MOST = 12
"""Lines of a result in the terminal, its head and the line that says how many are left out among them."""

FIRST: tuple[str, ...] = ("false proof", "because", "proved", "outside", "measured", "above", "event", "limits")
FIRST += (
    "no proof",
    "weak",
    "pair",
    "not told",
    "raised",
    "noise",
    "shrink",
    "sure",
    "means",
    "labels",
    "left",
    "note",
)
"""Labels in the order of their weight; all others come after them, and what a label says again after all labels."""


def first_lines(lines: Sequence[str], most: int) -> list[str]:
    """Return at most `most` lines, a label with all lines of its text or none; the last says how many are left out."""
    if len(lines) <= most:
        return list(lines)
    facts: list[list[str]] = []
    for each in lines:
        if each.startswith(HANG) and facts:
            facts[-1].append(each)
        else:
            facts.append([each])
    labels = [fact[0][: len(HANG)].strip() for fact in facts]
    weights = [(labels[:place].count(word), _place(word)) for place, word in enumerate(labels)]
    taken: set[int] = set()
    room = most - 1
    for place in sorted(range(len(facts)), key=weights.__getitem__):
        if len(facts[place]) <= room:
            taken.add(place)
            room -= len(facts[place])
    kept = [line for place, fact in enumerate(facts) if place in taken for line in fact]
    return [*kept, f"  ...       {len(lines) - len(kept)} more lines: --verbose"]


def _place(word: str) -> int:
    return FIRST.index(word) if word in FIRST else len(FIRST)
