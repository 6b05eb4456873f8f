"""Bugs in what surrounds the noise: sensitivities, and domains read off the data."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.sampling.streams import stream
from reference_impls.known_broken.domain_from_data import DomainFromData
from reference_impls.known_broken.sensitivity_zero import SensitivityZero


def test_the_lower_bound_twice_leaves_no_noise(registered: Registry) -> None:
    mechanism = SensitivityZero(epsilon=1.0)
    assert mechanism.sensitivity() == 0.0
    out = mechanism.sample([50.0, 120.0], 100, rng=stream(43))
    np.testing.assert_array_equal(out, 150.0)
    moved = np.abs(mechanism.query([50.0, 120.0]) - mechanism.query([50.0]))
    claimed = registered.entries.get("sensitivity-zero-sensitivity").claim.guarantee.measures()[0].claimed
    assert moved.sum() == 100.0 > claimed == mechanism.sensitivity()


def test_with_another_lower_bound_the_same_line_does_no_harm() -> None:
    # Why the bug lived: for [-100, 100] the lower bound twice is right.
    assert SensitivityZero(lower=-100.0).sensitivity() == 100.0


def test_the_largest_record_shows_by_its_bin() -> None:
    mechanism = DomainFromData(epsilon=1.0, width=5)
    small, large = (mechanism.sample(data, 1_000, rng=stream(44)) for data in ([0.0, 1.5], [0.0, 1.5, 4.0]))
    np.testing.assert_array_equal(small[:, 2:], 0.0)
    assert np.all(small[:, :2] != 0)
    assert np.all(large != 0)
    np.testing.assert_array_equal(mechanism.sample([], 2, rng=stream(44)), np.zeros((2, 5)))
    with pytest.raises(InputError):
        mechanism.sample([5.0], 1, rng=stream(44))
