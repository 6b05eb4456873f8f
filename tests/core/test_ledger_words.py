"""A remark says all it must."""

from __future__ import annotations

import math

import pytest

from dpverify.core.errors import InputError
from dpverify.core.ledger_words import Curve, Figure, Remark, Shown
from dpverify.core.plugins import registry
from dpverify.core.registry import Registry

TEXT = {"claim": "X-1.a", "breaks": "line 3", "means": "noise is too small", "instead": "double it"}


def _shown() -> Shown:
    return Shown(numbers=(("claimed", 1.0), ("true", 2.0)), holds=True)


def test_a_remark_is_registered_under_its_claim() -> None:
    registry = Registry()
    remark = Remark(shown=_shown, **TEXT)
    registry.remarks.add(remark.claim, remark)
    assert registry.remarks.get("X-1.a").shown().holds


@pytest.mark.parametrize("name", sorted(TEXT))
def test_an_empty_text_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=name):
        Remark(shown=_shown, **(TEXT | {name: " "}))


def test_a_curve_without_a_finite_point_and_a_figure_beside_nothing_are_refused():
    for points in ((), ((math.nan, 1.0), (1.0, math.inf))):
        with pytest.raises(InputError, match="finite point"):
            Curve(label="none", points=points)
    with pytest.raises(InputError, match="beside no claim"):
        Figure(title="t", claims=(), x="x", y="y", curves=tuple, note="n")


@pytest.mark.parametrize("name", list(registry().figures))
def test_every_figure_stands_beside_claims_that_are_there(name):
    known = registry()
    ids = {single.id for _, claim in known.claims.items() for single in claim.single()}
    assert set(known.figures.get(name).claims) <= ids


SLOW = "adpsgd-footnote-3"
"""The one that takes seconds."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.ci if name == SLOW else ()) for name in registry().figures]
)
def test_every_figure_is_the_same_twice_and_can_be_drawn_on_its_axes(name):
    figure = registry().figures.get(name)
    first, second = figure.curves(), figure.curves()
    assert first == second
    for curve in first:
        assert [x for x, _ in curve.points] == sorted(x for x, _ in curve.points)
        for x, y in curve.points:
            assert not figure.log_x or x > 0
            assert not figure.log_y or not math.isfinite(y) or y > 0
