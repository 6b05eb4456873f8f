"""``objections.toml``: what it registers, and one line with the line number for whatever does not fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from dpverify.core.errors import InputError
from dpverify.core.ledger_words import Prices, Printed
from dpverify.core.plugins import registry
from dpverify.core.registry import Registry
from dpverify.ledger.objections_file import load_objections
from dpverify.ledger.rows import objection_record

CLAIM, OTHER = "BL-BUDGET.paper", "BL-BUDGET.diss"
WHOLE = f"""
# what the authors would say
[[objection]]
of = "{CLAIM}, {OTHER}"
loses = "privacy"
says = "It halts."
left = "All."
printed = [{{ what = "n = 3", where = "Table 1" }}]
scale = "two runs"
factor = "unbounded, {{factor}} after 3"
beside = ["{OTHER}"]
delta = 1e-8
epsilon = "tests.ledger.test_objections_file.prices"
with = {{ found = 2.0 }}
"""


def prices(*, found: float) -> Prices:
    if found < 0:
        raise ValueError("below 0")
    return Prices(claimed=1.0, found=found, how="by hand")


def loaded(folder: Path, text: str) -> Registry:
    """A registry that knows the ledger's claims, with the objections of a text."""
    known = Registry()
    known.entries = registry().entries
    path = folder / "objections.toml"
    path.write_text(text, encoding="utf-8")
    load_objections(path, known)
    return known


def test_an_entry_is_registered_for_each_of_its_claims(tmp_path: Path) -> None:
    known = loaded(tmp_path, WHOLE)
    assert set(known.objections) == {CLAIM, OTHER}
    found = known.objections.get(OTHER)
    assert (found.claim, found.loses, found.says, found.left) == (OTHER, "privacy", "It halts.", "All.")
    assert found.printed == (Printed(what="n = 3", where="Table 1"),)
    assert found.by_the_paper
    kept = objection_record(known, CLAIM, "refuted")
    assert kept is not None
    assert kept["epsilon"] == {"claimed": 1.0, "found": 2.0, "how": "by hand"}
    assert kept["printed"] == [{"what": "n = 3", "where": "Table 1"}]


def test_it_stands_beside_refuted_claims_alone(tmp_path: Path) -> None:
    known = loaded(tmp_path, WHOLE)
    assert objection_record(known, CLAIM, "not_refuted") is None
    assert objection_record(known, "BL-POST", "refuted") is None


def test_a_computation_that_fails_says_so(tmp_path: Path) -> None:
    kept = objection_record(loaded(tmp_path, WHOLE.replace("found = 2.0", "found = -1.0")), CLAIM, "refuted")
    assert kept is not None
    assert kept["epsilon"] is None
    assert kept["problem"] == "ValueError: below 0"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('says = "It halts."', "", "without 'says'"),
        ('left = "All."', 'left = " "', "without 'left'"),
        ('loses = "privacy"', 'loses = "money"', "loses = 'money'"),
        (', where = "Table 1"', "", "printed = {'what': 'n = 3'}"),
        ('"Table 1"', '""', "a printed number 'n = 3' at ''"),
        ('printed = [{ what = "n = 3", where = "Table 1" }]', "", "without numbers"),
        (CLAIM + ",", "NO-SUCH,", "names 'NO-SUCH'"),
        (f'beside = ["{OTHER}"]', 'beside = ["NO-SUCH"]', "names 'NO-SUCH'"),
        ("{factor} after", "after", "factor = "),
        ("scale =", "sclae =", "unknown field 'sclae'"),
        ("delta = 1e-8", "delta = 2.0", "delta"),
        ("test_objections_file.prices", "test_objections_file.nothing", "no function at"),
        ("found = 2.0", "fuond = 2.0", "TypeError"),
        ('epsilon = "tests.ledger.test_objections_file.prices"', "", "`with` of an objection without"),
    ],
)
def test_what_does_not_fit_is_one_line_with_its_place(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in WHOLE
    with pytest.raises(InputError) as caught:
        loaded(tmp_path, WHOLE.replace(old, new, 1))
    problem = str(caught.value)
    assert "objections.toml, line 3: " in problem
    assert said in problem
    assert "\n" not in caught.value.what


def test_other_entries_are_refused_and_inline_ones_have_the_line_of_their_statement(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 2: unknown 'claim'"):
        loaded(tmp_path, "\n[[claim]]\n")
    with pytest.raises(InputError, match="line 1: an objection without 'loses'"):
        loaded(tmp_path, f'objection = [{{ of = "{CLAIM}" }}]\n')
