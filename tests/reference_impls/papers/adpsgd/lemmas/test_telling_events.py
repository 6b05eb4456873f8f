"""The two events: their probabilities by enumeration, and no more told than the oracle allows."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from scipy import stats

from dpverify.accounting.accountants.pld import compose
from dpverify.accounting.steps.gaussian import MixtureGaussianStep
from dpverify.core.composition import Composition
from dpverify.laws.balls import at_working_precision, exact_ball
from reference_impls.papers.adpsgd.lemmas.telling_events import Event, event_balls, telling_event


@pytest.mark.parametrize(("rate", "steps"), [(0.2, 3), (0.01, 40), (1.0, 5)])
@at_working_precision
def test_the_probabilities_of_events(rate: float, steps: int) -> None:
    shift, level = 1.3, 0.7
    still, moved = stats.norm.sf(level), (1 - rate) * stats.norm.sf(level) + rate * stats.norm.sf(level - shift)
    ball = partial(event_balls, rate=exact_ball(rate), shift=exact_ball(shift), steps=steps)
    present, absent = ball(Event(kind="step", level=level))
    assert float(present) == pytest.approx(1 - (1 - moved) ** steps, rel=1e-12)
    assert float(absent) == pytest.approx(1 - (1 - still) ** steps, rel=1e-12)
    present, absent = ball(Event(kind="sum", level=level))
    draws = np.arange(steps + 1)
    expected = np.sum(stats.binom.pmf(draws, steps, rate) * stats.norm.sf(level - draws * shift / math.sqrt(steps)))
    assert float(present) == pytest.approx(float(expected), rel=1e-12)
    assert float(absent) == pytest.approx(still, rel=1e-12)


@pytest.mark.parametrize(
    ("rate", "shift", "steps", "delta"),
    [(0.01, 2.0, 50, 1e-3), (2e-5, 3.77, 11700, 1e-5), (0.005, 0.25, 11700, 1e-5), (0.3, 0.5, 20, 1e-6)],
)
def test_events_tell_no_more_than_the_oracle(rate: float, shift: float, steps: int, delta: float) -> None:
    told, event = telling_event(rate, shift, steps, delta)
    step = MixtureGaussianStep(weights=(1 - rate, rate), shifts=(0.0, shift), sigma=1.0)
    exact = compose(Composition.repeat(step, steps), width=0.01, largest_grid=2**18).epsilon(delta)
    assert told <= exact.upper
    assert told >= 0.2 * exact.lower
    assert event.kind in ("step", "sum")
