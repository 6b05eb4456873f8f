"""Measurements that need more than the grid: how their releases are read, and what their parameters are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dpverify.adapters.libraries.opendp.draws import Read, as_it_is, table_row
from dpverify.core.subjects import Pair


@dataclass(frozen=True, slots=True, kw_only=True)
class Special:
    """What one constructor needs.

    Attributes
    ----------
    read : callable
        Makes plain values of a release.
    more : callable or None
        Values for its parameters that the grid does not know.
    pairs : callable or None
        Other pairs than those of its space.
    """

    read: Read = as_it_is
    more: Callable[[Any], Mapping[str, Sequence[Any]]] | None = None
    pairs: Callable[[Sequence[Pair]], list[Pair]] | None = None


def reader_of(constructor: str) -> Special | None:
    """What the constructor needs; None where the grid suffices."""
    return _SPECIAL.get(constructor)


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


_SPECIAL: dict[str, Special] = {
    "make_noisy_top_k": Special(pairs=_more_candidates),
    "make_gaussian_threshold": Special(read=table_row),
    "make_laplace_threshold": Special(read=table_row),
    "make_noise_threshold": Special(read=table_row),
    "make_alp_queryable": Special(read=_two_keys),
    "make_user_measurement": Special(more=_user_measurement, pairs=_numbers_only),
}
