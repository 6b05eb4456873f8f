"""The methods on bins at exact boundaries: how often they exceed what is true, and sabotaged ones that do so too often.

Each check has a false-alarm probability of 1e-8 (see the harness). Seeds come from the environment where it gives one.
"""

from __future__ import annotations

from typing import Any

import pytest

from auditors.privacy import tradeoff
from auditors.privacy.histogram import auditor as histogram
from auditors.privacy.histogram.auditor import HistogramAuditor
from auditors.privacy.outputs import Sample
from auditors.privacy.renyi import auditor as renyi
from auditors.privacy.renyi.auditor import RenyiAuditor
from auditors.privacy.tradeoff import TradeoffAuditor
from tests.calibration.boundaries import Boundary, boundaries
from tests.calibration.harness import exceedances, refusal, verdict
from tests.calibration.sabotage import BestOf

pytestmark = pytest.mark.ci

AUDITORS = (HistogramAuditor(), RenyiAuditor(), TradeoffAuditor())
NAMES = ("response", "die", "laplace", "gaussian", "gaussian-mu", "gaussian-renyi", "sampled-gaussian")
ALPHA, TRIALS = 0.2, 200

auditors = pytest.mark.parametrize("auditor", AUDITORS, ids=lambda auditor: auditor.name)


def known() -> dict[str, Boundary]:
    return {boundary.name: boundary for boundary in boundaries() if boundary.name in NAMES}


@auditors
@pytest.mark.parametrize(
    ("alpha", "trials", "each"),
    [
        (ALPHA, TRIALS, 8),
        pytest.param(0.05, 100, 300, marks=pytest.mark.slow),
        pytest.param(ALPHA, 20_000, 100, marks=pytest.mark.slow),
    ],
)
def test_exceeds_no_more_often_than_alpha(auditor: Any, alpha: float, trials: int, each: int) -> None:
    """All boundaries together: independent audits at one level are one binomial."""
    looked = [one for one in known().values() if refusal(auditor, one, alpha=alpha, trials=trials) is None]
    assert len(looked) >= 4
    tallies = [exceedances(auditor, one, alpha=alpha, trials=trials, repetitions=each) for one in looked]
    together = verdict(sum(tally.count for tally in tallies), sum(tally.repetitions for tally in tallies), alpha)
    assert not together.fails, "\n".join(tally.text() for tally in tallies)


@auditors
def test_without_a_split_it_is_convicted(auditor: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bins are cut, chosen and counted on the same draws."""
    monkeypatch.setattr(Sample, "halves", lambda self, rng: (self, self))
    for module in (histogram, renyi, tradeoff):
        monkeypatch.setattr(module, "certify", lambda task, found: found.counts)
    tally = exceedances(auditor, known()["die"], alpha=ALPHA, trials=TRIALS, repetitions=20, settle=True)
    assert tally.fails, tally.text()


@pytest.mark.slow
def test_the_best_of_many_looks_is_convicted() -> None:
    """No union bound: sixteen audits, each at the whole alpha."""
    sabotaged = BestOf(inside=HistogramAuditor(), times=16)
    tally = exceedances(sabotaged, known()["response"], alpha=ALPHA, trials=TRIALS, repetitions=24, settle=True)
    assert tally.fails, tally.text()
