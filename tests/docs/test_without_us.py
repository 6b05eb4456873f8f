"""The file that checks refutations without us confirms committed ones, and none whose counts or bets were changed."""

from __future__ import annotations

import copy
import importlib.util
import json
from pathlib import Path

import pytest

import dpverify as dpv
from auditors.privacy.sequential.recheck import whole_chain
from dpverify.core.evidence import ContradictionError
from dpverify.runner.recheck_printed import printed_evidence
from tests.release import one_file

ROOT = Path(__file__).parents[2]
if not one_file.PAGE.is_file():
    pytest.skip("an installed package has no pages beside it", allow_module_level=True)


@pytest.fixture(scope="module")
def checker(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / one_file.OF_PAGE
    path.write_text(one_file.of_page(), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("recheck_counts", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def records():
    rows = []
    for name in ("diffprivlib", "opendp"):
        told = json.loads((ROOT / f"reports/libraries/{name}.json").read_text(encoding="utf-8"))
        rows += [row for row in told if row["verdict"] == "refuted" and "blocks" in deciding(row)["statistics"]]
    return rows


def deciding(record):
    return next(each for each in record["evidence"] if each["says"] == "refuted")


def test_every_refutation_by_bets_that_it_knows_is_confirmed(checker):
    known, unknown = 0, set()
    for record in records():
        try:
            right, told = checker.checked(record)
        except checker.Unknown:
            unknown.add(record["guarantee"].partition("(")[0])
        else:
            assert right, (record["id"], told)
            known += 1
    assert known > 80 and unknown <= {"RDP", "ZCDP"}


def test_its_wealth_is_that_of_the_record(checker):
    """Where the wealth is highest at the end, which every record has."""
    looked = 0
    for record in records():
        said = deciding(record)["statistics"]
        if record["guarantee"] == "PureDP(epsilon=1)" and said["e_value_largest"] == said["e_value_here"]:
            again = checker.highest_wealth("PureDP", {"epsilon": 1.0}, said, float("inf"))
            assert again == pytest.approx(said["e_value_here"], rel=1e-6)
            looked += 1
    assert looked > 10


def changed(said, what):
    told = copy.deepcopy(said)
    slot = told["blocks"][-1]["slots"][0]
    if what == "weights":
        slot["weights"] = [2 * weight + 1 for weight in slot["weights"]]
    elif what == "delta":
        slot["delta"] = slot["delta"] / 2 - 1e-6
    elif what == "slope":
        slot["slope"] /= 3
    elif what == "fractions":
        told["fractions"][0] = 1.5
    elif what == "negative":
        slot["counts"][0] -= 1_000
    elif what == "moment":
        told["blocks"][-1]["moments"] = [[[0, 0, 5, 0]] * (len(told["blocks"][-1]["slots"]) + 1)]
    return told


@pytest.mark.parametrize("what", ["weights", "delta", "slope", "fractions", "negative", "moment"])
def test_bets_that_the_rules_forbid_are_no_bets(checker, what):
    record = copy.deepcopy(records()[0])
    part = deciding(record)
    part["statistics"] = changed(part["statistics"], what)
    part["statistics"]["alpha"] = 1e-300  # so that all blocks are read
    with pytest.raises(ValueError, match=r"more than the wealth|does not imply|outside|do not belong together"):
        checker.checked(record)


def test_fewer_hits_are_weaker(checker):
    record = copy.deepcopy(records()[0])
    said = deciding(record)["statistics"]
    for block in said["blocks"]:
        block["moments"] = []
        for slot in block["slots"]:
            slot["counts"] = [sum(slot["counts"]), 0, 0, 0]
    right, told = checker.checked(record)
    assert not right and told.startswith("a wealth of ")
    with pytest.raises(ContradictionError):
        whole_chain(dpv.PureDP(epsilon=1.0), printed_evidence("r", deciding(record)))


@pytest.mark.parametrize(
    ("claim", "parameter"),
    [("PureDP(epsilon=1)", "epsilon"), ("GDP(mu=0.6)", "mu"), ("RDP(order=2, epsilon=0.3)", "epsilon")],
)
def test_its_bound_from_counts_is_no_higher_than_ours(checker, claim, parameter):
    record = dpv.audit(half, [1.0], [], claim=claim, trials=5_000).record()
    right, told = checker.checked(record)
    assert right and told.startswith(f"{parameter} >= ")
    assert 0.8 * record["bound"] < float(told.split()[2].rstrip(",")) <= record["bound"] + 1e-4


def test_recorded_noise(checker):
    record = dpv.audit(small, data=[1.0, 0.5], claim="PureDP(epsilon=1)").record()
    said = deciding(record)["statistics"]
    assert said["laws"]
    right, told = checker.checked(record)
    assert right and "runs a side" in told
    said["laws"]["q"] = said["laws"]["p"] / 2
    assert not checker.checked(record)[0]


def half(data, rng):
    return sum(data) + rng.laplace(scale=0.5)


def small(data, rng):
    return len(data) + rng.laplace(scale=0.1)
