"""Whether the code that draws follows the law that the subject states, on each input: without it nothing is certified.

A certificate compares stated laws; what a user runs is `sample` and `counts`. Draws on every input are compared with
the law there: how often each outcome of a finite law came, in which cells each coordinate of additive noise fell, how
often it was exactly its centre, and which coordinates were high together (of more than twelve, which two). Each
number of draws has a binomial law if the code follows the stated one, so its tails (Bonferroni over inputs, paths and
cells) find what departs; code that follows its law departs with probability at most `LEVEL`. Code that departs more
rarely than `Comparison.finds` may pass: a comparison that finds nothing is no proof that the code follows its law.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpverify.core.auditing import Task
from dpverify.core.errors import UnsupportedError
from dpverify.core.subjects import Counts, Dataset, Float, Samples
from dpverify.laws.density import GaussianLaw, LaplaceLaw
from dpverify.laws.discrete import DiscreteLaw
from dpverify.laws.mixture import MixtureLaw
from dpverify.laws.point import PointLaw
from dpverify.laws.product import ProductLaw

LEVEL = 1e-9
"""Probability of at least one departure, over everything that is compared, where the code follows its law."""

_LEAST, _MOST, _SHARE = (
    2_000,
    100_000,
    4,
)  # draws an input: at least, at most; numbers in all for each draw of the task
_SHARES = np.concatenate([2.0 ** -np.arange(16, 4, -1.0), np.arange(1, 16) / 16, 1 - 2.0 ** -np.arange(5.0, 17)])
_MOST_TOGETHER = 12  # coordinates whose high values are looked at in all 2^k ways
_ATOM = 1e-12  # more than any double has of a density that is resolved by doubles
_POWER = 0.84  # standard deviations for 80 % power


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What was compared: inputs, draws on each, the paths (``sample``, ``counts``), and the first departure or empty.

    `finds` is about the least share of runs with another output than the law's that 80 % of such comparisons find.
    """

    inputs: int
    draws: int
    paths: tuple[str, ...]
    finds: float
    departure: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    """One coordinate of the outputs: its cells, as numbers of draws, their stated probabilities, and its upper part."""

    counted: Callable[[NDArray[Any]], NDArray[np.int64]]
    stated: Float
    named: Callable[[int], str]
    high: Callable[[NDArray[Any]], NDArray[np.bool_]]
    share: float


