"""Lines of tables and keys, beside the reader that says what the text holds."""

from __future__ import annotations

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.toml_file import TomlLines

TEXT = '''# [not.a.header]
seed = 1
text = """
[[audit]]
key = 3
"""

[[audit]]
name = "a # [b]"
data = [
  1.0,  # x = 2
  [2.0],
]
accept = { until = 2027-01-31 }

[ audit . accept ]
reason = 'x'

[[audit]]
name = "b"
asked.deep = 1
'''


def test_each_key_has_its_line():
    lines = TomlLines.of(TEXT).lines
    assert lines == {
        ("seed",): 2,
        ("text",): 3,
        ("audit", 0): 8,
        ("audit", 0, "name"): 9,
        ("audit", 0, "data"): 10,
        ("audit", 0, "accept"): 14,
        ("audit", 0, "accept", "reason"): 17,
        ("audit", 1): 19,
        ("audit", 1, "name"): 20,
        ("audit", 1, "asked", "deep"): 21,
    }


def test_a_place_inside_a_statement_has_the_line_of_the_statement():
    lines = TomlLines.of(TEXT)
    assert lines.line(("audit", 0, "data", 1, 0)) == 10
    assert lines.line(("audit", 1, "claim")) == 19
    assert lines.line(("nothing",)) == 1


def test_a_header_is_read_as_toml_reads_it():
    lines = TomlLines.of('[["a b"]]  # c\r\n\n[ "a b".x."y, z" ]\n').lines
    assert lines == {("a b", 0): 1, ("a b", 0, "x", "y, z"): 3}


WORDS = st.text("ab", min_size=1, max_size=3)
VALUES = st.sampled_from(['"x"', "1", "[1, 2]", "[\n 1,\n 2,\n]", '"""\n[a]\nb = 1\n"""', "{ a = 1 }", "'#'"])


@given(st.lists(st.tuples(WORDS, VALUES), unique_by=lambda each: each[0], max_size=6), st.integers(0, 3))
def test_every_key_that_the_reader_finds_is_on_its_line(pairs, tables):
    keys = "".join(f"{name} = {value}  # c\n" for name, value in pairs)
    text = f"[[t]]\n{keys}\n" * tables
    found, lines = tomllib.loads(text), TomlLines.of(text)
    for index, table in enumerate(found.get("t", ())):
        for name in table:
            written = text.split("\n")[lines.line(("t", index, name)) - 1]
            assert written.startswith(f"{name} = ")
    assert len(lines.lines) == tables * (len(pairs) + 1)
