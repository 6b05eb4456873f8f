"""The usual ways to break a mechanism, each made without touching the mechanism's own code.

A mutant is a callable of the same kind (one output a call, or batches), or it is left out, with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpverify.adapters.signature import signature
from dpverify.core.subjects import Pair
from dpverify.datasets.examples.container import container_of
from dpverify.testing.sabotage.altered_generator import Alteration, AlteredGenerator
from dpverify.testing.sabotage.without_clip import without_clip

Mechanism = Callable[..., Any]
Replaced = Callable[[Any, Any], Any]
"""``replaced(rng, data) -> rng'``: what the mechanism draws from instead."""


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """One way to break one mechanism.

    Attributes
    ----------
    name, what : str
        For tables, and in words.
    broken : callable or None
        The broken mechanism; None where it is left out.
    twin : callable or None
        The mechanism itself, called the same way, so that the two can be compared draw by draw.
    left_out : str
        Why there is none.
    """

    name: str
    what: str
    broken: Mechanism | None = None
    twin: Mechanism | None = None
    left_out: str = ""


HALVED = Alteration(scale=lambda b: b / 2, uniform=lambda u: 0.25 + u / 2, chance=lambda p: 1 - (1 - p) ** 2)
NONE = Alteration(scale=lambda b: 0 * b, uniform=lambda u: 0 * u + 0.5, chance=lambda p: 0 * p + 1.0)
ROOT = Alteration(scale=lambda b: np.sqrt(b))
UPWARDS = Alteration(sign=True)
REUSED = Alteration(once=True)

GENERATOR_MUTANTS: tuple[tuple[str, str, Alteration, bool], ...] = (
    ("noise-halved", "noise has half its scale", HALVED, False),
    ("noise-removed", "noise has scale 0", NONE, False),
    ("noise-reused", "all numbers of one run are the same draw", REUSED, True),
    ("noise-root", "noise has the square root of its scale", ROOT, False),
    ("noise-one-sided", "noise is never negative", UPWARDS, False),
)
"""Name, words, alteration, and whether each output needs a call of its own."""


def kinds_of(mechanism: Mechanism, name: str, pairs: Sequence[Pair], *, altered: bool) -> list[Mutant]:
    """All mutants of a mechanism.

    Parameters
    ----------
    pairs : sequence of Pair
        Neighbours: the largest data among them stand for the bound that a sensitivity is taken from.
    altered : bool
        Whether the mechanism takes a generator that passes calls on; else mutants of its noise are left out.
    """
    found = []
    for kind, what, alteration, alone in GENERATOR_MUTANTS:
        found.append(_with_generator(mechanism, name, kind, what, _altering(alteration), alone=alone, altered=altered))
    what = "the same seed in every run"
    fixed: Replaced = lambda _rng, _data: np.random.default_rng(0)  # noqa: E731
    found.append(_with_generator(mechanism, name, "seed-fixed", what, fixed, alone=True, altered=altered))
    what = "noise is scaled by the largest record of the data, not by the largest possible"
    largest = max((size_of(side) for pair in pairs for side in (pair.d0, pair.d1)), default=0.0)
    if largest > 0:
        scaled: Replaced = lambda rng, data: AlteredGenerator(  # noqa: E731
            rng, Alteration(scale=lambda b: b * (size_of(data) / largest))
        )
        found.append(_with_generator(mechanism, name, "sensitivity-from-data", what, scaled, altered=altered))
    unclipped = without_clip(mechanism)
    what = "records are not clipped"
    if unclipped is None:
        found.append(Mutant(name="clip-dropped", what=what, left_out="no clipping was found in the source"))
    else:
        broken = _called(unclipped, f"{name}[clip-dropped]", alone=False)
        found.append(Mutant(name="clip-dropped", what=what, broken=broken, twin=mechanism))
    return found


def passing_on(mechanism: Mechanism, name: str) -> Mechanism:
    """The mechanism with a generator that passes every call on, unaltered."""
    return _called(mechanism, name, _altering(Alteration()))


def size_of(data: Any) -> float:
    """The largest number in a data set, in absolute value; where it holds none, how many different records."""
    try:
        numbers = np.abs(np.asarray(data, dtype=np.float64))
        return float(numbers.max(initial=0.0))
    except (TypeError, ValueError):
        records = container_of(data).records
    fields = [value for record in records for value in (record if isinstance(record, tuple) else (record,))]
    sizes = [abs(float(value)) for value in fields if isinstance(value, int | float)]
    return max(sizes) if sizes else float(len(set(map(repr, records))))


def _altering(alteration: Alteration) -> Replaced:
    return lambda rng, _data: AlteredGenerator(rng, alteration)


def _with_generator(
    mechanism: Mechanism, name: str, kind: str, what: str, replaced: Replaced, *, altered: bool, alone: bool = False
) -> Mutant:
    keywords, _ = signature(mechanism, name)
    if "rng" not in keywords or not altered:
        why = "it takes no rng" if "rng" not in keywords else "it takes no generator but numpy's own"
        return Mutant(name=kind, what=what, left_out=why)
    broken = _called(mechanism, f"{name}[{kind}]", replaced, alone=alone)
    return Mutant(name=kind, what=what, broken=broken, twin=_called(mechanism, name, alone=alone))


def _called(mechanism: Mechanism, name: str, replaced: Replaced | None = None, *, alone: bool = False) -> Mechanism:
    """The mechanism as a function of the same signature; with `alone` each output has a call of its own."""
    keywords, _ = signature(mechanism, name)

    def words(data: Any, rng: Any) -> dict[str, Any]:
        return {"rng": rng if replaced is None else replaced(rng, data)} if "rng" in keywords else {}

    def one(data: Any, rng: np.random.Generator) -> Any:
        if "size" in keywords:
            return mechanism(data, size=1, **words(data, rng))[0]
        return mechanism(data, **words(data, rng))

    def many(data: Any, size: int, rng: np.random.Generator) -> Any:
        return mechanism(data, size=size, **words(data, rng))

    def plain(data: Any) -> Any:
        return mechanism(data)

    found: Any = plain if not keywords else many if "size" in keywords and not alone else one
    found.__name__ = found.__qualname__ = name
    found.__module__ = getattr(mechanism, "__module__", None) or __name__
    return found  # type: ignore[no-any-return]
