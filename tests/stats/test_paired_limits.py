"""Limits over several paired means: calibrated on 2,000 null pages, powered, and monotone in the quantifier."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from dpverify.stats.paired_limits import holm, needed, paired_limits

PAGES, ALPHA, PLACES, RUNS = 2_000, 0.05, 5, 6
TOO_RARE = 1e-9  # of a valid method having so many false alarms


def limits(rows, margin, *, quantifier="every", alpha=ALPHA, groups=None, **more):
    groups = groups or [""] * len(rows)
    return paired_limits(list(rows), groups, quantifier=quantifier, margin=margin, alpha=alpha, **more)


def false_alarms(means, *, quantifier, wrong, alpha=ALPHA):
    """Pages that come out as they should not."""
    rng, count = np.random.default_rng(11), 0
    for _ in range(PAGES):
        found = limits(
            rng.normal(size=(PLACES, RUNS)) + np.asarray(means)[:, None], 1.0, quantifier=quantifier, alpha=alpha
        )
        count += found.lower > 1.0 if wrong == "refuted" else found.upper < 1.0
    return count


@pytest.mark.parametrize(
    ("means", "quantifier", "wrong"),
    [
        ([1.0] * PLACES, "every", "refuted"),  # at the margin everywhere: it holds
        ([1.0, -30.0, -30.0, -30.0, -30.0], "every", "confirmed"),  # the least that may pass for confirmed
        ([1.0] * PLACES, "some", "confirmed"),
        ([1.0, 1.0, 1.0, 30.0, 30.0], "most", "refuted"),
    ],
)
def test_two_thousand_null_pages(means, quantifier, wrong):
    count = false_alarms(means, quantifier=quantifier, wrong=wrong)
    assert stats.binom.sf(count - 1, PAGES, ALPHA) > TOO_RARE, count


def test_the_calibration_sees_a_level_that_is_not_divided():
    count = false_alarms([1.0] * PLACES, quantifier="every", wrong="refuted", alpha=ALPHA * PLACES)
    assert stats.binom.sf(count - 1, PAGES, ALPHA) < TOO_RARE


def test_planted_differences_are_found():
    """One place of five is worse by the detectable excess and as much again: found in nearly every page."""
    rng = np.random.default_rng(5)
    found = 0
    for _ in range(200):
        rows = rng.normal(size=(PLACES, 20)) - 10.0
        rows[2] += 10.0 + 1.0 + 2 * 0.9
        found += limits(rows, 1.0).lower > 1.0
    assert found >= 190
    assert limits(rng.normal(size=(PLACES, 20)), 1.0).detectable == pytest.approx(0.9, rel=0.6)


def test_detectable_is_what_eighty_percent_see():
    rng, seen, said = np.random.default_rng(3), 0, []
    for _ in range(400):
        base = rng.normal(size=(1, 12))
        said.append(limits(base, 0.0).detectable)
    shift = float(np.mean(said))
    for _ in range(400):
        seen += limits(rng.normal(size=(1, 12)) + shift, 0.0).lower > 0.0
    assert 0.68 < seen / 400 < 0.92  # 5 standard deviations, and what Student's t adds to the normal approximation


def test_needed():
    assert [needed(each, 6) for each in ("every", "most", "some")] == [6, 4, 1]
    assert needed("most", 5) == 3


def test_groups_must_each_hold():
    rng = np.random.default_rng(2)
    good, bad = rng.normal(size=10) - 9.0, rng.normal(size=10) + 9.0
    both = limits([good, bad, good], 0.0, quantifier="some", groups=["a", "a", "b"])
    assert both.upper < 0.0
    assert limits([good, bad, bad], 0.0, quantifier="some", groups=["a", "a", "b"]).lower > 0.0
    assert limits([good, bad, bad], 0.0, quantifier="some").upper < 0.0


def test_holm_names_those_that_fail():
    means, errors = np.array([5.0, 0.0, 4.0]), np.ones(3)
    assert holm(means, errors, np.full(3, 30.0), 0.0, 0.05) == (0, 2)
    assert holm(np.array([0.0, 1.0]), np.zeros(2), np.full(2, 5.0), 0.0, 0.05) == (1,)


def test_computed_numbers_have_no_width_and_equal_draws_no_limits():
    found = limits(np.full((1, 4), 0.25), 0.25, exact=True)
    assert (found.lower, found.upper, found.detectable) == (0.25, 0.25, 0.0)
    rounded = np.array([0.25 - 0.15, 0.3 - 0.2, 0.1])  # 0.1 up to rounding
    for rows in (np.full((1, 4), 0.25), rounded[None]):
        found = limits(rows, 0.0)
        assert (found.lower, found.upper, found.failing) == (-np.inf, np.inf, ())


def test_splits_that_share_records_have_the_error_of_nadeau_and_bengio():
    """Twelve splits with a ratio of 1/4: sqrt(1/12 + 1/4) = 2 sqrt(1/12)."""
    draws = [np.arange(12.0)]
    plain, wide = (
        paired_limits(draws, [""], quantifier="every", margin=0.0, alpha=0.05, ratio=ratio) for ratio in (0.0, 0.25)
    )
    mean = draws[0].mean()
    assert mean - wide.lower == pytest.approx(2 * (mean - plain.lower))
    assert wide.upper - mean == pytest.approx(2 * (plain.upper - mean))
