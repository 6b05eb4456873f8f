"""Nothing that does not print comes through, and everything that prints comes through as it is."""

import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.errors import one_line
from dpverify.core.printable import all_visible, visible

ANY = st.text(st.characters(codec=None, exclude_categories=[]))


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("plain ≥ ∞ é 中", "plain ≥ ∞ é 中"),
        ("\x1b[2J", "\\x1b[2J"),
        ("\x9b2J", "\\x9b2J"),
        ("a\x00b", "a\\x00b"),
        ("\u202egnp\u2066", "\\u202egnp\\u2066"),
        ("\ud800", "\\ud800"),
        ("\ufffe", "\\ufffe"),
        ("\U000e0001", "\\U000e0001"),
        ("a\tb\u00a0c\u2028d", "a b c d"),
        ("a\r\nb\nc\rd", "a b c\\rd"),
    ],
)
def test_what_does_not_print_is_written_out(text, seen):
    assert visible(text) == seen


def test_line_ends_stay_where_lines_are_wanted():
    assert visible("a\r\nb\nc\x1b", lines=True) == "a\nb\nc\\x1b"


@given(text=ANY)
def test_the_result_prints_is_xml_and_is_a_fixed_point(text):
    seen = visible(text)
    assert seen.isprintable()
    assert visible(seen) == seen
    lines = visible(text, lines=True)
    assert all(map(str.isprintable, lines.split("\n")))
    root = ElementTree.Element("a")
    root.text = lines
    assert (ElementTree.fromstring(ElementTree.tostring(root)).text or "") == lines


@given(text=st.text(st.characters(exclude_categories=["C", "Z"])))
def test_what_prints_is_left_alone(text):
    assert visible(text) == text


def test_every_text_of_a_record_is_made_visible_and_nothing_else_is_touched():
    given = {"a\x00": ["\x1b", 1, 2.5, None, True, {"b": ("\u202e",)}]}
    assert all_visible(given) == {"a\\x00": ["\\x1b", 1, 2.5, None, True, {"b": ["\\u202e"]}]}


def test_a_message_is_one_line_that_prints():
    assert one_line("a\n \x1b[31mb\x07 ") == "a \\x1b[31mb\\x07"
