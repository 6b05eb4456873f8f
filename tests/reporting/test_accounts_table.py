"""The table of accountants: within 80 columns, rounded outwards, every word of it; and JSON that keeps its schema."""

import json
import math
from importlib.resources import files

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from dpverify.accounting.side_by_side import AccountantRow, Accounts, Refusal
from dpverify.core.composition import Bracket
from dpverify.reporting.accounts_table import accounts_record, accounts_table
from dpverify.shown.rounded import DIGITS, rounded_bound

SCHEMA = json.loads(files("dpverify.reporting").joinpath("accounts.schema.json").read_text())


def row(name, *, lower=0.0, upper=math.inf, side="upper", note="", source="A paper"):
    bracket = Bracket(lower=lower, upper=upper, note=note)
    return AccountantRow(accountant=name, version="1", source=source, side=side, bracket=bracket, seconds=0.125)


def made(*rows, refusals=(), asked="epsilon", composition="gaussian(sigma=1)*10"):
    at = {"epsilon": {"delta": 1e-5}, "delta": {"epsilon": 1.0}, "sigma": {"epsilon": 1.0, "delta": 1e-5}}[asked]
    return Accounts(
        composition=composition, runs=10, relation="any", asked=asked, given=at, rows=rows, refusals=refusals
    )


def shown(accounts, capsys, width=80):
    accounts_table(accounts, Console(width=width))
    return capsys.readouterr().out


LONG = "word " * 60
MANY = made(
    row("bracketing", lower=1.23456789, upper=1.3456781, side="bracket", note="grid 1"),
    row("exact", lower=1.25, upper=1.5, side="bracket", note="grid 1, width 0.17"),
    row("upper", upper=1e-300, note=LONG, source=LONG),
    row("none", note="[red]not markup[/red]"),
    row("formula", upper=0.5, side="printed"),
    refusals=(Refusal(accountant="refuses", reason=LONG * 9), Refusal(accountant="b", reason="x" * 200, failed=True)),
    composition="discrete(p=(" + "0.001," * 500 + "))",
)


def test_everything_fits_80_columns(capsys):
    for width in (80, 200):
        text = shown(MANY, capsys, width)
        assert max(len(line) for line in text.splitlines()) <= 80
    for name in ("bracketing", "exact", "upper", "none", "formula", "refuses"):
        assert f"{name} " in text
    assert "[red]not markup[/red]" in text


def test_what_is_printed_is_rounded_outwards(capsys):
    text = shown(MANY, capsys)
    assert "1.23456     1.34568  bracket" in text
    assert "bracketing        -" not in text
    assert "none - ∞ upper" in " ".join(text.split())


def test_no_width_is_told_where_there_is_no_lower_end(capsys):
    found = made(row("above", lower=0.0, upper=1.5, side="bracket", note="no lower end: unseen"))
    assert "width" not in shown(found, capsys)


def test_the_width_of_a_bracket_is_told_once(capsys):
    text = shown(MANY, capsys)
    assert "grid 1, width 0.083" in text
    assert text.count("width 0.17") == 1
    assert text.count("width") == 2


def test_what_holds_together(capsys):
    sound = made(
        row("a", lower=1.0, upper=2.0, side="bracket"), row("b", upper=3.0), row("c", upper=0.5, side="printed")
    )
    text = shown(sound, capsys)
    assert "1 (a) <= epsilon <= 2 (a)" in text
    assert "it may be wrong" in text
    assert "delta <= 0.25 (b)" in shown(made(row("b", upper=0.25), asked="delta"), capsys)
    text = shown(made(row("b", upper=1.25, side="bracket"), asked="sigma"), capsys)
    assert "sigma = 1.25 suffices (b)" in text
    assert "bracket" not in text
    assert "!" in shown(MANY, capsys)
    assert "one of them is wrong" in " ".join(shown(MANY, capsys).split())


def test_what_holds_together_is_rounded_outwards(capsys):
    """Both ends have a seventh digit that rounding to nearest would send the wrong way."""
    close = made(row("a", lower=1.2345678, upper=1.2345721, side="bracket"))
    assert "1.23456 (a) <= epsilon <= 1.23458 (a)" in shown(close, capsys)
    crossed = made(row("a", lower=1.2345678, upper=2.0, side="bracket"), row("b", upper=1.2345721), asked="delta")
    assert "1.23456 (a) <= delta <= 1.23458 (b)" in shown(crossed, capsys)
    assert "sigma = 1.23457 suffices (b)" in shown(made(row("b", upper=1.2345611), asked="sigma"), capsys)


def test_nobody_applies(capsys):
    text = shown(made(refusals=(Refusal(accountant="a", reason="no"),)), capsys)
    assert "No accountant applies." in text
    assert "a  no" in text


@given(st.floats(min_value=0, allow_nan=False, allow_infinity=False), st.booleans())
def test_outward(value, up):
    printed = rounded_bound(value, up=up)
    assert float(printed) >= value if up else float(printed) <= value
    assert len(printed) <= DIGITS + 7
    if 1e-300 < value < 1e300:
        assert abs(float(printed) / value - 1) < 10.0 ** (1 - DIGITS)


@pytest.mark.parametrize("text", ["0", "0.1", "0.3", "2", "100000", "1.5", "0.00001", "1e-7", "1.5e-9", "1.5e+20"])
def test_short_numbers_stay(text):
    for up in (True, False):
        assert rounded_bound(float(text), up=up) == text


@pytest.mark.parametrize("accounts", [MANY, made(), made(row("a", lower=math.inf, side="bracket"), asked="sigma")])
def test_json_keeps_its_schema(accounts):
    item = accounts_record(accounts)
    jsonschema.validate(json.loads(json.dumps(item, allow_nan=False)), SCHEMA)
    assert [one["accountant"] for one in item["accountants"]] == [one.accountant for one in accounts.rows]


def test_json_has_every_digit_and_names_infinity():
    item = accounts_record(MANY)
    assert item["accountants"][0]["lower"] == 1.23456789
    assert item["accountants"][3]["upper"] == "inf"
    assert item["accountants"][3]["width"] is None
    assert item["lowest"] == "upper"
    assert item["contradiction"]


def test_json_says_who_refused_and_who_failed():
    refused = accounts_record(MANY)["refused"]
    assert [(one["accountant"], one["failed"]) for one in refused] == [("refuses", False), ("b", True)]
    assert refused[1]["reason"] == "x" * 200
