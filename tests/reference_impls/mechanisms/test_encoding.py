from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.verdict import Status
from dpverify.runner.execute import execute
from dpverify.runner.plan import make_plan
from reference_impls.mechanisms.encoding import BitEncoding, Encoding

NAMES = [
    "symmetric-unary-encoding",
    "optimized-unary-encoding",
    "summation-histogram-encoding",
    "threshold-histogram-encoding",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain(BitEncoding):
    """The vector itself."""

    def bits(self, dataset, size, *, rng):
        return np.tile(np.arange(self.categories) == dataset, (size, 1))


def test_bit_i_of_the_number_is_entry_i_of_the_vector() -> None:
    rng = np.random.default_rng(0)
    for value in range(3):
        assert Plain(categories=3).sample(value, 2, rng=rng).tolist() == [2**value] * 2
        assert Plain(categories=3).counts(value, 7, rng=rng).tolist() == [7 * (code == 2**value) for code in range(8)]


@pytest.mark.parametrize("categories", [-1, 0, 1, 13])
def test_vectors_too_short_or_too_long_to_count_are_refused(categories: int) -> None:
    with pytest.raises(InputError, match=f"categories = {categories}; allowed: a whole number in .2, 12"):
        Encoding(categories=categories)


@pytest.mark.parametrize("name", NAMES)
def test_verdicts(name: str) -> None:
    # By enumeration; what is sampled beside it has a false-alarm probability of 1e-9.
    stands = Status.NOT_REFUTED if name.startswith("summation") else Status.CERTIFIED  # no draws show a law on the line
    for suffix, status in (("", stands), ("-noise-0.9", Status.REFUTED)):
        row = execute(
            make_plan(registry(), [registry().entries.get(name + suffix)], confidence=1 - 1e-9, trials=20_000)
        )[0]
        assert row.verdict.status == status
