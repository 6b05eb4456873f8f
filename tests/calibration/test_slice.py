"""A slice of the calibration with fresh seeds: every statistical auditor that is registered, found and not listed.

``DPVERIFY_CALIBRATION_SEED`` gives the seed (a run's number, in CI), which also picks the boundaries; failures print
it. An auditor fails here with probability below 1e-8 if it is valid. The full table is `make calibrate`.
"""

from __future__ import annotations

import pytest

from dpverify.core.plugins import registry
from dpverify.sampling.streams import stream
from tests.calibration.boundaries import Boundary, boundaries
from tests.calibration.harness import SEED, exceedances, refusal, statistical_auditors, verdict

ALPHA, TRIALS, BOUNDARIES, EACH = 0.05, 100, 2, 6
LARGER = 2000  # for those that can refute nothing with 100


def possible(auditor):
    """Boundaries that the auditor examines with few trials, in an order that hangs on the seed, light ones first."""
    known = boundaries()
    order = [known[place] for place in stream(SEED, "slice", auditor.name).permutation(len(known))]
    found: list[tuple[Boundary, int]] = []
    for trials in (TRIALS, LARGER):
        found = found or [
            (boundary, trials) for boundary in order if refusal(auditor, boundary, alpha=ALPHA, trials=trials) is None
        ]
    return sorted(found, key=lambda one: not one[0].light)[:BOUNDARIES]


def test_the_slice_can_fail():
    """Nine of the twelve audits that each auditor gets."""
    assert verdict(2 * EACH - 3, 2 * EACH, ALPHA).fails


def hold(auditor, found):
    """All tallies together: independent audits at one level are one binomial."""
    each = 2 * EACH // len(found)
    tallies = [
        exceedances(auditor, boundary, alpha=ALPHA, trials=trials, repetitions=each) for boundary, trials in found
    ]
    together = verdict(sum(tally.count for tally in tallies), sum(tally.repetitions for tally in tallies), ALPHA)
    assert not together.fails, "\n".join(tally.text() for tally in [together, *tallies])


@pytest.mark.parametrize("auditor", statistical_auditors(registry()), ids=lambda auditor: auditor.name)
def test_refutes_what_is_true_no_more_often_than_alpha(auditor):
    """On light boundaries; an auditor that examines no boundary at all is not calibrated, and fails."""
    found = possible(auditor)
    assert found, f"{auditor.name} examines no boundary: give it one in tests/calibration/boundaries.py"
    if light := [one for one in found if one[0].light]:
        hold(auditor, light)


@pytest.mark.slow
@pytest.mark.parametrize("auditor", statistical_auditors(registry()), ids=lambda auditor: auditor.name)
def test_the_same_on_heavy_boundaries(auditor):
    """Where nothing light could be had."""
    if heavy := [one for one in possible(auditor) if not one[0].light]:
        hold(auditor, heavy)
