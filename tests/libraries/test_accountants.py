"""The committed audits of libraries' accountants: the page is theirs, and what refutes is computed again."""

import shlex

import pytest

from dpverify.accountant_audit.judge import is_below
from dpverify.accountant_audit.kinds import text_of
from dpverify.accounting.side_by_side import account
from dpverify.adapters.libraries.library_accountant import LibraryAccountant
from dpverify.core.plugins import registry
from dpverify.core.read_untrusted import parse_json, read_text
from dpverify.core.verdict import Status
from tests.libraries import benchmark
from tests.libraries.accountants import FOLDER, OURS, PAGE, page

FILES = sorted(FOLDER.glob("*.json"))


def test_the_page_is_what_the_records_say():
    assert PAGE.read_text(encoding="utf-8") == page()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_each_bound_that_refutes_is_computed_again(file):
    found = parse_json(read_text(file))
    for row in found["rows"]:
        if row["verdict"] != Status.REFUTED or not row["beside"]:
            continue
        words = shlex.split(row["beside"])
        given, value, name = words[3].removeprefix("--"), float(words[4]), words[6]
        best = account(words[2], **{given: value}, accountants=[name]).highest
        assert best.bracket.lower >= row["bound"] * (1 - 1e-12)
        if given == "delta":
            assert min(row["answers"]) < row["bound"]


def test_none_of_ours_is_accused():
    for file in FILES:
        found = parse_json(read_text(file))
        if found["accountant"] in OURS:
            assert found["verdict"] == Status.NOT_REFUTED


def test_the_count_of_the_exponential_mechanism_was_found_and_the_release_stands():
    found = parse_json(read_text(FOLDER / "dp_accounting.rdp-head.json"))
    rows = {row["name"]: row for row in found["rows"]}
    assert rows["count"]["verdict"] == rows["lower bound"]["verdict"] == Status.REFUTED
    assert "exponential(epsilon=1)*2" in rows["count"]["shown"][0]
    assert parse_json(read_text(FOLDER / "dp_accounting.rdp.json"))["verdict"] == Status.NOT_REFUTED


def test_the_benchmark_page_is_what_was_measured():
    assert benchmark.PAGE.read_text(encoding="utf-8") == benchmark.page()


def test_no_answer_of_ours_is_wrong_in_the_benchmark():
    known = parse_json(read_text(benchmark.RESULTS / "truth.json"))
    assert len(known) == len(benchmark.COMPOSITIONS) == 20
    for name in OURS:
        rows = parse_json(read_text(benchmark.RESULTS / f"{name}.json"))["rows"]
        assert [row["composition"] for row in rows] == [text_of(runs) for runs, _ in benchmark.COMPOSITIONS]
        for one, best in zip(rows, known, strict=True):
            assert one["upper"] is None or not is_below(one["upper"], best["lower"])


def test_every_accountant_with_a_name_says_what_is_called():
    for name, one in registry().library_accountants.items():
        assert isinstance(one, LibraryAccountant), name
        assert one.about and one.package, name
