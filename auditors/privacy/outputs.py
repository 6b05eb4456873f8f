"""Draws outputs of a subject on both sides of a pair, and refuses outputs that cannot be audited.

A different shape or type of outputs on the two data sets would itself distinguish them. It is refused, because no bound
here covers it: the subject must pad or encode its output. Counts that a subject makes in its kernel are outputs, too:
the value is the outcome's index, the weight its count.

`-0.0` and `0.0` are different outputs that compare as equal. So `-0.0` becomes the negative number next to it that all
arithmetic keeps, ``-numpy.finfo(type).tiny``; an output that is this number anyway counts as `-0.0`.

Assumption that cannot be checked here: draws are independent, and the law does not change from call to call.

Fresh counts are made in parts from which a run can be resumed: streams are named by side and chunk, so the counts do
not depend on the worker, the order or an interruption.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auditors.privacy.event_bounds import SIDES
from dpverify.core.auditing import Task, parts
from dpverify.core.errors import InputError
from dpverify.core.lazy_njit import exact_njit as njit
from dpverify.core.masked import masked
from dpverify.core.subjects import Counts, Pair

_BLOCK = 128
LARGEST_CHUNK, CHUNK_NUMBERS, SMALLEST_CHUNK = 2**18, 2**18, 2**10


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Outputs of one side."""

    values: NDArray[Any]
    """Shape (m,) or (m, k): outputs, or the indices 0 .. m - 1 of a finite alphabet."""
    weights: NDArray[np.int64] | None
    """Shape (m,): count of each value; None means 1."""
    size: int
    """Total number of draws."""

    @property
    def width(self) -> int:
        """Numbers in one output."""
        return 1 if self.values.ndim == 1 else int(self.values.shape[1])

    def column(self, index: int) -> NDArray[Any]:
        """One coordinate of every output."""
        return self.values if self.values.ndim == 1 else self.values[:, index]

    def head(self, size: int) -> Sample:
        """The first `size` draws; all of them if they are fewer or only counted.

        They are copied into columns of their own, once: each score that goes through the columns would copy them again.
        """
        if self.weights is not None or self.size <= size:
            return self
        return Sample(values=np.asfortranarray(self.values[:size]), weights=None, size=size)

    def joined(self, later: Sample) -> Sample:
        """Both samples as one: counts are added, outputs are concatenated."""
        size = self.size + later.size
        if self.weights is not None and later.weights is not None:
            return Sample(values=self.values, weights=self.weights + later.weights, size=size)
        return Sample(values=np.concatenate([self.values, later.values]), weights=None, size=size)

    def halves(self, rng: np.random.Generator) -> tuple[Sample, Sample]:
        """Two independent samples of about half the size; counts are split by drawing without replacement."""
        first = self.size // 2
        if self.weights is None:
            return (
                Sample(values=self.values[:first], weights=None, size=first),
                Sample(values=self.values[first:], weights=None, size=self.size - first),
            )
        taken = rng.multivariate_hypergeometric(self.weights, first, method="marginals")
        return (
            Sample(values=self.values, weights=taken, size=first),
            Sample(values=self.values, weights=self.weights - taken, size=self.size - first),
        )


