"""The remarks of chapter 6 hold by their own computations; repaired rows stand where the printed ones fall."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from dpverify.core.plugins import registry
from dpverify.core.subjects import Dataset
from dpverify.core.verdict import Status
from reference_impls.papers.diss.lemmas.ranking.batch_gradient import BatchGradient
from tests.reference_impls.rows import evidence, status

ROWS = (
    "BR-METRIC.map",
    "BR-METRIC.ndcg-signed",
    "BR-CLIP.bayesrank",
    "BR-CLIP.listnet",
    "BR-CLIP.listmle",
    "BR-CLIP.sum",
)


@pytest.mark.parametrize("id", [*ROWS, "BR-ONEHOT.k2", "BR-BATCH-C"])
def test_the_remark_holds_and_names_its_claim(id: str) -> None:
    remark = registry().remarks.get(id)
    assert remark.claim == id
    shown = remark.shown()
    assert shown.holds
    assert shown == remark.shown()


@pytest.mark.parametrize("id", ROWS)
def test_the_printed_row_falls_and_the_repaired_one_stands(id: str) -> None:
    assert status(id, "sensitivity") is Status.REFUTED
    assert status(id.replace(".", "-R."), "sensitivity") is Status.NOT_REFUTED


def test_ties_cost_nothing() -> None:
    found = evidence("BR-ONEHOT.ties", "sensitivity")
    assert found.excess < 0
    assert {"scale", "draw", "chance"} == set(registry().entries.get("BR-ONEHOT.ties").claim.space.parameters)


@dataclass(frozen=True, slots=True, kw_only=True)
class TenthLess(BatchGradient):
    """The gradient over nine tenths of its bound."""

    def query(self, dataset: Dataset) -> NDArray[np.float64]:
        return BatchGradient.query(self, dataset) / 0.9


@pytest.mark.parametrize("id", ["BR-SENS.k1", "BR-ONEHOT.k1", "BR-ONEHOT.ties"])
def test_a_tenth_less_than_the_bound_falls(id: str) -> None:
    assert status(id, "sensitivity") is Status.NOT_REFUTED
    assert status(id, "sensitivity", subject=TenthLess) is Status.REFUTED


def test_two_norms_are_too_few_for_two_places() -> None:
    assert status("BR-ONEHOT.k2", "sensitivity") is Status.REFUTED
    assert status("BR-ONEHOT-R.k2", "sensitivity") is Status.NOT_REFUTED
