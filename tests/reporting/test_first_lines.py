"""What is shown first of a long result: whole facts by weight, in their order, and how much is left out."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from dpverify.reporting.first_lines import MOST, first_lines
from dpverify.reporting.labelled_lines import labelled
from dpverify.reporting.terminal import one_result
from tests.reporting.test_writers import made

LONG = " ".join(["word"] * 60)
NOTES = [f"note {place}" for place in range(20)]


def test_a_short_result_is_shown_whole():
    lines = [*labelled("measured", "x"), *labelled("steps", "y")]
    assert first_lines(lines, 2) == lines


def test_a_long_one_shows_whole_facts_by_weight_in_their_order():
    lines = [*labelled("steps", "s"), *labelled("measured", "m"), *labelled("pair", LONG), *labelled("event", "e")]
    assert first_lines(lines, 3) == [
        "  measured  m",
        "  event     e",
        f"  ...       {len(lines) - 2} more lines: --verbose",
    ]
    assert first_lines(lines, 4)[0] == "  steps     s"  # the pair would not fit
    assert first_lines([*lines, *labelled("note", "n")], len(lines))[:-1] == lines[1:]


def test_a_label_of_two_words_is_one():
    lines = [*labelled("not told", "a"), *labelled("note", "b"), *labelled("steps", "c")]
    assert first_lines(lines, 2)[0] == "  not told  a"


def test_what_a_label_says_again_comes_after_all_labels():
    lines = [*labelled("outside", "a"), *labelled("outside", "b"), *labelled("sure", "c"), *labelled("steps", "d")]
    assert first_lines(lines, 3)[:2] == ["  outside   a", "  sure      c"]


@pytest.mark.parametrize("changes", [{}, {"guarantee": LONG}, {"reason": LONG}, {"witness": {"event": LONG}}])
def test_a_result_has_at_most_twelve_lines_and_all_of_them_where_it_is_asked(changes):
    def shown(verbose):
        out = io.StringIO()
        one_result(made(**changes), Console(file=out, width=80), notes=NOTES, verbose=verbose)
        return out.getvalue().splitlines()

    few, whole = shown(False), shown(True)
    assert len(few) <= MOST < len(whole)
    assert f"{len(whole) - len(few) + 1} more lines: --verbose" in few[-1]
    assert [line for line in whole if line in few] == few[:-1]
