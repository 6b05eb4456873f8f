"""Independent Laplace noise on a query: shapes, and the law of what is drawn."""

from __future__ import annotations

import numpy as np
from scipy import stats

from dpverify.core.subjects import Dataset
from reference_impls.mechanisms.inputs import Float, query_vector
from reference_impls.mechanisms.laplace_on_query import LaplaceOnNumber, LaplaceOnVector


class Vector(LaplaceOnVector):
    def query(self, dataset: Dataset) -> Float:
        return query_vector(dataset)

    def laplace_scale(self, dataset: Dataset) -> float:
        return 2.0


class Number(LaplaceOnNumber, Vector):
    pass


def test_a_vector_has_a_column_for_each_entry() -> None:
    out = Vector().sample([1.0, 5.0], 20_000, rng=np.random.default_rng(0))
    assert out.shape == (20_000, 2)
    for column, centre in zip(out.T, (1.0, 5.0), strict=True):
        assert stats.kstest(column, stats.laplace(centre, 2.0).cdf).pvalue > 1e-7


def test_a_number_has_no_column() -> None:
    assert Number().sample([1.0], 7, rng=np.random.default_rng(0)).shape == (7,)


def test_the_law_has_the_querys_answers_and_the_scale() -> None:
    law = Vector().output_law([1.0, 5.0])
    assert law.locations.tolist() == [1.0, 5.0]
    assert np.unique(law.scales).tolist() == [2.0]
