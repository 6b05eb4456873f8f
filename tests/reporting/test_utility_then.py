"""The column "then": what it says where an arm was not run, below a floor, and of whole and partial statements."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest

from dpverify.core.plugins import registry
from dpverify.ledger.committed_records import read_record
from dpverify.ledger.utility_records import read_experiment
from dpverify.reporting.utility_pages import WORDS, write_utility_pages
from dpverify.reporting.utility_then import ACCOUNTANTS, NO_PRICE, share, then_cell
from dpverify.utility.measured import all_statements
from dpverify.utility.prices_then import NOT_RUN


def cell(name, id, kept=None, item=None):
    known = registry()
    experiment = known.experiments.get(name)
    return then_cell(
        known, experiment, experiment.statement(id), item or read_record(id), kept or read_experiment(name), WORDS
    )


def test_committed_records_have_both_columns():
    known = registry()
    words = {
        each.id: cell(name, each.id)["word"] for name, e in known.experiments.items() for each in e.statements
    }  # fmt: skip
    assert words["U-BL-FIG-5B-STEP"] == "undecided"
    assert words["U-BL-FIG-5B-FASTER"] == "undecided, in 3 of 6 comparisons"
    assert words["U-BL-FIG-2-SIMILAR"] == "does not hold"
    assert words["U-AD-FIG-4A-BEST"] == NOT_RUN
    assert words["U-AD-FIG-1A"] == words["U-RS-TABLE-1"] == NO_PRICE
    assert words["U-DI-FIG-4-1-CLEARER"] == "data missing"
    assert "SGD-MA" in cell("rsgd-fig-1", "U-RS-FIG-1-SURGE")["told"]


def test_what_was_not_run_since_its_price_changed():
    kept = read_experiment("adpsgd-table-1")
    if "unrun" in kept:
        found = cell("adpsgd-table-1", "U-AP-TABLE-1", kept)
        assert (found["word"], found["p"]) == (NOT_RUN, None)
        assert found["told"].startswith("for ADP-SGD, C 1, DP-SGD, C 1 (")
        assert "dpverify reproduce adpsgd-table-1 --profile full" in found["told"]


def test_nothing_is_said_of_what_was_not_measured():
    name, id = "blsgd-fig-5b", "U-BL-FIG-5B-STEP"
    known = registry()
    experiment = known.experiments.get(name)
    for item, kept, word in (
        (None, read_experiment(name), "unmeasured"),
        (read_record(id), None, "unmeasured"),
        ({**read_record(id), "evidence": []}, read_experiment(name), "missing"),
    ):
        assert then_cell(known, experiment, experiment.statement(id), item, kept, WORDS)["word"] == WORDS[word]


def test_the_page_says_that_an_ordering_was_the_accountants(tmp_path):
    """A statement that is refuted now, with curves of then that are far above and far below."""
    known = registry()
    name, id = "blsgd-fig-3", "U-BL-FIG-3-ACC"
    experiment = known.experiments.get(name)
    kept, item = read_experiment(name), read_record(id)
    part = item["evidence"][0]
    values = dict(part["statistics"]["values"])
    for key in values:
        data, arm, *_ = key.split("|")
        values[key] = [0.6 + 1e-3 * place for place in range(20)] if arm.startswith("DP-BL") else [0.8] * 20
        for label, mean in (("DP-BLSGD", 0.9), ("DP-SGD", 0.5)):
            points = kept["curves"][data][label + ", as accounted then"]
            points["accuracy"] = [[p, mean, mean - 1e-3, mean + 1e-3] for p, *_ in points["accuracy"]]
    said = {**part["statistics"], "values": values, "outcome": "refuted", "p": 1e-9}
    ready = {**item, "evidence": [{**part, "statistics": said}]}
    found = cell(name, id, kept, ready)
    assert found["accountants"] == ACCOUNTANTS and found["word"] == "holds, in 2 of 180 comparisons"
    only = SimpleNamespace(
        experiments=SimpleNamespace(items=lambda: [(name, experiment)]), claims=known.claims, auditors=known.auditors
    )
    first, *_, page = write_utility_pages(only, {name: kept}, {id: ready}, tmp_path)
    assert "no arm at then-prices was run for" in page.read_text()
    for text in (first.read_text(), page.read_text()):
        assert "The ordering was the accountant" in text
    assert len(re.findall("As accounted then:", page.read_text())) == len(experiment.statements)


@pytest.mark.parametrize("name", ["blsgd-fig-5a", "diss-fig-4-1"])
def test_the_share_is_of_both_columns(name):
    assert share(registry()) * 2 * all_statements(registry()) == pytest.approx(0.05)
    assert name in registry().experiments
