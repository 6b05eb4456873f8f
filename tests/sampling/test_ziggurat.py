from __future__ import annotations

import dataclasses
import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import flint
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import integrate, stats

from dpverify.sampling.streams import State, as_state, state_from, stream
from dpverify.sampling.ziggurat import EXPONENTIAL, LAYERS, NORMAL, Curve, Ziggurat, build, exponential, laplace, normal

MASK = 2**64 - 1
WORDS = st.integers(0, MASK)
CLOSE = (
    1e-14  # two libraries' exp and log may differ in the last place; every decision and the state must agree exactly
)

# --- naive twins: the method in plain Python, on unbounded integers --------------------------------------------------


def rotate(word: int, places: int) -> int:
    return (word << places | word >> (64 - places)) & MASK


class Twin:
    """A xoshiro256++ in unbounded integers, with the draws made from it."""

    def __init__(self, state: State) -> None:
        self.state = [int(word) for word in state]
        self.paths: set[str] = set()

    def word(self) -> int:
        a, b, c, d = self.state
        result = (rotate((a + d) & MASK, 23) + a) & MASK
        c, d, shifted = c ^ a, d ^ b, (b << 17) & MASK
        self.state = [a ^ d, b ^ c, c ^ shifted, rotate(d, 45)]
        return result

    def uniform(self) -> float:
        return (2 * (self.word() >> 12) + 1) / 2**53

    def signed(self) -> tuple[int, int]:
        """Return the layer, and an odd integer between -2**53 and 2**53 from the disjoint bits 11 to 63."""
        word = self.word()
        return word & 255, 2 * ((word >> 11) - (2**53 if word >> 63 else 0)) + 1

    def unsigned(self) -> tuple[int, int]:
        """Return the layer, and an odd integer between 0 and 2**53 from the disjoint bits 12 to 63."""
        word = self.word()
        return word & 255, 2 * (word >> 12) + 1

    def normal(self) -> float:
        while True:
            layer, steps = self.signed()
            x = steps * (float(NORMAL.edge[layer]) / 2**53)
            if abs(x) < NORMAL.edge[layer + 1]:
                self.paths.add("inner")
                return x
            if layer == 0:
                self.paths.add("tail")
                while True:
                    excess = -math.log(self.uniform()) / NORMAL.base
                    if -2 * math.log(self.uniform()) > excess**2:
                        return math.copysign(NORMAL.base + excess, x)
            self.paths.add("wedge")
            low, high = NORMAL.height[layer : layer + 2]
            if low + self.uniform() * (high - low) < math.exp(-0.5 * x * x):
                return x
            self.paths.add("again")

    def exponential(self, first: Callable[[], tuple[int, int]] | None = None) -> float:
        passed, draw = 0.0, first or self.unsigned
        while True:
            layer, steps = draw()
            draw = self.unsigned
            x = abs(steps) * (float(EXPONENTIAL.edge[layer]) / 2**53)
            if x < EXPONENTIAL.edge[layer + 1]:
                self.paths.add("inner")
                return passed + x
            if layer == 0:
                self.paths.add("tail")
                passed += EXPONENTIAL.base
                continue
            self.paths.add("wedge")
            low, high = EXPONENTIAL.height[layer : layer + 2]
            if low + self.uniform() * (high - low) < math.exp(-x):
                return passed + x
            self.paths.add("again")

    def laplace(self) -> float:
        sign = 0

        def first() -> tuple[int, int]:
            nonlocal sign
            layer, sign = self.signed()
            return layer, sign

        magnitude = self.exponential(first)
        return math.copysign(magnitude, sign)


SAMPLERS = pytest.mark.parametrize("sampler", [normal, exponential, laplace], ids=lambda sampler: sampler.__name__)


def assert_follows_twin(sampler: Any, state: State) -> Twin:
    value, *rest = sampler(*state)
    twin = Twin(state)
    assert math.isclose(value, getattr(twin, sampler.__name__)(), rel_tol=CLOSE)
    assert rest == twin.state
    return twin


