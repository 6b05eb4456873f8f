"""A slice of the benchmark's exceedances; the whole, 200 seeds, by ``make calibrate-standard``.

False alarms: a row's count, and all rows' together, have binomial tails below 1e-8 with probability 1e-8 each at most,
and bounds at 1 - 5e-8 exceed the truth with probability 5e-8 an audit: 10 seeds of 4 rows, below 2e-6 if all were at
their boundary to the last digit, which is why that count alone may be one.
"""

import functools

import pytest

from auditors.privacy.event.auditor import EventAuditor
from auditors.privacy.histogram.auditor import HistogramAuditor
from tests.calibration.harness import SEED
from tests.calibration.shortened import shortened
from tests.calibration.standard_exceedances import Audit, audits, confirming, counted, load, save, tallies

pytestmark = pytest.mark.ci

ROWS = ("laplace", "noisy-max-3", "report-noisy-max-exponential", "svt1")
SEEDS, SHARE = 10, 0.0005
ENOUGH = 8
"""Exceedances by which an auditor without an interval is seen; more than of 40 audits may be."""


@pytest.fixture(scope="module")
def found():
    with shortened():
        return [one for seed in range(SEEDS) for one in audits(SEED + seed, share=SHARE, rows=ROWS)]


def test_bounds_exceed_the_truth_no_more_often_than_their_confidence_says(found):
    together, rows, sure = tallies(found)
    assert together.repetitions == SEEDS * len(ROWS)
    assert not together.fails, together.text()
    assert set(rows) == set(ROWS)
    for name, tally in rows.items():
        assert not tally.fails, f"{name}: {tally.text()}"
    assert sure <= 1


def test_an_auditor_without_an_interval_fails_the_same_test():
    """The plug-in ratio of an event at its boundary is above the truth about every second time."""
    look = functools.partial(audits, share=SHARE, rows=("laplace",), sabotage=True)
    with shortened():
        broken: list[Audit] = []
        for seed in range(40):
            broken += look(SEED + seed)
            if sum(one.exceeds for one in broken) > ENOUGH:
                break
    together, _, _ = tallies(broken)
    assert together.count > ENOUGH
    assert together.tail < 1e-3, together.text()


def test_what_is_listed_is_confirmed_at_every_share():
    assert confirming(EventAuditor()).fewest_confirming == 1
    assert confirming(HistogramAuditor()) == HistogramAuditor()


def test_finished_tables_are_kept_for_the_same_audit_only(tmp_path):
    path, about = tmp_path / "kept" / "record.json", {"share": 0.5, "auditor": "first"}
    tables = {
        seed: [Audit(claim="a", seed=seed, bound=0.1 * seed, exceeds=seed == 3, surely=False)] for seed in (2, 3, 10)
    }
    assert load(path, about) == {}
    save(path, about, tables)
    assert load(path, about) == tables
    assert load(path, about | {"auditor": "second"}) == {}
    text = path.with_suffix(".md").read_text()
    assert "- a: 1 of 3 above the truth" in text
    assert "3 seeds, 0.5 of the budget" in text
    assert "made with auditor `first`" in text
    assert counted([one for table in tables.values() for one in table], about=about)[1].startswith("all: 1 of 3")
