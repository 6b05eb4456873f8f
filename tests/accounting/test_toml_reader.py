"""Tables as the standard library reads them; keys and values nested beyond any use are refused before it does."""

import tomllib

import pytest

from dpverify.accounting.toml_reader import DEEPEST, MOST_PARTS, parse_toml


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a.b.c = 1\n[d.'e.f'.\"g.h\"]\ni = 1.5 # [[[ a.b.c.d.e.f.g.h.i.j",
        'a = """\n"[[[" a.b.c.d.e.f.g.h.i.j \\" """\nb = \'\'\'[[["""\'\'\'',
        "a = " + "[" * DEEPEST + "]" * DEEPEST,
        "a = [" + "1.5, " * 1000 + "]",
        "a = [" + "[1], {b = 2}, " * 1000 + "]",
        ".".join("a" * MOST_PARTS) + " = 1",
        'a = "' + "b." * 100 + '"',
        "t = 1979-05-27T07:32:00.999-07:00",
    ],
)
def test_what_is_toml_is_read_as_ever(text):
    assert parse_toml(text) == tomllib.loads(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (".".join("a" * (MOST_PARTS + 1)) + " = 1", "more than 8 parts"),
        ("[" + " . ".join("a" * (MOST_PARTS + 1)) + "]", "more than 8 parts"),
        (".".join(["'a'", '"b"'] * 5) + " = 1", "more than 8 parts"),
        ("a = " + "[" * (DEEPEST + 1), "more than 50 deep"),
        ("a = " + "{a = " * (DEEPEST + 1), "more than 50 deep"),
        ("a = ", "Invalid value"),
    ],
)
def test_what_is_none_is_a_value_error(text, said):
    with pytest.raises(ValueError, match=said):
        parse_toml(text)
