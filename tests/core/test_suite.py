"""How a suite says its defaults, and what is published about its rows."""

import pytest

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.suite import DEFAULT_CONFIDENCE, Published, Suite


def test_a_suite_that_nobody_described_has_the_defaults():
    suite = Registry().suite("anything")
    assert (suite.name, suite.profile, suite.methods, suite.per_row) == ("anything", "quick", None, False)
    assert suite.confidence == DEFAULT_CONFIDENCE
    assert suite.published == {}


def test_a_described_suite_is_found_and_described_once():
    registry = Registry()
    described = Suite(name="table", confidence=0.9, per_row=True, methods=("event",))
    registry.suites.add("table", described)
    assert registry.suite("table") is described
    with pytest.raises(InputError, match="two suites called 'table'"):
        registry.suites.add("table", described)


@pytest.mark.parametrize("confidence", [0.0, 1.0, float("nan")])
def test_confidence_is_inside_zero_and_one(confidence):
    with pytest.raises(InputError, match="confidence"):
        Suite(name="table", confidence=confidence)


def test_what_is_due_is_the_published_bound_or_the_target():
    assert Published(truth=1.0, bound=0.5, tool="it", seconds=1.0).due == 0.5
    assert Published(truth=1.0, bound=0.5, tool="it", seconds=1.0, target=0.7).due == 0.7
