"""A record's remark as text: reason, meaning, advice, and the numbers that support it.

A remark is shown only with a verdict, and only while its computation confirms it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpverify.core.record import Record
from dpverify.reporting.formatting import number
from dpverify.reporting.labelled_lines import labelled

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
