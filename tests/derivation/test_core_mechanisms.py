"""The table of the registered mechanisms as functions on records: which are proved, and at which line others stop."""

import re
from pathlib import Path

import pytest

import dpverify as dpv
from tests.derivation import core_mechanisms

PAGE = Path(__file__).parents[2] / "docs" / "why" / "proofs.md"
ROW = re.compile(r"^\| ([a-z, ]+) \| `([A-Za-z]+\([a-z]+=[\d.]+\))` \| (proved|not derived) \|", re.MULTILINE)
ROWS = [
    (getattr(core_mechanisms, name.strip().replace(" ", "_")), claim, outcome)
    for names, claim, outcome in ROW.findall(PAGE.read_text(encoding="utf-8"))
    for name in names.split(",")
]


@pytest.mark.parametrize(("mechanism", "claim", "outcome"), ROWS, ids=[each[0].__name__ for each in ROWS])
def test_the_page_says_what_is_derived(mechanism, claim, outcome):
    found = dpv.derive(mechanism, data=[0.2, 0.9, 1.0, 0.0], claim=claim)
    assert found.outcome == outcome, found
    if outcome == "not derived":
        assert found.why.startswith("core_mechanisms.py:")


def test_no_mechanism_is_left_out():
    functions = {each for each in vars(core_mechanisms).values() if callable(each) and hasattr(each, "__code__")}
    taken = {each for each in functions if each.__code__.co_varnames[:2] == ("data", "rng")}
    assert {row[0] for row in ROWS} == taken
