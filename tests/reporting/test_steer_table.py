"""The table of a steered run: draws, e-values and why each audit stopped; nothing for other records."""

import io

import pytest
from rich.console import Console

from dpverify.reporting.steer_table import steer_table


def item(name, **said):
    statistics = {"e_value": 0.02, "e_value_largest": 1.5, "pairs": 3000, "alpha": 0.001, "instalments": [{}, {}]}
    return {"id": name, "evidence": [{"statistics": {**statistics, **said}}]}


def told(records, width=80):
    console = Console(width=width, record=True, file=io.StringIO())
    steer_table(records, console)
    return console.export_text()


@pytest.mark.parametrize(
    ("stop", "words"),
    [
        ("refuted", "refuted"),
        ("power", "power reached"),
        ("total", "all draws spent"),
        ("repeats", "draws repeated"),
        ("cut", "cut"),
        ("failed", "failed"),
    ],
)
def test_each_line_says_what_was_spent_what_came_of_it_and_why_it_stopped(stop, words):
    text = told([item("a-claim", stop=stop)])
    assert f"1.5 {words}" in " ".join(text.split())
    assert all(each in text for each in ("a-claim", "3k", "0.02", "1.5", "from 1000 on it refutes"))
    assert max(map(len, text.splitlines())) <= 80


def test_draws_are_added_up():
    text = told([item("a", stop="total"), item("b", stop="refuted"), {"id": "c", "evidence": []}])
    assert "In all 6k draws" in " ".join(text.split())


def test_what_was_not_steered_has_no_table():
    assert told([{"id": "a", "evidence": [{"statistics": {"e_value": 1.0}}]}, {"id": "b", "evidence": []}]) == ""


def test_names_from_strangers_do_not_act_on_the_terminal():
    assert "\x1b" not in told([item("a\x1b[31m", stop="total")])
