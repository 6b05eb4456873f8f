"""What a run says of the claims that it did not refute."""

from __future__ import annotations

import io
from typing import Any

from rich.console import Console

from dpverify.reporting.limits_table import limits_table

SAMPLED = {
    "id": "a",
    "verdict": "not_refuted",
    "measure": "epsilon(delta=1e-05)",
    "claimed": 1.0,
    "tightness": 0.954,
    "detectable": 1.0625,
    "ceiling": 12.5,
    "confidence": 0.999,
    "error": None,
    "evidence": [],
}
EXACT = SAMPLED | {
    "id": "b",
    "confidence": None,
    "error": 1e-9,
    "detectable": 1.00001,
    "ceiling": None,
    "evidence": [{"confidence": 0.999, "detectable": 1.375, "ceiling": 9.25}],
}


def shown(*records: dict[str, Any]) -> str:
    console = Console(width=80, record=True, file=io.StringIO())
    limits_table(records, console)
    return console.export_text()


def row(text: str, name: str) -> list[str]:
    return next(line.split() for line in text.splitlines() if line.startswith(name + " "))


def test_a_row_says_what_was_reached_what_would_show_and_what_could() -> None:
    text = shown(SAMPLED)
    assert row(text, "a") == ["a", "epsilon(delta=1e-05)", "1", "0.95", "1.06", "12.5"]
    assert max(map(len, text.splitlines())) <= 80


def test_an_exact_method_stands_for_the_points_it_visited_and_the_draws_beside_it_for_the_ceiling() -> None:
    assert row(shown(EXACT), "b") == ["b", "epsilon(delta=1e-05)", "1", "0.95", "1*", "9.25"]
    assert row(shown(EXACT | {"detectable": None}), "b")[-2:] == ["1.38", "9.25"]


def test_infinite_and_unknown_limits_are_said() -> None:
    assert row(shown(SAMPLED | {"detectable": "inf", "ceiling": None}), "a")[-2:] == ["∞", "-"]


def test_nothing_is_said_where_all_was_decided() -> None:
    assert shown(SAMPLED | {"verdict": "refuted"}, SAMPLED | {"verdict": "certified"}) == ""
