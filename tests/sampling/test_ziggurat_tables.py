from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any, TypeAlias

import flint
import numpy as np
import pytest
from scipy import integrate, stats

from dpverify.sampling.ziggurat_tables import EXPONENTIAL, LAYERS, NORMAL, Curve, Ziggurat, build

Ball: TypeAlias = Callable[[Any], Any]  # on flint.arb, which has no types

RELATIVE = 1e-13  # 256 steps of rounding in the recurrence; a wrong table is off by far more

CASES = pytest.mark.parametrize(
    ("table", "density", "tail"),
    [
        pytest.param(
            NORMAL,
            lambda x: np.exp(-0.5 * np.square(x)),
            lambda r: math.sqrt(2 * math.pi) * stats.norm.sf(r),
            id="normal",
        ),
        pytest.param(EXPONENTIAL, lambda x: np.exp(-x), stats.expon.sf, id="exponential"),
    ],
)


def faults(table: Ziggurat, density: Curve, tail: Curve) -> list[str]:
    """Return which of the ziggurat's defining identities fail."""
    edge, height, area = table.edge, table.height, table.area
    identities = {
        "shape": edge.shape == height.shape == (LAYERS + 1,),
        "falling": bool(np.all(np.diff(edge) < 0) and np.all(np.diff(height) > 0)),
        "ends": edge[1] == table.base and edge[-1] == 0.0 and height[0] == 0.0 and height[-1] == 1.0,
        "curve": np.allclose(height[1:], density(edge[1:]), rtol=RELATIVE, atol=0),  # type: ignore[arg-type]  # on arrays
        "areas": np.allclose(edge[1:-1] * np.diff(height[1:]), area, rtol=LAYERS * RELATIVE, atol=0),
        "base strip": math.isclose(table.base * density(table.base) + tail(table.base), area, rel_tol=RELATIVE),
        "base width": math.isclose(edge[0] * density(table.base), area, rel_tol=RELATIVE),
    }
    return [name for name, holds in identities.items() if not holds]


@CASES
def test_identities(table: Ziggurat, density: Curve, tail: Curve) -> None:
    assert faults(table, density, tail) == []


@CASES
def test_layers_cover_the_density_once(table: Ziggurat, density: Curve, tail: Curve) -> None:
    """The probabilities of being accepted, layer by layer, by quadrature: they add up to the whole area under f."""
    wedges = sum(
        integrate.quad(lambda x, low=low: density(x) - low, inner, outer, epsabs=1e-14)[0]
        for outer, inner, low in zip(table.edge[1:-1], table.edge[2:], table.height[1:-1], strict=True)
    )
    inner = float(np.sum(table.edge[2:] * np.diff(table.height[1:])))
    base = table.base * table.height[1] + tail(table.base)
    whole = integrate.quad(density, 0, np.inf)[0]
    assert math.isclose(wedges + inner + base, whole, rel_tol=1e-9)


@CASES
def test_wrong_tables_are_caught(table: Ziggurat, density: Curve, tail: Curve) -> None:
    for name in ("edge", "height"):
        wrong = getattr(table, name).copy()
        wrong[128] *= 1 + 1e-9
        assert faults(dataclasses.replace(table, **{name: wrong}), density, tail)
    assert "base strip" in faults(dataclasses.replace(table, area=table.area * (1 + 1e-9)), density, tail)
    assert faults(table, density, lambda r: 0.999 * tail(r)) == ["base strip"]


@pytest.mark.parametrize(
    ("table", "density", "inverse", "tail"),
    [
        pytest.param(
            NORMAL,
            lambda x: (-x * x / 2).exp(),
            lambda y: (-2 * y.log()).sqrt(),
            lambda r: (flint.arb.pi() / 2).sqrt() * (r / flint.arb(2).sqrt()).erfc(),
            id="normal",
        ),
        pytest.param(EXPONENTIAL, lambda x: (-x).exp(), lambda y: -y.log(), lambda r: (-r).exp(), id="exponential"),
    ],
)
def test_against_the_recurrence_in_ball_arithmetic(table: Ziggurat, density: Ball, inverse: Ball, tail: Ball) -> None:
    def edges(base: flint.arb) -> tuple[bool, list[flint.arb]]:
        area = base * density(base) + tail(base)
        found = [area / density(base), base]
        while len(found) < LAYERS:
            top = density(found[-1]) + area / found[-1]
            if top > 1:
                return True, found
            found.append(inverse(top))
        return bool(density(found[-1]) + area / found[-1] > 1), found

    with flint.ctx.workprec(160):
        low, high = flint.arb(table.base - 1e-9), flint.arb(table.base + 1e-9)
        assert edges(low)[0]
        assert not edges(high)[0]
        for _ in range(80):
            middle = ((low + high) / 2).mid()
            low, high = (middle, high) if edges(middle)[0] else (low, middle)
        exact = np.array([float(edge) for edge in edges(high)[1]])
    assert math.isclose(table.base, exact[1], rel_tol=4e-16)
    np.testing.assert_allclose(table.edge[:-1], exact, rtol=2e-13, atol=0)


def test_base_edges_of_the_literature() -> None:
    """The 256-layer constants of Marsaglia and Tsang (2000); their normal area is off in the 12th digit."""
    assert math.isclose(NORMAL.base, 3.6541528853610088, rel_tol=1e-15)
    assert math.isclose(NORMAL.area, 0.00492867323399, rel_tol=1e-11)
    assert math.isclose(EXPONENTIAL.base, 7.69711747013104972, rel_tol=1e-15)
    assert math.isclose(EXPONENTIAL.area, 0.0039496598225815571993, rel_tol=1e-14)


def test_arrays_are_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        NORMAL.edge[0] = 0.0


def test_build_works_for_another_density() -> None:
    """A third density, so that the builder's rule and not two lucky brackets is tested: f = 1 / (1 + x)^3."""
    density, tail = (lambda x: (1 + x) ** -3.0), (lambda r: 0.5 * (1 + r) ** -2.0)
    table = build(density, lambda y: y ** (-1 / 3) - 1, tail, low=1.0, high=1e4)
    assert faults(table, density, tail) == []