class Drawer:
    """Draws from one subject on one pair; every call must return outputs of the same form.

    Parameters
    ----------
    subject : mechanism
        Offers `counts` (preferred, since less data is moved) or `sample`.
    pair : Pair
        The two data sets; each call gets a copy.
    """

    def __init__(self, subject: Any, pair: Pair) -> None:
        self.subject, self.pair = subject, pair
        self.counting = isinstance(subject, Counts)
        self._form: tuple[Any, ...] | None = None
        self._seen = ""

    def draw(self, side: int, size: int, *, rng: np.random.Generator) -> Sample:
        """`size` independent outputs on d0 (side 0) or d1 (side 1).

        Raises
        ------
        InputError
            For outputs that are not numbers, not finite, ragged, of a wrong first dimension, or of another form than
            before.
        """
        dataset = copy.deepcopy(self.pair.d1 if side else self.pair.d0)
        raw = (self.subject.counts if self.counting else self.subject.sample)(dataset, size, rng=rng)
        where = f"outputs on {SIDES[side]}"
        if masked(raw):
            raise InputError(
                f"{where} have values that are masked",
                allowed="numbers that are all there",
                remedy="fill them with a number of their own: .filled(-1.0), say",
            )
        sample = _counted(raw, size, where) if self.counting else _drawn(raw, size, where)
        kind = sample.values.dtype if self.counting else np.asarray(raw).dtype  # the type before conversion
        form = (kind.str, sample.values.shape[1:], len(sample.values) if self.counting else None)
        if self._form is None:
            self._form, self._seen = form, where
        elif form != self._form:
            raise InputError(
                f"{where} are {_words(form)}, {self._seen} were {_words(self._form)}",
                allowed="one shape and type of output, on both data sets and in every call",
                remedy="pad the output to a fixed length and release its length or type as a coordinate",
            )
        return sample

    def both(self, size: int, stream: Callable[..., np.random.Generator], *names: str | int) -> tuple[Sample, Sample]:
        """`size` outputs on d0 and on d1, each from the stream ``(*names, side)``; errors as for `draw`."""
        first, second = (self.draw(side, size, rng=stream(*names, side)) for side in (0, 1))
        return first, second

    @property
    def scalar(self) -> bool:
        """True when outputs are scalars (or counted outcomes), as far as known."""
        return self._form is None or not self._form[1]

    @property
    def width(self) -> int:
        """Numbers in one output, as far as known."""
        return 1 if self._form is None else int(np.prod(self._form[1], initial=1))

    def chunks(self, trials: int) -> list[int]:
        """Sizes of the calls for `trials` draws. They depend on the width alone, so that streams never change."""
        step = min(LARGEST_CHUNK, max(SMALLEST_CHUNK, CHUNK_NUMBERS // self.width))
        return [step] * (trials // step) + ([trials % step] if trials % step else [])


def _drawn(raw: Any, size: int, where: str) -> Sample:
    try:
        values = np.asarray(raw)
    except ValueError:
        values = np.empty(0, dtype=object)
    if values.dtype.kind not in "biuf":
        ragged = values.dtype == object
        raise InputError(
            f"{where} are {'ragged or no numbers' if ragged else f'of type {values.dtype}'}",
            allowed="an array of real numbers of shape (size,) or (size, k)",
            remedy="encode labels as numbers and pad outputs of varying length",
        )
    if values.ndim == 0 or values.shape[0] != size:
        raise InputError(
            f"{where} have shape {values.shape} where {size} were asked for",
            allowed=f"shape ({size},) or ({size}, k): one output a row",
        )
    if values.ndim > 2:
        values = values.reshape(size, -1)
    if values.size == 0:
        raise InputError(f"{where} have shape {values.shape}: nothing in them", allowed="at least one number an output")
    values = _zeros_apart(_native(values))
    if values.dtype == np.float64 and values.ndim == 2 and values.flags.c_contiguous:
        turned = np.empty(values.shape, order="F")  # scores use it by columns
        if _turn(values, turned):
            return Sample(values=turned, weights=None, size=size)
    if values.dtype == np.float64 and _finite(values.ravel(order="A")):  # columns are not copied
        return Sample(values=np.asfortranarray(values), weights=None, size=size)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values).reshape(size, -1).all(axis=1)))
        raise InputError(
            f"{where}: output {row} of {size} has a NaN or an infinity",
            allowed="finite numbers",
            remedy="encode it as a number of its own: whether it comes may depend on the data",
        )
    return Sample(values=np.asfortranarray(values), weights=None, size=size)


def _native(values: NDArray[Any]) -> NDArray[Any]:
    """Convert to types of the kernels: native byte order, and float64 for other floats than single precision.

    Long doubles are rounded, which can only hide a difference.
    """
    if values.dtype.kind == "b":
        return values.astype(np.int8)
    if values.dtype.kind == "f" and values.dtype.itemsize != 4:
        with np.errstate(over="ignore"):  # a long double that is too large becomes infinite and is refused
            return values.astype(np.float64, copy=False)
    return values.astype(values.dtype.newbyteorder("="), copy=False)