@SAMPLERS
def test_twin_over_many_draws(sampler: Any) -> None:
    state = state_from(stream(0, "ziggurat", sampler.__name__))
    paths: set[str] = set()
    for _ in range(10_000):
        twin = assert_follows_twin(sampler, state)
        state, paths = as_state(twin.state), paths | twin.paths
    assert paths >= {"inner", "wedge", "again"}


def forced(word: int, second: int = 1, third: int = 2) -> State:
    """Return a state whose next word is `word`: with s0 = 0 the output is s3 rotated left by 23."""
    return as_state((0, second, third or 1, rotate(word, 64 - 23)))


@SAMPLERS
@given(word=WORDS, second=WORDS, third=WORDS)
@example(word=0, second=1, third=2)
@example(word=MASK, second=1, third=2)
@example(word=255, second=1, third=2)
@example(word=2**63, second=1, third=2)
def test_twin_on_any_word(sampler: Any, word: int, second: int, third: int) -> None:
    """So hypothesis itself chooses layer, magnitude and sign."""
    assert_follows_twin(sampler, forced(word, second, third))


@pytest.mark.parametrize("second", range(20))
@pytest.mark.parametrize(
    ("sampler", "word", "sign"),
    [
        pytest.param(normal, (2**52 - 1) << 11, 1, id="normal above"),
        pytest.param(normal, 1 << 63, -1, id="normal below"),
        pytest.param(laplace, (2**52 - 1) << 11, 1, id="laplace above"),
        pytest.param(laplace, 1 << 63, -1, id="laplace below"),
        pytest.param(exponential, (2**52 - 1) << 12, 1, id="exponential"),
    ],
)
def test_outermost_words_of_the_base_strip_go_to_the_tail(sampler: Any, word: int, sign: int, second: int) -> None:
    state = forced(word, second, 3 * second + 1)
    assert "tail" in assert_follows_twin(sampler, state).paths
    assert sign * sampler(*state)[0] > (NORMAL if sampler is normal else EXPONENTIAL).base


# --- properties ------------------------------------------------------------------------------------------------------


@given(word=WORDS)
def test_complementing_the_magnitude_bits_flips_the_sign_and_nothing_else(word: int) -> None:
    mirrored = word ^ (MASK & ~(2**11 - 1))
    for sampler in (normal, laplace):
        if assert_follows_twin(sampler, forced(word)).paths == {"inner"}:  # beyond it, further words come in
            assert sampler(*forced(mirrored))[0] == -sampler(*forced(word))[0]


@SAMPLERS
def test_no_zero_and_no_infinity(sampler: Any) -> None:
    for layer in range(256):
        for magnitude in (0, 1, 2**52 - 1):
            value = sampler(*forced(magnitude << 11 | layer))[0]
            assert 0 < abs(value) < 60


@pytest.mark.slow
def test_cache_serves_a_caller_in_another_module(tmp_path: Path) -> None:
    """A second process must load the compiled kernel, and the samplers under it, without compiling anything."""
    (tmp_path / "caller.py").write_text(
        "import numpy as np\n"
        "from numba import njit\n"
        "from dpverify.sampling.streams import state_from, stream\n"
        "from dpverify.sampling.ziggurat import laplace, normal\n"
        "@njit(cache=True, nogil=True)\n"
        "def total(n, s0, s1, s2, s3):\n"
        "    a = 0.0\n"
        "    for _ in range(n):\n"
        "        x, s0, s1, s2, s3 = normal(s0, s1, s2, s3)\n"
        "        y, s0, s1, s2, s3 = laplace(s0, s1, s2, s3)\n"
        "        a += x + y\n"
        "    return a\n"
        "a = total(1000, *state_from(stream(0, 'cache')))\n"
        "print(a, sum(total.stats.cache_hits.values()), sum(total.stats.cache_misses.values()))\n"
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    first, second = (
        subprocess.run(
            [sys.executable, "caller.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        ).stdout.split()
        for _ in range(2)
    )
    assert first[0] == second[0]
    assert first[1:] == ["0", "1"]
    assert second[1:] == ["1", "0"]


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
