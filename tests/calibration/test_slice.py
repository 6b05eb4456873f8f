"""A slice of the calibration, from fresh seeds where it is asked to: every statistical auditor that is registered.

``DPVERIFY_CALIBRATION_SEED`` gives the seed (a run's number, in CI), which also picks each auditor's level and one of
the light boundaries that it examines; without it they are the same each time. The seed is printed, and failures name
it. A valid auditor fails here with probability below 1e-8, so that all of them together raise a false alarm with
probability below 1e-8 times their number. The full table is `make calibrate`.
"""

from __future__ import annotations

import os

import pytest

from dpverify.core.plugins import registry
from dpverify.sampling.streams import stream
from tests.calibration.boundaries import boundaries
from tests.calibration.harness import TOO_RARE, exceedances, refusal, verdict
from tests.calibration.matrix import ALPHAS
from tests.calibration.sabotage import BestOf, NoSplit
from tests.calibration.variants import calibrated

pytestmark = pytest.mark.ci

SEED = int(os.environ.get("DPVERIFY_CALIBRATION_SEED", "20250"))

BUDGETS = (100, 2000)
"""The second for auditors that can refute nothing with the first."""

AUDITS, FEW, SABOTAGED = 100, 8, 70
"""On light boundaries, and on others; and by a sabotaged auditor, which takes no more to be seen."""

FALSE_ALARMS = 1e-6
"""More than this the whole slice may not raise."""


def sliced(auditor, seed=SEED):
    """Level, boundary and trials that the seed picks, a light boundary if there is one; None where nothing fits.

    On a heavy one the level is the one at which a few audits can fail.
    """
    known, rng = boundaries(), stream(seed, "slice", auditor.name)
    order = [known[place] for place in rng.permutation(len(known))]
    alpha = ALPHAS[int(rng.integers(len(ALPHAS)))]
    for trials in BUDGETS:
        fits = [boundary for boundary in order if refusal(auditor, boundary, alpha=alpha, trials=trials) is None]
        if fits:
            picked = min(fits, key=lambda boundary: not boundary.light)
            return alpha if picked.light else min(ALPHAS), picked, trials
    return None


@pytest.fixture(scope="module", autouse=True)
def _printed():
    print(f"DPVERIFY_CALIBRATION_SEED={SEED}")  # noqa: T201 - shown with a failure, and by pytest -s


@pytest.mark.parametrize("auditor", calibrated(registry()), ids=lambda auditor: auditor.name)
def test_refutes_what_is_true_no_more_often_than_alpha(auditor):
    """An auditor that examines no boundary at all is not calibrated, and fails."""
    found = sliced(auditor)
    assert found is not None, f"{auditor.name} examines no boundary: give it one in tests/calibration/boundaries.py"
    alpha, boundary, trials = found
    repetitions = AUDITS if boundary.light else FEW
    tally = exceedances(auditor, boundary, alpha=alpha, trials=trials, repetitions=repetitions, seed=SEED, settle=True)
    assert not tally.fails, f"{tally.text()} (DPVERIFY_CALIBRATION_SEED={SEED})"


def test_an_auditor_that_counts_in_the_draws_it_chose_on_fails_the_same_test():
    """And reports the better of two; it would pass with probability below 1e-9 (a rate of 0.86, not 0.2)."""
    known = {boundary.name: boundary for boundary in boundaries()}
    wrong = BestOf(inside=NoSplit(), times=2)
    tally = exceedances(wrong, known["die"], alpha=0.2, trials=2000, repetitions=SABOTAGED, seed=SEED, settle=True)
    assert tally.fails, tally.text()


def test_the_slice_can_fail_at_either_level_and_its_false_alarms_are_few():
    assert verdict(48, AUDITS, 0.2).fails
    assert verdict(22, AUDITS, 0.05).fails
    assert verdict(FEW - 1, FEW, min(ALPHAS)).fails
    assert len(calibrated(registry())) * TOO_RARE < FALSE_ALARMS


def test_another_seed_picks_another_slice():
    """Over fifty seeds every light boundary and both levels come to the auditor that examines most of them."""
    auditor = registry().auditors.get("event")
    picked = [sliced(auditor, seed) for seed in range(50)]
    light = {boundary.name for boundary in boundaries() if boundary.light}
    fits = {name for name in light if name in {boundary.name for _, boundary, _ in picked}}
    assert {alpha for alpha, _, _ in picked} == set(ALPHAS)
    assert len(fits) >= 5
