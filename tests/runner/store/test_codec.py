"""Evidence to text and back, to the bit; what is no evidence is refused."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.evidence import Evidence, Measure
from dpverify.runner.store.codec import decoded, encoded, evidence_of, text_of

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.text(), inner, max_size=4)
        | st.dictionaries(st.integers() | st.just("$dpverify"), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(VALUES)
def test_plain_values_come_back(value):
    text = encoded(value)
    assert "\n" not in text
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert decoded(text) == value
    assert repr(decoded(text)) == repr(value)


def test_numpy_comes_back_as_plain_values():
    value = {"a": np.float64(0.1), "b": np.arange(3), "c": np.int64(7), "d": np.array([math.inf, 1.0])}
    assert decoded(encoded(value)) == {"a": 0.1, "b": [0, 1, 2], "c": 7, "d": [math.inf, 1.0]}


@pytest.mark.parametrize("argument", [math.nan, 1e-5])
@pytest.mark.parametrize("bound", [0.1, math.inf, 5e-324])
def test_evidence_comes_back(bound, argument):
    evidence = Evidence(
        claim="a",
        auditor="event",
        version="1",
        measure=Measure(kind="epsilon", argument=argument, claimed=1.0),
        bound=bound,
        excess=-0.25,
        confidence=0.999,
        ceiling=math.inf,
        trials=10**10,
        statistics={"k1": 3, "region": {"kind": "joint", "share": 0.1 + 0.2}, "slope": (1.0, math.inf)},
        witness={"d0": [1, 2.5], "direction": "d0 against d1"},
    )
    again = evidence_of(text_of(evidence))
    assert repr(again) == repr(evidence)


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"claim": "a"}', '{"measure": {"kind": "epsilon"}}', '{"measure": 1}', '{"nosuch": 1}']
)
def test_anything_else_is_refused(text):
    with pytest.raises((ValueError, TypeError, KeyError, AttributeError)):
        evidence_of(text)
