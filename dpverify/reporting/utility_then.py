"""The column "then" of pages of experiments: a statement's verdict on arms as their own papers accounted for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpverify.core.record import Record
from dpverify.core.registry import Registry
from dpverify.utility.measured import all_statements
from dpverify.utility.prices_then import NOT_RUN, at_then, then_verdict

LEVEL = 0.05
"""Of all verdicts of both columns together."""

NO_PRICE = "no price enters"
NO_EPSILON = "its account certifies no such epsilon"
ACCOUNTANTS = (
    "The ordering was the accountant's: these comparisons hold as accounted then, and do not hold as certified now."
)


def share(registry: Registry) -> float:
    """The level of each verdict: each statement of every experiment may have one in both columns."""
    return LEVEL / (2 * all_statements(registry))


def then_cell(
    registry: Registry,
    experiment: Any,
    statement: Any,
    item: Record | None,
    kept: Mapping[str, Any] | None,
    words: Mapping[str, str],
) -> dict[str, Any]:
    """Return what the page shows: the verdict in words, its look, its numbers, and what is left out.

    `words`: of outcomes.
    """
    if item is None or kept is None or not item["evidence"]:
        return _cell(words["unmeasured"] if item is None or kept is None else words["missing"])
    then = at_then(statement.guarantee, experiment.design, item["evidence"][0]["statistics"], kept)
    if then is None:
        return _cell(NO_PRICE)
    if not then.all:
        return _cell(words["missing"])
    claim = registry.claims.get(statement.id) if then.kept else None
    found = then_verdict(registry, claim, item, kept, then, alpha=share(registry)) if claim else None
    if found is None:
        return _cell(NOT_RUN if then.without else NO_EPSILON, told=then.left_out(not_run=""))
    whole = len(then.kept) == then.all
    part = "" if whole else f", in {len(then.kept)} of {then.all} comparisons"
    told = [each for each in (found.worst, found.why, then.left_out()) if each]
    return {
        **_cell(words[found.outcome] + part, told="; ".join(told)),
        "look": found.outcome if whole else "undecided",
        "p": found.p,
        "worst": found.worst,
        "accountants": ACCOUNTANTS if found.accountants else "",
    }


def _cell(word: str, told: str = "") -> dict[str, Any]:
    return {"word": word, "look": "undecided", "told": told, "p": None, "adjusted": "", "worst": "", "accountants": ""}
