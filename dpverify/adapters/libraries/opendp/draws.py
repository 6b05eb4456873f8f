"""Draws of an OpenDP measurement, as fast as OpenDP allows.

One call from Python costs 0.2 to 0.5 ms, most of it for passing values. So outputs are drawn 64 a call, by
``make_composition`` of the measurement with itself, whose answers are independent runs on the same data. That is one
more part of the library to trust, so a refutation is confirmed on single calls (`Offered.single`). OpenDP draws its
noise in Rust, from the operating system: it can be neither seeded nor recorded, so no run is repeated to the bit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpverify.core.subjects import Pair

TOGETHER = 64
"""Draws a call."""

KEYS = ("a", "b")
"""Of the maps in the pairs."""

Read = Callable[[Any], Any]
"""Makes plain values of what a measurement returned: asks a queryable, collects a frame."""


def as_it_is(released: Any) -> Any:
    """The released value."""
    return np.unpackbits(np.frombuffer(released, dtype=np.uint8)) if isinstance(released, bytes) else released


def table_row(released: Any) -> list[float]:
    """A released map as a row: whether "a" and "b" are in it and their values (0 for none), and how many other keys."""
    others = len(set(released) - set(KEYS))
    return [number for key in KEYS for number in (float(key in released), float(released.get(key, 0)))] + [others]


def single_draws(make: Callable[[], Any], read: Read = as_it_is) -> Callable[[], Callable[..., Any]]:
    """One call an output."""

    def build() -> Callable[..., Any]:
        measurement = make()

        def one_call(data: Any) -> Any:
            return read(measurement(data))

        return one_call

    return build


def fast_draws(make: Callable[[], Any], read: Read = as_it_is, *, example: Any) -> Callable[[], Callable[..., Any]]:
    """Many outputs a call where the measurement can be composed with itself; else as `single_draws`."""

    def build() -> Callable[..., Any]:
        measurement = make()
        together = _together(measurement, example) if read in (as_it_is, table_row) else None
        if together is None:
            return single_draws(lambda: measurement, read)()

        left: dict[str, list[Any]] = {}

        def many_a_call(data: Any, size: int) -> Any:
            drawn = left.setdefault(repr(data), [])
            while len(drawn) < size:
                drawn += together(data)
            taken, drawn[:] = [read(each) for each in drawn[:size]], drawn[size:]
            return np.asarray(taken) if _numbers_of_one_shape(taken) else taken

        return many_a_call

    return build


def _together(measurement: Any, example: Any) -> Any:
    """The measurement `TOGETHER` times, or None where that cannot be."""
    import opendp.combinators as combinators

    try:
        composed = combinators.make_composition([measurement] * TOGETHER)
        drawn = composed(example)
    except Exception:  # noqa: BLE001 - many measurements cannot be composed; then each output is a call
        return None
    return composed if isinstance(drawn, list) and len(drawn) == TOGETHER else None


def _numbers_of_one_shape(drawn: Sequence[Any]) -> bool:
    try:
        found = np.asarray(drawn)
    except ValueError:
        return False
    return found.dtype.kind in "biuf" and found.ndim <= 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Special:
    """What one constructor needs."""

    read: Read = as_it_is
    """Makes plain values of a release."""
    more: Callable[[Any], Mapping[str, Sequence[Any]]] | None = None
    """Values for its parameters that the grid does not know."""
    pairs: Callable[[Sequence[Pair]], list[Pair]] | None = None
    """Other pairs than those of its space."""


def _two_keys(queryable: Any) -> list[float]:
    """A queryable of the projected map, asked for two keys."""
    return [float(queryable("a")), float(queryable("b"))]


def _user_measurement(dp: Any) -> dict[str, Sequence[Any]]:
    """A user's function that is OpenDP's own Laplace noise, with its map."""
    inner = dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), 1.0)
    return {
        "function": (lambda data: inner(int(data)),),
        "privacy_map": (inner.map,),
        "output_measure": (dp.max_divergence(),),
    }


def _numbers_only(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs of integers that are 1 apart."""
    return [pair for pair in pairs if type(pair.d0) is int and pair.d1 - pair.d0 == 1]


def _more_candidates(pairs: Sequence[Pair]) -> list[Pair]:
    """Scores of four times as many candidates, the last one repeated: being among the first two is rarer then."""
    return [
        replace(pair, d0=[*pair.d0, *pair.d0[-1:] * 3 * len(pair.d0)], d1=[*pair.d1, *pair.d1[-1:] * 3 * len(pair.d1)])
        for pair in pairs
    ]


SPECIAL: dict[str, Special] = {
    "make_noisy_top_k": Special(pairs=_more_candidates),
    "make_gaussian_threshold": Special(read=table_row),
    "make_laplace_threshold": Special(read=table_row),
    "make_noise_threshold": Special(read=table_row),
    "make_alp_queryable": Special(read=_two_keys),
    "make_user_measurement": Special(more=_user_measurement, pairs=_numbers_only),
}
