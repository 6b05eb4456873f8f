"""Domains, metrics and privacy measures of the installed OpenDP, and neighbours at a distance.

Metrics and measures are found by calling every function of ``opendp.metrics`` and ``opendp.measures`` that can be
called; domains are built from the constructors that have neighbours here. A pair's distance is checked by hand for each
metric below, from OpenDP's definition of it; nothing is asked of the library about its own neighbours.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dpverify.core.subjects import Pair

UNSIZED = 16
"""Coordinates of a vector of scores, where the domain does not fix them: enough for a choice to be rare."""


@dataclass(frozen=True, slots=True)
class Space:
    """A domain and a metric on it."""

    domain: Any
    metric: Any

    @property
    def alike(self) -> bool:
        """Whether numbers of the domain and distances of the metric are of one type."""
        kinds = {each for each in ("i32", "f64") if each in repr(self.domain)}
        return {each for each in ("i32", "f64") if each in repr(self.metric)} in (kinds, set())


def called_alone(module: Any, *, given: Sequence[dict[str, Any]] = ({},)) -> list[Any]:
    """What the public functions of a module make, each called with every one of `given` that it accepts."""
    made = []
    for name, function in sorted(vars(module).items()):
        if name.startswith("_") or not callable(function) or getattr(function, "__module__", "") != module.__name__:
            continue
        for words in given:
            try:
                inspect.signature(function).bind(**words)
                found = function(**words)
            except Exception:  # noqa: BLE001 - what does not fit is not part of the grid
                continue
            if not isinstance(found, str):
                made.append(found)
    return made


def metrics(dp: Any) -> list[Any]:
    """Every metric that can be made of plain types, and the nested ones of those."""
    import opendp.metrics as module

    plain = called_alone(module, given=({}, {"T": int}, {"T": float}))
    nested = called_alone(module, given=[{"metric": each} for each in plain])
    return _distinct([*plain, *nested])


@functools.cache
def measures(dp: Any) -> list[Any]:
    """Every privacy measure, and the approximate ones of those."""
    import opendp.measures as module

    plain = called_alone(module)
    return _distinct([*plain, *called_alone(module, given=[{"measure": each} for each in plain])])


def domains(dp: Any) -> list[Any]:
    """Numbers, labels, vectors of them with and without a known size, maps and bit vectors."""
    numbers = [dp.atom_domain(T=int), dp.atom_domain(T=float, nan=False)]
    bounded = [dp.atom_domain(bounds=(0, 3)), dp.atom_domain(bounds=(0.0, 3.0), nan=False)]
    labels = [dp.atom_domain(T=bool), dp.atom_domain(T=str)]
    atoms = [*numbers, *bounded, *labels]
    vectors = [dp.vector_domain(each) for each in atoms]
    sized = [dp.vector_domain(each, size=4) for each in (*numbers, *bounded)]
    maps = [dp.map_domain(dp.atom_domain(T=str), each) for each in numbers]
    return [*atoms, *vectors, *sized, *maps, dp.bitvector_domain(max_weight=3)]


@functools.cache
def spaces(dp: Any) -> list[Space]:
    """Every domain with every metric that has neighbours on it; those whose numbers are of one type come first."""
    found = [
        Space(domain, metric)
        for domain, metric in itertools.product(domains(dp), metrics(dp))
        if pairs_of(domain, metric)
    ]
    return sorted(found, key=lambda space: not space.alike)


def distance_of(domain: Any, metric: Any) -> Any:
    """The distance d_in at which neighbours are made: 1, or 2 where one change in a vector of known size counts twice.

    Adding and removing a record are two steps of the symmetric distance; where the size is known, the least distance of
    two different vectors is 2.
    """
    kind, number = _metric(metric)
    if kind in ("Symmetric", "InsertDelete"):
        return 2 if _read(domain, r"size=(\d+)") else 1
    if kind in ("L01Inf", "L02Inf"):
        one = number(1)
        return (1, one, one)
    return number(1)


def pairs_of(domain: Any, metric: Any, *, values: Sequence[Any] = ()) -> list[Pair]:
    """Neighbours at `distance_of`, the plainest first; empty where this file knows none.

    `values`: the values that a record may have, where the domain does not say.
    """
    shape, (kind, _) = _shape(domain), _metric(metric)
    element = _read(domain, r"T=(\w+)")
    low, high = _ends(domain, values)
    if shape == "Atom" and kind == "Absolute" and element in ("i32", "f64"):
        step = _typed(element, 1)
        return _pairs((low, low + step), (low + step, low + 2 * step))
    if shape == "Atom" and kind == "Discrete":
        return _pairs((low, high))
    if shape == "Vector" and kind in ("L1", "L2") and element in ("i32", "f64"):
        return list(_shifts(kind, element, _size(domain, 3), low))
    if shape == "Vector" and kind == "LInf" and element in ("i32", "f64"):
        return list(_scores(domain, _typed(element, 1)))
    if shape == "Vector" and kind in ("Symmetric", "InsertDelete", "ChangeOne", "Hamming"):
        return list(_records(kind, _size(domain, 0), low, high))
    if shape == "Map" and kind in ("L01Inf", "L02Inf"):
        value = _read(domain, r"value_domain: AtomDomain\(.*T=(\w+)")
        return list(_tables(value)) if value in ("i32", "f64") else []
    if shape == "BitVector" and kind == "Discrete":
        return _pairs((b"\x07", b"\xe0"), (b"\x00", b"\x01"))
    return []


def _pairs(*ends: tuple[Any, Any]) -> list[Pair]:
    return [Pair(d0=first, d1=second, label=f"{first!r} and {second!r}") for first, second in ends]


def _shifts(kind: str, element: str, size: int, low: Any) -> Iterator[Pair]:
    """Vectors that differ by 1: in one coordinate, or (fractions) equally in all."""
    start = [low] * size
    yield from _pairs((start, [low + _typed(element, 1), *start[1:]]))
    if element == "f64":
        each = 1.0 / size if kind == "L1" else 1.0 / math.sqrt(size)
        each = math.nextafter(each, 0.0)  # the distance is at most 1
        yield from _pairs((start, [low + each] * size))


def _scores(domain: Any, step: Any) -> Iterator[Pair]:
    """Scores of which each moves by 1 at most: one up, one up and the others down, all up."""
    size, base = _size(domain, UNSIZED), _ends(domain, ())[0] + step
    start, rest = [base] * size, size - 1
    yield from _pairs((start, [base + step, *[base - step] * rest]))
    yield from _pairs((start, [base - step, *[base + step] * rest]))
    yield from _pairs((start, [base + step, *start[1:]]), ([base - step, *start[1:]], [base, *[base - step] * rest]))


def _records(kind: str, size: int, low: Any, high: Any) -> Iterator[Pair]:
    """One record more, or (a known size, a distance of changes) one that is another."""
    if size or kind in ("ChangeOne", "Hamming"):
        size = size or 4
        half = size // 2
        for base in ([low] * size, [low] * half + [high] * (size - half)):
            yield from _pairs((base, [high if base[0] == low else low, *base[1:]]))
        return
    for base in ([low] * 4, [low, low, high, high], [high] * 4):
        yield from _pairs((base, [*base, high]), (base, [*base, low]))


def _tables(value: str) -> Iterator[Pair]:
    """Maps that differ in one key, by 1 at most: a count moves, a key is new."""
    for before in (20, 2, 1):
        counts = _typed(value, before), _typed(value, before + 1)
        yield from _pairs(({"a": counts[0]}, {"a": counts[1]}))
    yield from _pairs(({"b": _typed(value, 2)}, {"a": _typed(value, 1), "b": _typed(value, 2)}))


def _ends(domain: Any, values: Sequence[Any]) -> tuple[Any, Any]:
    """Two values of a record that are far from each other."""
    if values:
        return values[0], values[-1]
    element, bounds = _read(domain, r"T=(\w+)"), re.search(r"bounds=\[([^,]+), ([^\]]+)\]", repr(domain))
    if element == "bool":
        return False, True
    if element == "String":
        return "a", "b"
    if bounds:
        return _typed(element, float(bounds[1])), _typed(element, float(bounds[2]))
    return _typed(element, 0), _typed(element, 3)


def _typed(element: str, value: float) -> Any:
    return float(value) if element == "f64" else int(value)


def _size(domain: Any, otherwise: int) -> int:
    found = _read(domain, r"size=(\d+)")
    return int(found) if found else otherwise


def _shape(domain: Any) -> str:
    found = re.match(r"(\w+)Domain", repr(domain))
    return found[1] if found else ""


def _metric(metric: Any) -> tuple[str, type]:
    """Its kind, and the type of its distances."""
    text = repr(metric)
    found = re.match(r"(\w+?)Distance", text)
    monotonic = "monotonic" in text
    number = float if "f64" in text else int
    return ("" if found is None or monotonic else found[1]), number


def _read(domain: Any, pattern: str) -> str:
    found = re.search(pattern, repr(domain))
    return found[1] if found else ""


def _distinct(things: Sequence[Any]) -> list[Any]:
    """One of each that is written alike."""
    return list({repr(each): each for each in things}.values())
