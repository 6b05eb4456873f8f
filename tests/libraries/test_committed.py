"""The committed tables of libraries: every bound is what its counts give, and a changed one is noticed."""

from __future__ import annotations

import copy
from functools import partial

import pytest

from dpverify.core.plugins import registry
from dpverify.definitions.grammar import parse_guarantee
from dpverify.reporting.read_records import read_records
from dpverify.runner.recheck import recheck
from tests.libraries.page import FOLDER, PAGE, page, read_table

TABLES = sorted(each for each in FOLDER.glob("*.json") if ".about" not in each.name)


def rechecked(item):
    known = registry()
    read = partial(parse_guarantee, definitions=dict(known.definitions.items()))
    return recheck(item, read=read, auditors=dict(known.auditors.items())).says


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_bounds_are_what_the_counts_give(path):
    found = read_records(path)
    assert len(found) >= 8
    assert {item["library"] for item in found} == {path.stem}
    assert {rechecked(item) for item in found if item["evidence"]} <= {"agrees", "exact"}


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_every_claim_was_audited_and_every_twin_found(path):
    found = read_records(path)
    assert all(item["evidence"] for item in found)
    assert {item["verdict"] for item in found if item["expectation"] == "broken"} == {"refuted"}


def test_the_page_is_what_the_records_say():
    assert PAGE.read_text(encoding="utf-8") == page()


def test_a_changed_bound_is_noticed():
    item = next(item for item in read_records(TABLES[0]) if item["verdict"] == "refuted")
    assert rechecked({**item, "bound": item["bound"] * 1.01}) != "agrees"


@pytest.mark.parametrize(("factor", "says"), [(1.0 + 1e-12, "agrees"), (1.0 + 1e-6, "differs")])
def test_a_claimed_value_may_differ_in_its_last_digits_as_on_another_machine_and_no_further(factor, says):
    (item,) = (
        item for item in read_records(FOLDER / "opendp.json") if item["id"] == "make_chain_pm:gaussian:twin-half-scale"
    )
    evidence = copy.deepcopy(item["evidence"])
    chain = evidence[0]["statistics"]["chain"]
    chain["claimed"] *= factor
    assert rechecked({**item, "evidence": evidence}) == says


def test_a_table_shows_itself_in_a_notebook():
    table = read_table(FOLDER, "pydp")
    page = table._repr_html_()
    assert "pydp 1.1.5" in page
    assert all(f">{item['id']}<" in page for item in table.records)
    assert "<script" not in page
