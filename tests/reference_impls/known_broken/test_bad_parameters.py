"""Parameters out of range are refused by one line that names the mechanism, the parameter and the range."""

from __future__ import annotations

import math
from typing import Any

import pytest

from dpverify.core.errors import InputError
from reference_impls.known_broken.biased_division import BiasedDivision
from reference_impls.known_broken.cut_gaussian import CutGaussian
from reference_impls.known_broken.domain_from_data import DomainFromData
from reference_impls.known_broken.mean_true_size import MeanTrueSize
from reference_impls.known_broken.sensitivity_zero import SensitivityZero
from reference_impls.known_broken.smart_sum_exact_blocks import SmartSumExactBlocks
from reference_impls.known_broken.svt34_parallel import Svt34Parallel
from reference_impls.known_broken.unclipped_sum import UnclippedSum
from reference_impls.known_broken.unclipped_variance import UnclippedVariance


@pytest.mark.parametrize(
    ("build", "name", "value"),
    [
        (BiasedDivision, "n", 0),
        (CutGaussian, "cut", 0.0),
        (CutGaussian, "sigma", math.inf),
        (DomainFromData, "width", 0),
        (MeanTrueSize, "delta", 1.0),
        (SensitivityZero, "upper", math.nan),
        (SmartSumExactBlocks, "block", 1),
        (Svt34Parallel, "cutoff", 0),
        (Svt34Parallel, "threshold", math.inf),
        (UnclippedSum, "bound", 0.0),
        (UnclippedVariance, "low", -math.inf),
    ],
)
def test_a_number_out_of_range_is_named(build: Any, name: str, value: float) -> None:
    with pytest.raises(InputError, match=rf"{build.__name__}: {name} = .*; allowed: "):
        build(**{name: value})


@pytest.mark.parametrize("build", [MeanTrueSize, UnclippedVariance])
def test_an_empty_range_is_refused(build: Any) -> None:
    with pytest.raises(InputError, match="low < high"):
        build(low=1.0, high=1.0)
