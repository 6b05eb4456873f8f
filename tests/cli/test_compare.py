"""`dpverify compare`: two folders of records, exit statuses, one line for bad input."""

from __future__ import annotations

import json

import pytest

from dpverify.core.json_text import dump
from tests.runner.test_compare import evidence, item


def whole(record):
    """With the fields that a record has and a comparison does not read."""
    said = {"schema": 1, "source": "user", "statement": "", "space": {}, "reason": "", "reproduce": "dpverify run"}
    lead = record["evidence"][0]
    shown = ("bound", "excess", "confidence", "error", "proved", "estimate", "detectable", "ceiling", "witness")
    numbers = {name: lead[name] for name in (*shown, "trials")}
    claimed = lead["measure"]["claimed"]
    more = {"method": lead["auditor"], "claimed": claimed, "tightness": lead["bound"] / claimed, "measure": "epsilon"}
    more |= {"surprise": None, "seconds": 0.0, "seed": 0, "environment": {}}
    return said | numbers | more | record


@pytest.fixture
def runs(tmp_path):
    before = [item(name="sum"), item(name="count"), item(name="gone")]
    after = [
        item(evidence(1.3), name="sum"),
        item(evidence(claimed=1.5), name="count", guarantee="PureDP(epsilon=1.5)"),
    ]
    for name, records in (("before", before), ("after", after)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "results.json").write_text(dump([whole(each) for each in records]))
    return tmp_path / "before", tmp_path / "after"


def test_changes_are_told_and_what_is_worse_fails(call, runs):
    status, out, err = call("compare", *runs)
    told = "dpverify: 3 of 3 changes fail (--fail-on refuted,vacuous,loosened,removed,weaker)\n"
    assert (status, err) == (1, told)
    assert out.splitlines() == [
        "refuted   sum: not refuted -> refuted",
        "loosened  count: PureDP(epsilon=1) -> PureDP(epsilon=1.5)",
        "removed   gone: PureDP(epsilon=1)",
        "3 claims before, 2 now: 1 refuted, 1 loosened, 1 removed.",
    ]
    assert call("compare", *runs, "--fail-on", "none") == (0, out, "")
    assert call("compare", *runs[::-1])[0] == 0  # mended, tightened, added
    assert call("compare", *runs, "--fail-on", "vacuous,weaker")[0] == 0
    assert call("compare", *runs, "--fail-on", "loosened,refuted,vacuous")[0] == 1
    status, out, _ = call("compare", *runs, "--json")
    assert json.loads(out)[0] == {"id": "sum", "kind": "refuted", "before": "not_refuted", "after": "refuted"}


@pytest.mark.parametrize("only", ["count", "*", "[cs]*"])
def test_what_only_left_out_is_not_removed(call, runs, tmp_path, only):
    """As `dpverify run` writes it: in the summary beside the records, and in the store."""
    facts = {"audited": "x", "only": only} if only != "*" else {}
    head = {"verdicts": {"refuted": 1, "not_refuted": 1}, "facts": facts}
    (runs[1] / "summary.json").write_text(dump(head))
    _, out, _ = call("compare", *runs)
    assert ("removed   gone" in out) is (only == "*")
    assert ("no other counts as removed" in out) is (only != "*")
    _, out, _ = call("compare", *runs[::-1])
    assert "added     gone" in out


def test_a_run_with_only_says_so(call, tmp_path):
    from dpverify.reporting.facts import only_of_run

    words = ("run", "core", "--only", "laplace", "--trials", 20_000, "--format", "json")
    assert call(*words, "--out", "some")[0] == 0
    assert json.loads((tmp_path / "some" / "summary.json").read_text())["facts"]["only"] == "laplace"
    (store,) = (tmp_path / "some").glob("*.sqlite")
    for path in (tmp_path / "some", tmp_path / "some" / "results.json", store):
        assert only_of_run(path) == "laplace"
    (tmp_path / "some" / "summary.json").unlink()
    assert only_of_run(tmp_path / "some") == "laplace"


def test_bad_input_is_one_line(call, runs, tmp_path):
    status, _, err = call("compare", *runs, "--fail-on", "refutd")
    assert status == 2
    assert "--fail-on 'refutd'; allowed: refuted, vacuous" in err
    status, _, err = call("compare", *runs, "--fail-on", "")  # an empty variable of a CI job
    assert (status, "--fail-on ''" in err) == (2, True)
    status, _, err = call("compare", runs[0], tmp_path / "nothing")
    assert status == 2
    assert err.count("\n") == 1
