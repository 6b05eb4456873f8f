"""A callable that takes away what the audit needs ends in one line about the callable."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import dpverify as dpv
from dpverify.adapters.replaced import present, replaced
from dpverify.core.errors import AuditError


@pytest.mark.parametrize(
    ("place", "name"), [(np.random, "Generator"), (np, "cumsum"), (sys.modules, "dpverify.reporting.terminal")]
)
def test_what_was_replaced_is_named(place, name, monkeypatch):
    import dpverify.reporting.terminal  # noqa: F401 - so that it is loaded

    before = present()
    assert replaced(before) == ()
    if place is sys.modules:
        monkeypatch.delitem(place, name)
    else:
        monkeypatch.setattr(place, name, None)
    assert len(replaced(before)) == 1
    assert name in replaced(before)[0]


def test_new_names_do_not_count(monkeypatch):
    before = present()
    monkeypatch.setattr(np, "a_new_name", 1, raising=False)
    monkeypatch.setitem(sys.modules, "a_new_module", np)
    assert replaced(before) == ()


def test_no_verdict_comes_of_a_callable_that_replaced_the_generator(monkeypatch):
    def noisy(data, rng):
        monkeypatch.setattr(np.random, "Philox", None)
        return len(data) + rng.laplace()

    with pytest.raises(AuditError, match=r"noisy replaced or removed numpy\.random\.Philox"):
        dpv.audit(noisy, [1, 1], [1], claim="PureDP(epsilon=1)", trials=200)
