"""A sequential row in words: the e-value, why it stopped, and the sessions; nothing for other rows."""

from __future__ import annotations

from typing import Any

import pytest

from dpverify.reporting.sequential_lines import sequential_lines


def item(**changes: Any) -> dict[str, Any]:
    found = {
        "e_value": 1200.0,
        "e_value_largest": 1500.0,
        "e_value_here": 1200.0,
        "alpha": 0.001,
        "stop": "refuted",
        "pairs": 4096,
        "pairs_bet": 3000,
    }
    return {"evidence": [{"statistics": found | changes}]}


def text(**changes: Any) -> str:
    return " ".join(" ".join(sequential_lines(item(**changes))).split())


def test_the_e_value_and_why_it_stopped():
    assert (
        text() == "e-value 1500 at its highest, 1200 last, 1000 refutes stopped the claim was refuted, after 4096 pairs"
    )
    assert "stopped the trials were spent" in text(stop="trials")
    assert "would have been detected with 80 % power" in text(stop="power")
    assert "before its end" in text(stop=None)


@pytest.mark.parametrize(
    ("changes", "many"), [({"e_value_here": 4.0}, "several"), ({"sessions": 3}, "3"), ({"nights": 3}, "3")]
)  # as older records call them
def test_sessions_are_told_where_there_were_earlier_ones(changes, many):
    assert f"sessions {many} pooled, 3000 pairs bet in all; this session's own e-value is" in text(**changes)
    assert all(len(line) <= 79 for line in sequential_lines(item(**changes)))
    assert "sessions" not in text(sessions=1)


def test_a_session_that_lost_says_that_many_short_ones_find_less():
    assert "one longer session finds more" in text(sessions=3, e_value_here=0.4, stop="trials")
    assert "longer session" not in text(sessions=3, e_value_here=4.0, stop="trials")
    assert "longer session" not in text(sessions=3, e_value_here=0.4)
    assert "longer session" not in text(sessions=3, e_value_here=0.4, stop="power")


def test_other_rows_have_no_such_lines():
    assert sequential_lines({"evidence": []}) == []
    assert sequential_lines({"evidence": [{"statistics": {"e_value": 2.0}}]}) == []
