"""Whether the code that draws follows the law that the subject states, on each input: without it nothing is certified.

A certificate compares stated laws; what a user runs is `sample` and `counts`. For a law on finitely many outcomes both
are drawn on every input, and the shares of the outcomes are compared with the law by their total variation distance.
With n draws of k outcomes its mean is at most sqrt(k / n) / 2 where the code follows the law, and at least the true
distance where it does not (Jensen); one draw moves it by at most 1 / n, so it lies further than t on one side of its
mean with probability at most exp(-2 n t^2) (McDiarmid 1989). How often each outcome came is held against its binomial
law, too, which shows a single rare outcome sooner (and any that is impossible). So code that follows its law departs
with probability at most `LEVEL` over all inputs, each of the two tests having half of it, and code at the distance
`Comparison.finds` or more is found four times in five. Draws are taken to be independent.

Outcomes must be whole numbers of an integer type, in one form on every input. Laws on the line and of several
coordinates are not compared: the digits of a number, or the sign of a zero, hide an input from any cells.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpverify.core.auditing import Task
from dpverify.core.errors import UnsupportedError
from dpverify.core.subjects import Counts, Dataset, Float, HasTranscript, Samples, Traces
from dpverify.laws.discrete import DiscreteLaw
from dpverify.laws.product import MixtureLaw

LEVEL = 1e-9
"""Probability of at least one departure, over everything that is compared, where the code follows its law."""

CLOSE = 0.1
"""A comparison that finds only larger distances than this is none."""

_LEAST, _MOST, _SHARE = 2_000, 200_000, 4  # draws an input: at least, at most; in all for each draw of the task
_POWER = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What was compared: inputs, draws on each, the paths (``sample``, ``counts``), and the first departure or empty.

    `finds` is the total variation distance, the largest share of runs with another output than the law's, from which on
    80 % of such comparisons find it.
    """

    inputs: int
    draws: int
    paths: tuple[str, ...]
    finds: float
    departure: str = ""


def compare(task: Task, datasets: Sequence[Dataset]) -> Comparison | None:
    """Draw on every data set and compare; None where the subject has no code that draws.

    UnsupportedError when outputs cannot be compared with the law closely enough.
    """
    subject = task.build()
    paths = tuple(name for name, kind in (("sample", Samples), ("counts", Counts)) if isinstance(subject, kind))
    if not paths:
        if callable(subject) or isinstance(subject, HasTranscript | Traces):
            raise UnsupportedError("it runs, and has neither sample nor counts")
        return None
    draws = int(np.clip(_SHARE * task.trials // len(datasets), _LEAST, _MOST))
    level, finds = LEVEL / (2 * len(datasets) * len(paths)), 0.0
    forms: dict[str, set[tuple[Any, ...]]] = {path: set() for path in paths}
    for place, dataset in enumerate(datasets):
        stated = _table(subject.output_law(dataset))
        allowed = 0.5 * math.sqrt(stated.size / draws) + _moves(draws, level)
        finds = max(finds, allowed + _moves(draws, 1 - _POWER))
        if finds > CLOSE:
            raise UnsupportedError(f"{draws:,} draws of {stated.size:,} outcomes show no departure below {finds:.2g}")
        for path in paths:
            rng = task.stream("law", path, place)
            raw = np.asarray(getattr(subject, path)(dataset, draws, rng=rng))
            forms[path].add((raw.dtype.str, raw.shape))
            if len(forms[path]) > 1:
                raise UnsupportedError(f"{path} gives arrays of other types or shapes on other inputs")
            counted = _counted(raw, path, stated.size, draws)
            if text := _departure(counted, stated, draws, allowed=allowed, level=level):
                text = f"on {dataset!r}, by `{path}`, {text}"
                return Comparison(inputs=len(datasets), draws=draws, paths=paths, finds=finds, departure=text)
    return Comparison(inputs=len(datasets), draws=draws, paths=paths, finds=finds)


def _departure(counted: NDArray[np.int64], stated: Float, draws: int, *, allowed: float, level: float) -> str:
    """How counts depart from their law, in words; empty where they do not."""
    away = np.abs(counted / draws - stated)
    distance = 0.5 * float(away.sum())
    tails = 2 * np.minimum(special.bdtr(counted, draws, stated), special.bdtrc(counted - 1, draws, stated))
    rare = int(np.argmin(tails))
    if not tails[rare] * stated.size >= level:
        worst, why = rare, f"the tail probability of {tails[rare]:.1g}"
    elif not distance <= allowed:
        worst, why = int(np.argmax(away)), f"a total variation distance of {distance:.3g} ({allowed:.3g} is chance)"
    else:
        return ""
    return (
        f"outcome {worst} came in {counted[worst]:,} of {draws:,} draws, where the law says {stated[worst]:.4g}: {why}"
    )


def _moves(draws: int, level: float) -> float:
    """How far the distance of so many draws lies from its mean with at most the probability `level`."""
    return math.sqrt(math.log(1 / level) / (2 * draws))


def _table(law: Any) -> Float:
    """Probabilities of the outcomes 0..k-1; UnsupportedError for a law that is none of a finite set."""
    flat = law.flat() if isinstance(law, DiscreteLaw | MixtureLaw) else law
    if not isinstance(flat, DiscreteLaw):
        raise UnsupportedError(f"a {type(law).__name__} is no law of finitely many outcomes")
    return np.minimum(np.exp(flat.log_probabilities), 1.0)


def _counted(found: NDArray[Any], path: str, outcomes: int, draws: int) -> NDArray[np.int64]:
    """How often each outcome came; UnsupportedError for outputs that are no numbers of outcomes."""
    if found.dtype.kind not in "biu":
        raise UnsupportedError(f"{path} gives {found.dtype}, and no whole numbers")
    if path == "counts":
        if found.shape != (outcomes,) or (found < 0).any() or found.sum() != draws:
            raise UnsupportedError(f"counts that are none of {draws:,} draws of {outcomes:,} outcomes")
        return found.astype(np.int64)
    if found.size != draws or not ((found >= 0) & (found < outcomes)).all():
        raise UnsupportedError(f"outputs that are no numbers from 0 to {outcomes - 1}, one a draw")
    return np.bincount(found.astype(np.int64).ravel(), minlength=outcomes)
