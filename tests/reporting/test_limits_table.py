"""What a run says of the claims that it did not refute."""

from __future__ import annotations

import io
from typing import Any

from rich.console import Console

from dpverify.reporting.formatting import limits, no_difference_text, part_of_claim
from dpverify.reporting.limits_table import limits_table

SAMPLED = {
    "id": "a",
    "verdict": "not_refuted",
    "measure": "epsilon(delta=1e-05)",
    "claimed": 1.0,
    "tightness": 0.954,
    "detectable": 1.0625,
    "ceiling": 12.5,
    "rarest": 0.00016,
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
    assert row(text, "a") == ["a", "epsilon(delta=1e-05)", "1", "0.95", "1.06", "0.00016", "12.5"]
    assert max(map(len, text.splitlines())) <= 80


def test_an_exact_method_stands_for_the_points_it_visited_and_the_draws_beside_it_for_the_ceiling() -> None:
    assert row(shown(EXACT), "b") == ["b", "epsilon(delta=1e-05)", "1", "0.95", "1*", "0.00016", "9.25"]
    assert row(shown(EXACT | {"detectable": None}), "b")[-3:] == ["1.38", "0.00016", "9.25"]


def test_infinite_and_unknown_limits_are_said() -> None:
    assert row(shown(SAMPLED | {"detectable": "inf", "ceiling": None}), "a")[-3:] == ["∞", "0.00016", "-"]


def test_nothing_is_said_where_all_was_decided() -> None:
    assert shown(SAMPLED | {"verdict": "refuted"}, SAMPLED | {"verdict": "certified"}) == ""


def drawn(k1: int, k2: int, **changes: Any) -> dict[str, Any]:
    counts = {"k1": k1, "n1": 10_000, "k2": k2, "n2": 10_000, "alpha": 0.001, "region": {"kind": "joint", "share": 0.5}}
    return SAMPLED | {"evidence": [{"confidence": 0.999, "trials": 10_000, "statistics": counts}]} | changes


def test_a_pair_that_the_draws_did_not_tell_apart_is_said_to() -> None:
    assert no_difference_text(drawn(510, 500)) == "but 10k draws a side showed no difference between the two data sets"
    assert no_difference_text(drawn(700, 500)) == ""
    assert no_difference_text(drawn(510, 500, verdict="refuted")) == ""
    assert no_difference_text(EXACT) == ""


def test_a_leak_beyond_the_draws_and_exact_values_of_one_side_are_said() -> None:
    told = limits(drawn(510, 500, measure="epsilon"))
    assert "if all of the violation shows at the tested event" in told
    assert "these draws cannot detect a leak of probability below 0.00016" in told
    item = drawn(510, 500)
    seen = {"event": "output == 2.5", "seen": 2, "of": 100_000, "would_take": None}
    item["evidence"][0]["statistics"]["single_values"] = seen
    assert "output == 2.5 occurred 2 times in 100k draws on one side and never on the other: too rare" in limits(item)
    seen["would_take"] = 400_000
    assert "400k fresh draws a side did not confirm a difference" in limits(item)


def test_of_nothing_there_is_no_share() -> None:
    assert part_of_claim({"claimed": 0.0, "tightness": 1.0}) is None
    assert part_of_claim({"claimed": 0.0, "tightness": "inf"}) == "inf"
    assert part_of_claim({"claimed": 2.0, "tightness": 0.5}) == 0.5
