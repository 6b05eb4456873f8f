"""`dpv.audit_library`: the table that the command makes, and one line for what is wrong."""

from __future__ import annotations

import matplotlib as mpl
import pytest

import dpverify as dpv
from dpverify.core.errors import InputError

mpl.use("Agg")


@pytest.fixture(scope="module")
def table():
    pytest.importorskip("dp_accounting")
    return dpv.audit_library("dp_accounting", only="LaplacePrivacyLoss:*", trials=4000)


def test_it_is_the_commands_table(table):
    """False alarm: 1e-6 for the whole library."""
    verdicts = {item["id"].rpartition(":")[2].startswith("twin"): item["verdict"] for item in table.records}
    assert verdicts == {False: "not_refuted", True: "refuted"}
    assert all("--trials 4000" in item["reproduce"] for item in table.records)


def test_it_shows_itself(table):
    page, said = table._repr_html_(), repr(table)
    assert said.startswith(f"dp_accounting {table.session.version}, claims and twins: ") and "1 found" in said
    assert "<svg" in page and all(item["id"] in page for item in table.records)
    ax = table.plot()
    assert [each.get_text() for each in ax.get_yticklabels()] == [item["id"] for item in table.records]
    mpl.pyplot.close(ax.figure)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"library": "no-such"}, "no-such"),
        ({"profile": "slow"}, "profile 'slow'"),
        ({"trials": 0}, "trials = 0"),
        ({"jobs": "two"}, "jobs = 'two'"),
        ({"jobs": -1}, "jobs = -1"),
        ({"only": "nothing*"}, "nothing"),
    ],
)
def test_bad_settings_are_one_line(given, said):
    pytest.importorskip("dp_accounting")
    with pytest.raises(InputError, match=said) as problem:
        dpv.audit_library(**{"library": "dp_accounting", **given})
    assert len(str(problem.value).splitlines()) == 1
