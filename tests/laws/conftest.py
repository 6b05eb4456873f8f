"""What tests of discrete pairs share: a pair of two lists of probabilities, and what a stated error promises."""

from __future__ import annotations

import math

import pytest

from dpverify.core.evidence import Enclosed
from dpverify.laws.discrete import DiscreteLaw, DiscretePair


@pytest.fixture(scope="session")
def pair_of():
    """``pair_of(p, q)``: the pair of two discrete laws."""

    def of(p, q) -> DiscretePair:
        pair = DiscreteLaw.from_probabilities(p).against(DiscreteLaw.from_probabilities(q))
        assert isinstance(pair, DiscretePair)
        return pair

    return of


@pytest.fixture(scope="session")
def close():
    """``close(found, truth, room=0.0)``: the truth (known up to `room`) lies within the stated error."""

    def within(found: Enclosed, truth: float, room: float = 0.0) -> bool:
        if math.isinf(truth) or math.isinf(found.value):
            return found.value == truth or math.isinf(found.error)
        return abs(found.value - truth) <= found.error + room

    return within
