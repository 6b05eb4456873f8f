"""Two computations that are said to agree: no difference proves nothing, any difference everything."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest

from reference_impls.papers.exactly_equal import ExactlyEqual


@dataclass(frozen=True, kw_only=True)
class Apart(ExactlyEqual):
    """By a given amount."""

    by: float

    @property
    def difference(self) -> float:
        return self.by


def test_a_difference_is_a_proof_and_none_is_not() -> None:
    assert (Apart(by=0.0).truth().value, Apart(by=0.0).printed().value) == (0.0, 0.0)
    assert Apart(by=0.0).proved_ratio() is None
    proof = Apart(by=1e-300).proved_ratio()
    assert proof is not None
    assert (proof.value, proof.proved) == (math.inf, True)


def test_the_base_alone_is_nothing() -> None:
    with pytest.raises(TypeError, match="difference"):
        ExactlyEqual()  # type: ignore[abstract]  # wrong on purpose
