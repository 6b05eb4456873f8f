"""The curve of a bound is the trade-off that the definition of that value has; other pictures stay as they are."""

import math

import numpy as np
import pytest

import dpverify as dpv
from dpverify.shown.certified_curve import with_certified

PLAIN = {"claimed": {"alpha": [0.0, 1.0], "beta": [1.0, 0.0]}, "point": {"fpr": 0.1, "fnr": 0.5}}


@pytest.mark.parametrize(
    ("kind", "argument", "bound", "definition"),
    [
        ("epsilon", 0.0, 0.7, dpv.PureDP(epsilon=0.7)),
        ("epsilon", 0.01, 1.5, dpv.ApproxDP(epsilon=1.5, delta=0.01)),
        ("delta", 1.5, 0.01, dpv.ApproxDP(epsilon=1.5, delta=0.01)),
        ("mu", math.nan, 1.2, dpv.GDP(mu=1.2)),
    ],
)
def test_it_is_the_definitions_own_curve(kind, argument, bound, definition):
    curve = with_certified(PLAIN, kind, argument, bound)["certified"]
    assert curve["beta"] == pytest.approx(definition.tradeoff(np.array(curve["alpha"])).tolist(), abs=1e-9)


@pytest.mark.parametrize(
    ("picture", "kind", "bound"),
    [
        ({}, "epsilon", 1.0),
        ({**PLAIN, "rectangle": {"fpr_low": 0.0}}, "epsilon", 1.0),
        (PLAIN, "renyi", 1.0),
        (PLAIN, "epsilon", 0.0),
        (PLAIN, "epsilon", math.inf),
    ],
)
def test_there_is_none_where_it_says_nothing_more(picture, kind, bound):
    assert "certified" not in with_certified(picture, kind, 2.0, bound)
