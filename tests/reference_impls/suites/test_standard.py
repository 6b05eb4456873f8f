"""The benchmark suite: its twenty rows, what is published of each, and truths against the exact laws that are known."""

import pytest

from dpverify.core.plugins import registry
from dpverify.core.subjects import HasOutputLaw
from dpverify.sampling.streams import stream
from reference_impls.suites.standard import PUBLISHED

ROWS = {entry.claim.id: entry for _, entry in registry().entries.items() if "standard" in entry.suites}


def _subject(name):
    return registry().subject(ROWS[name].claim.subject)(**ROWS[name].claim.parameters)


WITH_LAW = sorted(name for name in ROWS if isinstance(_subject(name), HasOutputLaw))


def test_every_row_has_published_bounds_and_no_other_has():
    assert set(PUBLISHED) == set(ROWS)
    assert len(ROWS) == 20


def test_published_bounds_are_not_above_the_truth():
    for name, row in PUBLISHED.items():
        assert row.bound <= row.due <= row.truth + 1e-4, name


def test_only_these_rows_have_no_exact_law():
    """A maximum released with its noise, and answers without a cutoff: only the published truth is known."""
    assert set(ROWS) - set(WITH_LAW) == {"noisy-max-3", "noisy-max-4", "svt5", "svt6"}


@pytest.mark.parametrize("name", WITH_LAW)
def test_no_exact_law_on_listed_neighbours_exceeds_the_truth(name):
    """Laws that speak of a part of the output are lower bounds, so no pair may lie above."""
    claim = ROWS[name].claim
    subject = _subject(name)
    generator = registry().neighbors.get(claim.relation)
    pairs = generator.candidates(claim.space, limit=60, rng=stream(0, name))
    largest = 0.0
    for pair in pairs:
        here, there = subject.output_law(pair.d0), subject.output_law(pair.d1)
        for one in (here.against(there), there.against(here)):
            found = one.epsilon(0.0)
            largest = max(largest, found.value - found.error)
    assert largest <= PUBLISHED[name].truth * (1 + 1e-9)
    assert largest > 0.2 * min(PUBLISHED[name].truth, 1.0), "the truth is of another order"


def test_the_suite_says_how_it_is_run():
    suite = registry().suite("standard")
    assert (suite.methods, suite.confidence, suite.per_row, suite.profile) == (("event",), 0.9, True, "benchmark")