def _zeros_apart(values: NDArray[Any]) -> NDArray[Any]:
    """The values with a number of its own for -0.0; a copy where there is one."""
    if values.dtype.kind != "f":
        return values
    zeros = values == 0.0
    if not zeros.any() or not (zeros & np.signbit(values)).any():
        return values
    return np.where(zeros & np.signbit(values), -np.finfo(values.dtype).tiny, values)


@njit(cache=True, nogil=True)
def _turn(rows: NDArray[Any], turned: NDArray[Any]) -> bool:
    """Copy the rows in blocks that fit into the first-level cache; returns whether all numbers are finite."""
    nothing = 0.0
    for start in range(0, rows.shape[0], _BLOCK):
        stop = min(start + _BLOCK, rows.shape[0])
        for column in range(rows.shape[1]):
            for i in range(start, stop):
                turned[i, column] = rows[i, column]
                nothing += rows[i, column] * 0.0  # NaN for numbers that are not finite
    return nothing == 0.0


@njit(cache=True, nogil=True, fastmath={"reassoc"})
def _finite(values: NDArray[Any]) -> bool:
    nothing = 0.0
    for i in range(values.size):
        nothing += values[i] * 0.0
    return nothing == 0.0


def _counted(raw: Any, size: int, where: str) -> Sample:
    counts = np.asarray(raw)
    if counts.ndim != 1 or counts.dtype.kind not in "iu" or counts.size == 0:
        raise InputError(
            f"{where}: counts of shape {counts.shape} and type {counts.dtype}", allowed="whole numbers, shape (k,)"
        )
    if counts.min() < 0 or int(counts.sum()) != size:
        raise InputError(
            f"{where}: counts with sum {int(counts.sum())} and least {int(counts.min())} of {size} runs",
            allowed=f"counts >= 0 with sum {size}",
        )
    return Sample(values=np.arange(counts.size), weights=counts.astype(np.int64), size=size)


def _words(form: tuple[Any, ...]) -> str:
    kind, shape, alphabet = form
    if alphabet is not None:
        return f"counts of {alphabet} outcomes"
    inner = "".join(f", {side}" for side in shape)
    return f"of shape (size{inner or ','}) and type {np.dtype(kind)}"


def fresh_counts(
    task: Task, drawer: Drawer, subject: object, count: Callable[[Sample], Any], *, about: Any, name: str = "certify"
) -> Iterator[tuple[NDArray[np.int64], int]]:
    """Yield the counts and draws so far after each part; the last ones are complete.

    Parameters
    ----------
    task : Task
        The task; its `trials` a side are drawn.
    drawer : Drawer
        Draws outputs on the pair.
    subject : mechanism
        The mechanism; parts are saved only for a subject without state.
    count : callable
        Function that counts a sample: returns an integer, or a list of k.
    about : plain JSON values
        Full description of the count, which identifies its saved parts.
    name : str
        Name of the task's random streams.

    Yields
    ------
    counts : ndarray of int, shape (2,) or (2, k)
        Counts on d0 and d1; always the same array, updated.
    drawn : int
        Draws so far, of 2 * `task.trials`.
    """
    sizes = drawer.chunks(task.trials)

    def counted(place: int) -> Any:
        chunk, side = divmod(place, 2)
        found = count(drawer.draw(side, sizes[chunk], rng=task.stream(name, side, chunk)))
        return np.asarray(found).tolist()

    found = parts(task, subject, (name,), 2 * len(sizes), counted, about=about)
    counts: NDArray[np.int64] | None = None
    drawn = 0
    for place, part in enumerate(found):
        chunk, side = divmod(place, 2)
        some = np.asarray(part, dtype=np.int64)
        counts = np.zeros((2, *some.shape), dtype=np.int64) if counts is None else counts
        counts[side] += some
        drawn += sizes[chunk]
        yield counts, drawn
