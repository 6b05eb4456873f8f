"""BR-TOPK: sums by hand, in fractions and in doubles; a wrong normaliser falls."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.core.verdict import Status
from reference_impls.papers.diss.lemmas.ranking.top_k_total import TotalProbability
from reference_impls.ranking.top_k_probabilities import top_k
from tests.reference_impls.rows import status

SCORES = st.floats(-300.0, 300.0)


@given(SCORES, SCORES, SCORES, SCORES, st.integers(1, 4))
def test_no_scores_exceed_the_room(first: float, second: float, third: float, fourth: float, k: int) -> None:
    at = TotalProbability(way="computed", first=first, second=second, third=third, fourth=fourth, k=k)
    found, allowed = at.sides()
    assert found <= allowed
    assert float(found) == pytest.approx(abs(top_k(at.scores, k)[1].sum() - 1.0), abs=1e-18)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_fractions_sum_to_one_exactly(k: int) -> None:
    assert TotalProbability(k=k).sides() == (0, Fraction(1, 2**53))


@dataclass(frozen=True, kw_only=True)
class WithReplacement(TotalProbability):
    """A document already placed stays in the normaliser: the k-th power of the softmax, without repeats."""

    def sides(self) -> tuple[Fraction, Fraction]:
        weights = np.exp(self.scores)
        chances = weights / weights.sum()
        repeats = float((chances**2).sum()) if round(self.k) > 1 else 0.0
        return Fraction(repeats), TotalProbability.sides(self)[1]


@pytest.mark.parametrize("way", ["exact", "computed"])
def test_verdicts(way: str) -> None:
    assert status(f"BR-TOPK.{way}", "lemma") is Status.NOT_REFUTED
    assert status(f"BR-TOPK.{way}", "lemma", subject=WithReplacement) is Status.REFUTED


@pytest.mark.parametrize("bad", [{"way": "x"}, {"k": 5.0}, {"first": 400.0}])
def test_bad_numbers(bad: dict[str, float]) -> None:
    with pytest.raises(InputError):
        TotalProbability(**bad)  # type: ignore[arg-type]  # wrong on purpose