def compare(task: Task, datasets: Sequence[Dataset]) -> Comparison | None:
    """Draw on every data set and compare; None where the subject draws nothing.

    Raises
    ------
    UnsupportedError
        When outputs cannot be compared with the law: one without cells of known probability, or of another shape.
    """
    subject = task.build()
    paths = tuple(name for name, kind in (("sample", Samples), ("counts", Counts)) if isinstance(subject, kind))
    if not paths:
        return None
    width = len(_columns(subject.output_law(datasets[0]))) if "sample" in paths else 1
    draws = int(np.clip(_SHARE * task.trials // (len(datasets) * width), _LEAST, _MOST))
    finds = 0.0
    for place, dataset in enumerate(datasets):
        law = subject.output_law(dataset)
        for path in paths:
            rng = task.stream("law", path, place)
            cells = list(_cells(law, subject, path, dataset, draws, rng))
            total = sum(stated.size for _, stated, _ in cells) * len(datasets) * len(paths)
            for counted, stated, named in cells:
                low, high = special.bdtr(counted, draws, stated), special.bdtrc(counted - 1, draws, stated)
                tail = 2.0 * np.minimum(low, high)
                worst = int(np.argmin(tail))
                if tail[worst] * total < LEVEL:
                    text = (
                        f"on {dataset!r}, {named(worst)} came in {counted[worst]:,} of {draws:,} draws by `{path}`, "
                        f"where its stated law says {stated[worst]:.4g} (tail probability {tail[worst]:.1g})"
                    )
                    return Comparison(inputs=len(datasets), draws=draws, paths=paths, finds=finds, departure=text)
            finds = max(finds, _finds(np.concatenate([stated for _, stated, _ in cells]), draws, LEVEL / total))
    return Comparison(inputs=len(datasets), draws=draws, paths=paths, finds=finds)


def _finds(stated: Float, draws: int, level: float) -> float:
    """By the normal approximation, at the cell where an added share is hardest to see (up to one half of the draws)."""
    shown = stated[stated <= 0.5]
    away = float(special.ndtri(1 - level / 2)) + _POWER
    spread = np.sqrt(shown * (1 - shown) / draws) + 1.0 / draws
    return float(min(1.0, np.max(away * spread / (1 - shown), initial=0.0)))


Cells = tuple[NDArray[np.int64], Float, Callable[[int], str]]


def _cells(
    law: Any, subject: Any, path: str, dataset: Dataset, draws: int, rng: np.random.Generator
) -> Iterator[Cells]:
    """Numbers of draws, stated probabilities, and names, of each family of cells."""
    if path == "counts":
        table = _table(law)
        if table is None:
            raise UnsupportedError("counts of outcomes, and a law that is none of a finite set")
        counted = np.asarray(subject.counts(dataset, draws, rng=rng), dtype=np.int64)
        if counted.shape != table.shape:
            raise UnsupportedError(f"counts of {counted.size} outcomes, and a law of {table.size}")
        yield counted, table, lambda place: f"outcome {place}"
        return
    columns = _columns(law)
    outputs = np.asarray(subject.sample(dataset, draws, rng=rng)).reshape(draws, -1)
    if outputs.shape[1] != len(columns):
        raise UnsupportedError(f"outputs of {outputs.shape[1]} numbers, and a law of {len(columns)}")
    for place, column in enumerate(columns):
        where = f" in coordinate {place}" if len(columns) > 1 else ""
        yield column.counted(outputs[:, place]), column.stated, partial(_named, column, where)
    if len(columns) > 1:
        yield _together(outputs, columns)


def _named(column: _Column, where: str, cell: int) -> str:
    return column.named(cell) + where


def _together(outputs: NDArray[Any], columns: Sequence[_Column]) -> Cells:
    """How often which coordinates were high together; of many coordinates, for all pairs of them."""
    high = np.column_stack([column.high(outputs[:, place]) for place, column in enumerate(columns)])
    shares = np.array([column.share for column in columns])
    if len(columns) <= _MOST_TOGETHER:
        counted = np.bincount(high @ (1 << np.arange(len(columns))), minlength=1 << len(columns))
        stated = np.ones(1)
        for share in shares:  # the last coordinate is the highest bit
            stated = np.concatenate([stated * (1 - share), stated * share])
        return counted, stated, lambda k: f"high values in coordinates {[i for i in range(len(columns)) if k >> i & 1]}"
    first, second = np.triu_indices(len(columns), k=1)
    both = np.rint((high.T.astype(np.float64) @ high)[first, second]).astype(np.int64)
    return both, shares[first] * shares[second], lambda k: f"high values in coordinates {[first[k], second[k]]}"


def _table(law: Any) -> Float | None:
    flat = law.flat() if isinstance(law, DiscreteLaw | MixtureLaw) else None
    return np.minimum(np.exp(flat.log_probabilities), 1.0) if isinstance(flat, DiscreteLaw) else None


def _columns(law: Any) -> list[_Column]:
    """The coordinates of a law, in the order of its outputs."""
    if (table := _table(law)) is not None:
        return [_finite(table)]
    if isinstance(law, LaplaceLaw | GaussianLaw):
        quantiles = _laplace(_SHARES) if isinstance(law, LaplaceLaw) else special.ndtri(_SHARES)
        return [_additive(*each, quantiles) for each in zip(law.locations, law.scales, strict=True)]
    if isinstance(law, PointLaw):
        return [_fixed(value) for value in law.place]
    if isinstance(law, ProductLaw):
        return [column for factor in law.laws for column in _columns(factor)]
    raise UnsupportedError(f"a {type(law).__name__} has no cells of known probability")


def _laplace(shares: Float) -> Float:
    return np.sign(shares - 0.5) * -np.log1p(-np.abs(2 * shares - 1))


def _finite(table: Float) -> _Column:
    def outcome(values: NDArray[Any]) -> NDArray[np.int64]:
        known = (values >= 0) & (values < table.size) & (values == np.floor(values))
        return np.where(known, values, table.size).astype(np.int64)

    above = np.cumsum(table[::-1])[::-1]
    middle = int(np.argmin(np.abs(above - 0.5)))
    return _Column(
        counted=lambda values: np.bincount(outcome(values), minlength=table.size + 1),
        stated=np.append(table, 0.0),
        named=lambda cell: f"outcome {cell}" if cell < table.size else "an outcome that the law does not have",
        high=lambda values: outcome(values) >= middle,
        share=min(1.0, float(above[middle])),
    )


def _additive(place: float, width: float, quantiles: Float) -> _Column:
    edges = place + width * quantiles
    inner = np.diff(_SHARES, prepend=0.0, append=1.0)

    def counted(values: NDArray[Any]) -> NDArray[np.int64]:
        cells = np.bincount(np.searchsorted(edges, values, side="right"), minlength=inner.size)
        return np.append(cells, np.count_nonzero(values == place))

    def named(cell: int) -> str:
        if cell == inner.size:
            return f"exactly {place:.6g}"
        low, high = (edges[i] if 0 <= i < edges.size else math.copysign(math.inf, i) for i in (cell - 1, cell))
        return f"a value in [{low:.4g}, {high:.4g})"

    return _Column(
        counted=counted,
        stated=np.append(inner, _ATOM),
        named=named,
        high=lambda values: values >= place,
        share=0.5,
    )


def _fixed(place: float) -> _Column:
    return _Column(
        counted=lambda values: np.array([np.count_nonzero(values == place), np.count_nonzero(values != place)]),
        stated=np.array([1.0, 0.0]),
        named=lambda cell: f"{place!r}" if cell == 0 else f"another value than {place!r}",
        high=lambda values: values >= place,
        share=1.0,
    )
