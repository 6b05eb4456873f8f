from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.sampling.streams import stream
from reference_impls.mechanisms.rappor import OneTimeRappor, Rappor

CLAIM = Measure(kind="epsilon", argument=0.0, claimed=1.0)
CASES = [(OneTimeRappor(), 0.8007), (Rappor(), 0.4001)]


def chances(mechanism: OneTimeRappor) -> tuple[float, float]:
    """Chance of a reported 1 for a filter bit of 0 and of 1, by the total probability."""
    f, (p, q) = mechanism.f, mechanism.instantaneous()
    return f / 2 * q + (1 - f / 2) * p, (1 - f / 2) * q + f / 2 * p


@pytest.mark.parametrize(("mechanism", "claimed"), CASES)
def test_the_claim_is_the_formula_of_the_paper(mechanism: OneTimeRappor, claimed: float) -> None:
    low, high = chances(mechanism)
    truth = mechanism.hashes * math.log(high * (1 - low) / (low * (1 - high)))
    assert truth <= claimed
    assert truth == pytest.approx(claimed, abs=1e-4)
    if isinstance(mechanism, Rappor):
        assert (low, high) == (pytest.approx(0.4875), pytest.approx(0.5125))
    else:
        assert truth == pytest.approx(8 * math.log(0.525 / 0.475))


@pytest.mark.parametrize(("mechanism", "claimed"), CASES)
def test_enumeration_of_all_values_meets_the_claim_with_equality(mechanism: OneTimeRappor, claimed: float) -> None:
    costs = []
    for first, second in itertools.combinations(range(21), 2):
        found = mechanism.output_law(first).against(mechanism.output_law(second)).prove(CLAIM)
        assert found is not None
        assert found.upper <= claimed
        costs.append(found.value)
    assert max(costs) == pytest.approx(claimed, abs=1e-4)  # two of the 21 values share no bit


@pytest.mark.parametrize("kind", [OneTimeRappor, Rappor])
def test_less_noise_is_caught(kind: type[OneTimeRappor]) -> None:
    claimed = 0.8007 if kind is OneTimeRappor else 0.4001
    weak = kind(noise_multiplier=0.9)
    laws = [weak.output_law(value) for value in range(21)]
    assert max(a.against(b).epsilon(0.0).lower for a, b in itertools.combinations(laws[:8], 2)) > 1.2 * claimed


def test_filters_have_at_most_four_bits_of_twenty() -> None:
    filters = [OneTimeRappor().filter_of(value) for value in range(200)]
    assert {bits.size for bits in filters} == {20}
    assert {int(bits.sum()) for bits in filters} <= {1, 2, 3, 4}
    assert np.mean(filters) == pytest.approx(1 - (1 - 1 / 20) ** 4, abs=0.02)  # as good as uniform hashing


def test_bad_input_is_refused() -> None:
    for bad in ({"hashes": 21}, {"f": 1.2}, {"f": 0.0}):
        with pytest.raises(InputError):
            OneTimeRappor(**bad)
    with pytest.raises(InputError):
        Rappor(p=1.5)
    with pytest.raises(InputError):
        Rappor().sample(-1, 1, rng=stream(0))


@pytest.mark.parametrize("mechanism", [OneTimeRappor(f=0.5), Rappor(f=0.5, p=0.1, q=0.8)])
def test_bits_are_independent_with_the_right_chances(mechanism: OneTimeRappor, fits: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9 a check: twenty bits and one triple, two mechanisms.
    size = 100_000
    reports = mechanism.sample(7, size, rng=stream(21, type(mechanism).__name__))
    assert set(np.unique(reports)) == {0.0, 1.0}
    bits = mechanism.filter_of(7).astype(int)
    chance = np.array(chances(mechanism))[bits]
    for column in range(20):
        ones = reports[:, column].sum()
        assert fits(np.array([size - ones, ones]), np.array([1 - chance[column], chance[column]]))
    triple = np.bincount((reports[:, :3] @ [1, 2, 4]).astype(int), minlength=8)
    law = [np.prod([chance[i] if code >> i & 1 else 1 - chance[i] for i in range(3)]) for code in range(8)]
    assert fits(triple, np.array(law))
