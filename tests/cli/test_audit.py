"""`dpverify audit` on an example: what falls outside of it is the first line, with a warning, and options say more."""

from __future__ import annotations

import json
import sys
from importlib.resources import files

import jsonschema
import pytest

SCHEMA = json.loads(files("dpverify.reporting").joinpath("record.schema.json").read_text())
MODULE = """
import numpy as np

def no_clip(data, size, rng):
    return float(sum(data)) + rng.laplace(size=size)

def incomes(data, size, rng):
    ages = np.clip([row["age"] for row in data], 0, 100).sum() / 100
    return float(ages + sum(row["income"] for row in data)) + rng.laplace(scale=2, size=size)

def half(data, size, rng):
    return float(np.clip(np.nan_to_num(np.asarray(data, dtype=float)), 0, 1).sum()) + rng.laplace(scale=0.5, size=size)
"""
DATA = ("--data", "[0.2, 0.9, 1.0, 0.0]")
PEOPLE = ("--data", '[{"age": 30, "income": 1.0}, {"age": 50, "income": 0.25}, {"age": 40, "income": 0.0}]')
SURE = ("--claim", "PureDP(epsilon=1)", "--trials", 40_000, "--confidence", 1 - 1e-9)
LINE = "false unless records lie in [0, 1]: clip, or state --bounds (it falls at\n  1000000.0)\n"


@pytest.fixture
def audit(call, tmp_path):
    (tmp_path / "audited_outside.py").write_text(MODULE)

    def run(name, *words):
        sys.modules.pop("audited_outside", None)
        return call("audit", f"audited_outside:{name}", *SURE, *words)

    return run


def test_the_first_line_says_where_it_is_false_and_the_status_is_0_with_a_warning(audit):
    status, out, err = audit("no_clip", *DATA)
    assert status == 0
    assert out.startswith(f"{LINE}not refuted: PureDP(epsilon=1) of no_clip")
    assert "  outside   epsilon >= 1." in out
    assert "a record of 1000000.0 removed" in audit("no_clip", *DATA, "--verbose")[1]
    assert "dpverify: warning: PureDP(epsilon=1) of no_clip is false unless records lie in [0, 1]: clip" in err


def test_strict_is_inconclusive_and_by_type_it_is_refuted(audit):
    """What ``strict=True`` says in Python, in pytest and in a suite file."""
    status, out, err = audit("no_clip", *DATA, "--strict")
    assert (status, "warning: " in err) == (3, False)
    assert out.startswith(f"{LINE}inconclusive: PureDP(epsilon=1) of no_clip")
    status, out, _ = audit("no_clip", *DATA, "--strict", "--json", "-")
    (item,) = json.loads(out)
    assert (status, item["verdict"]) == (3, "inconclusive")
    assert item["reason"].startswith("PureDP(epsilon=1) of no_clip is false unless records lie in [0, 1]")
    status, out, err = audit("no_clip", *DATA, "--domain", "type")
    assert (status, out.startswith("refuted: "), "warning: " in err) == (1, True, False)
    assert audit("no_clip", *DATA, "--quiet")[::2] == (0, "")


def test_a_column_is_named_and_its_bounds_state_it(audit):
    status, out, _ = audit("incomes", *PEOPLE)
    assert (status, out.splitlines()[0].startswith("false unless income lies in [0, 1]: ")) == (0, True)
    status, out, _ = audit("incomes", *PEOPLE, "--bounds", "income=0:1", "--strict")
    assert (status, out.startswith("not refuted: ")) == (0, True)


def test_what_is_false_inside_is_refuted(audit):
    status, out, _ = audit("half", *DATA)
    assert (status, out.startswith("refuted: ")) == (1, True)


def test_the_record_has_the_line_the_pair_and_its_numbers(audit):
    status, out, err = audit("no_clip", *DATA, "--json", "-")
    (item,) = json.loads(out)
    jsonschema.validate(item, SCHEMA)
    found = item["evidence"][0]["statistics"]["outside"]
    assert (status, item["verdict"], found["says"]) == (0, "not_refuted", "refuted")
    assert found["line"] == item["reason"] == " ".join(LINE.split())
    assert len(found["witness"]["d0"]) - len(found["witness"]["d1"]) == 1
    assert found["bound"] > 1
    assert "The claim is false unless records lie in [0, 1]" in err


def test_domain_is_of_examples(audit):
    status, _, err = audit("no_clip", "--d0", "[1]", "--d1", "[]", "--domain", "type")
    assert (status, "domain beside d0 and d1" in err) == (2, True)
