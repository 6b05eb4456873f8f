"""What the ledger's pages ask of a row: is it a repair, a privacy claim, where does it stand; and of all: how many."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dpverify.core.record import Record
from dpverify.reporting.ledger_markdown import anchor
from dpverify.reporting.ledger_table import paper_of
from dpverify.reporting.markdown_text import code
from dpverify.runner.atomic_files import safe_name

Records = Sequence[Record]
UNEXAMINED = ("unsupported", "inconclusive", "error")
"""Verdicts of rows on which nothing was found, either way."""


def is_repair(item: Record) -> bool:
    """Tell whether the row is of a repaired claim."""
    return re.search(r"-R(\.|$)", item["id"]) is not None


def is_privacy_claim(item: Record) -> bool:
    """Tell whether the claim is about privacy: a guarantee, a sensitivity, or a bound on a privacy measure."""
    kind, _, words = item["guarantee"].partition("(")
    bounded = words.partition('quantity="')[2].partition('"')[0]
    return kind not in ("UpperBound", "Expectation") or bounded in ("epsilon", "delta", "renyi")


def refuted_originals(records: Records) -> list[Record]:
    """The refuted claims of the papers."""
    return [item for item in records if item["verdict"] == "refuted" and not is_repair(item)]


def link(item: Record, *, pages: str) -> str:
    """A link to the row on its paper's page, which is below `pages`."""
    return f"[{code(item['id'])}]({pages}{safe_name(paper_of(item))}.md#{anchor(item)})"


def examined(records: Records) -> str:
    """Say in a sentence what was found on the papers' own claims; repairs are not counted."""
    own = [item for item in records if not is_repair(item)]
    count = {verdict: sum(item["verdict"] == verdict for item in own) for verdict in ("refuted", "certified")}
    open_ = sum(item["verdict"] in UNEXAMINED for item in own)
    rest = len(own) - sum(count.values()) - open_
    begun = (
        "Every claim that we found was examined" if not open_ else f"All but {open_} claims that we found were examined"
    )
    proved = {0: "none is", 1: "1 is"}.get(count["certified"], f"{count['certified']} are")
    return (
        f"{begun}: of {len(own)}, each reading counted, {count['refuted']} are false as stated, {proved} proved, for "
        f"{rest} no violation was found."
    )
