"""What is said beside a verdict: a record's remark, and the authors' strongest objection.

An objection says at whose numbers the row fails, what the authors would say, and what is left of the claim; a remark
its reason, meaning, advice, and the numbers that support it. A remark is shown only with a verdict, and only while its
computation confirms it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dpverify.core.record import Record
from dpverify.reporting.formatting import number
from dpverify.reporting.labelled_lines import labelled
from dpverify.reporting.ledger_epsilon import epsilon_text
from dpverify.reporting.ledger_standing import HOW, factor_text, objection_of, standing
from dpverify.reporting.markdown_text import code, prose

LOST = {"privacy": "privacy", "sensitivity": "a sensitivity that is too small", "remark": "neither privacy nor noise"}
"""What a user of the algorithm loses, in words."""


def numbers_text(item: Record) -> str:
    """Say at whose numbers the row fails, in Markdown: the paper's with their places, then ours."""
    told = objection_of(item)
    if told is None:
        return ""
    parts = [f"{prose(each['what'])} ({prose(each['where'])})" for each in told["printed"]]
    parts += [f"*ours:* {prose(told['ours'])}"] if told["ours"] else []
    parts += [f"*ours, for its size alone:* {prose(told['scale'])}"] if told["scale"] else []
    return "; ".join(parts)


def objection_section(item: Record) -> Iterator[str]:
    """Lines of the row's section on its paper's page."""
    told, found = objection_of(item), standing(item)
    if told is None or found is None:
        return
    epsilon = epsilon_text(item)
    parts = [f"{prose(factor_text(item))}, {HOW[found.how]}", prose(epsilon)]
    yield from (f"**At whose numbers.** {numbers_text(item)}. Factor: {'; '.join(filter(None, parts))}.", "")
    yield from (f"**The authors' strongest objection.** {prose(told['says'])}", "")
    near = f" Beside it: {', '.join(map(code, told['beside']))}." if told["beside"] else ""
    lost = "" if told["excluded"] else f" At these numbers a user loses {LOST[told['loses']]}."
    yield from (f"**What is left.** {prose(told['left'])}{near}{lost}", "")
    if told["excluded"]:
        yield from (f"**No headline.** The paper's own text excludes this reading: {prose(told['excluded'])}.", "")


def objection_lines(item: Record) -> list[str]:
    """Lines of at most 79 columns; none for a row without an objection."""
    told = objection_of(item)
    if told is None:
        return []
    parts = [f"{each['what']} ({each['where']})" for each in told["printed"]]
    parts += [f"ours: {told['ours']}"] if told["ours"] else []
    parts += [f"ours, for its size alone: {told['scale']}"] if told["scale"] else []
    return [
        *labelled("at", "; ".join(parts)),
        *labelled("factor", factor_text(item)),
        *labelled("epsilon", epsilon_text(item).removeprefix("epsilon ")),
        *labelled("authors", told["says"]),
        *labelled("left", told["left"]),
        *labelled("see", ", ".join(told["beside"])),
        *labelled("excluded", told["excluded"]),
    ]


SILENT = "what was written here is not shown: its computation does not show it (any more)"


def shown_remark(item: Record) -> Mapping[str, Any] | None:
    """The remark that may be shown, or None."""
    remark = item.get("remark")
    return remark if remark and remark["holds"] else None


def why_not_shown(item: Record) -> str:
    """Why an existing remark is not shown; empty if there is none, or it is shown."""
    remark = item.get("remark")
    if not remark or remark["holds"]:
        return ""
    return f"{SILENT}{': ' + remark['problem'] if remark.get('problem') else ''}"


def remark_lines(item: Record) -> list[str]:
    """Lines of at most 79 columns; none for a row without a remark."""
    remark = shown_remark(item)
    if remark is None:
        return labelled("why", why_not_shown(item))
    return [
        *labelled("why", remark["breaks"]),
        *(
            line
            for each in remark["numbers"]
            for line in labelled("", f"- {each['label']}: {number(each['value'], 5)}")
        ),
        *labelled("means", remark["means"]),
        *labelled("instead", remark["instead"]),
    ]
