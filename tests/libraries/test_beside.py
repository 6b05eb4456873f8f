"""A library's accountants beside ours: which side each errs on."""

import math

import pytest

from dpverify.libraries import beside as module
from dpverify.libraries.beside import beside, side_of
from tests.libraries.fake import FakeLibrary


class Accounted(FakeLibrary):
    """Three accountants: too small, too large, and one that fails."""

    def accountants(self):
        def failing(rate, noise, steps, delta):
            raise ValueError("no such rate")

        return {"small": lambda *_: 1e-3, "large": lambda *_: 50.0, "failing": failing}


def test_a_number_is_below_inside_or_above():
    assert [side_of(each, 1.0, 2.0) for each in (0.9, 1.0, 1.5, 2.0, 2.1)] == [
        "below",
        "inside",
        "inside",
        "inside",
        "above",
    ]


def test_every_accountant_is_held_against_the_bracket(monkeypatch):
    monkeypatch.setattr(module, "SETTINGS", ((1.0, 10.0, 100, 1e-6),))
    rows = beside(Accounted())
    assert [(each.accountant, each.side) for each in rows] == [
        ("small", "below"),
        ("large", "above"),
        ("failing", "ValueError: no such rate"),
    ]
    # 100 Gaussians of sigma 10 are one of mu = 1, whose epsilon at 1e-6 is known in closed form.
    from scipy.optimize import brentq
    from scipy.stats import norm

    exact = brentq(lambda e: norm.cdf(0.5 - e) - math.exp(e) * norm.cdf(-0.5 - e) - 1e-6, 1.0, 10.0)
    assert rows[0].lower <= exact <= rows[0].upper
    assert rows[0].upper - rows[0].lower < 0.01


def test_a_library_without_accountants_has_no_rows():
    assert beside(FakeLibrary()) == []


@pytest.mark.slow
def test_googles_own_are_not_below():
    pytest.importorskip("dp_accounting")
    from dpverify.adapters.libraries import find_library

    assert {each.side for each in beside(find_library("dp_accounting"))} <= {"inside", "above"}
