"""Tables that begin with a name: nothing over the width, no name broken inside a word, columns straight."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from dpverify.reporting.name_table import broken, name_table


def told(rows, width=40, heads=("claim", "bound", "verdict")):
    console = Console(width=width, record=True, file=io.StringIO())
    name_table(heads, [[*map(Text, row)] for row in rows], console, words=("verdict",))
    return console.export_text().splitlines()


def test_a_name_that_fits_stands_beside_its_cells():
    assert told([("a-claim", "1.5", "refuted"), ("b", "20", "not refuted")]) == [
        "claim   bound verdict",
        "a-claim   1.5 refuted",
        "b          20 not refuted",
    ]


def test_a_longer_name_stands_above_its_cells():
    name = "AM-MP-RDP-RUN-R.large-eta-returned"
    assert told([(name, "1.5", "refuted"), ("b", "20", "refuted")]) == [
        "claim                      bound verdict",
        name,
        "                             1.5 refuted",
        "b                             20 refuted",
    ]


def test_a_name_longer_than_the_line_is_broken_after_a_separator():
    lines = told([("package.module:function.with_a_long_name.and.parts", "1", "refuted")])
    assert lines[1:3] == ["package.module:function.with_a_long_", "name.and.parts"]


def test_colours_stay_with_their_cells():
    console = Console(width=40, file=io.StringIO(), force_terminal=True, color_system="standard")
    name_table(("claim", "verdict"), [[Text("a"), Text("refuted", style="bold red")]], console, words=("verdict",))
    assert "\x1b[1;31mrefuted\x1b[0m" in console.file.getvalue()


@pytest.mark.parametrize("name", ["", "x" * 100, "名" * 30, "-" * 90, "a b " * 30])
def test_no_piece_of_a_name_is_wider_than_the_line(name):
    assert max(map(cell_len, broken(name, 20))) <= 20


@given(st.text(st.characters(exclude_categories=["C", "Z"]), max_size=120), st.integers(2, 40))
def test_nothing_of_a_name_is_lost(name, wide):
    lines = broken(name, wide)
    assert "".join(lines) == name
    assert all(cell_len(line) <= wide for line in lines)
