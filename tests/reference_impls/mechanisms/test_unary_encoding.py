from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.sampling.streams import stream
from reference_impls.mechanisms.unary_encoding import OptimizedUnaryEncoding, SymmetricUnaryEncoding

PURE = Measure(kind="epsilon", argument=0.0, claimed=1.0)
KINDS = [SymmetricUnaryEncoding, OptimizedUnaryEncoding]


def law(kind: type[SymmetricUnaryEncoding], value: int, epsilon: float = 1.0, categories: int = 4) -> np.ndarray:
    """Bit by bit, from the probabilities that the papers print."""
    if kind is SymmetricUnaryEncoding:
        p, q = math.exp(epsilon / 2) / (math.exp(epsilon / 2) + 1), 1 / (math.exp(epsilon / 2) + 1)
    else:
        p, q = 0.5, 1 / (math.exp(epsilon) + 1)
    table = np.empty(2**categories)
    for vector in range(2**categories):
        bits = [vector >> i & 1 for i in range(categories)]
        chances = [p if i == value else q for i in range(categories)]
        table[vector] = math.prod(c if bit else 1 - c for bit, c in zip(bits, chances, strict=True))
    return table


@pytest.mark.parametrize("kind", KINDS)
def test_the_law_is_the_papers(kind: type[SymmetricUnaryEncoding]) -> None:
    for value in range(4):
        found = kind(epsilon=1.0).output_law(value)
        np.testing.assert_allclose(np.exp(found.log_probabilities), law(kind, value), rtol=1e-13)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("multiplier", [1.0, 0.9])
def test_every_pair_costs_epsilon_over_the_multiplier_exactly(
    kind: type[SymmetricUnaryEncoding], multiplier: float
) -> None:
    mechanism = kind(epsilon=1.0, noise_multiplier=multiplier)
    for first in range(4):
        for second in range(4):
            found = mechanism.output_law(first).against(mechanism.output_law(second)).prove(PURE)
            assert found is not None
            assert found.value == pytest.approx(1.0 / multiplier if first != second else 0.0)
            assert (found.lower > 1.0) == (multiplier < 1 and first != second)


@pytest.mark.parametrize("kind", KINDS)
def test_counts_follow_the_law(kind: type[SymmetricUnaryEncoding], fits: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9 a check, two checks.
    counts = kind(epsilon=1.0).counts(2, 400_000, rng=stream(50, kind.__name__))
    assert counts.shape == (16,)
    assert fits(counts, law(kind, 2))
    assert not fits(counts, law(kind, 2, epsilon=1.1))
    assert not fits(counts, law(kind, 1))


def test_bad_input_is_refused() -> None:
    for call in (
        lambda: SymmetricUnaryEncoding(categories=1),
        lambda: OptimizedUnaryEncoding(categories=13),
        lambda: SymmetricUnaryEncoding().output_law(4),
    ):
        with pytest.raises(InputError):
            call()
