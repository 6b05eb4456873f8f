"""Refuses draws that depend on one another, for which no bound holds.

Repeats of earlier draws, and within a batch, are detected at every call. Other dependence is tested at the first calls
on each data set and at every call whose number is a power of two, by tests valid for any law, discrete or heavy-tailed:

- *Order* (sign test on disjoint quadruples): independent draws x and x' are exchangeable, so sign((x - x') (y - y')) is
a fair coin for y, y' that come `lag` places after x, x'. Correlation at a lag, blocks with common noise, and drift bias
it. Tested lags are small ones, powers of two, and the lag with the largest correlation in the first half of the draws,
which is tested on the second half. Equal draws at a lag are counted in the same way.
- *Repeated values*, in any order: the count of a value is Poisson (for a Poisson number of draws), so an observed value
has a count that is a multiple of k >= 2 with probability at most 1/2. Also, many values with count two imply some with
count three (Cauchy and Schwarz). A fixed number n of draws costs a factor e sqrt(n).
- *Batches* (sign test on pairs): draws of two calls on one data set are exchangeable.

Error: each call of `dependence_in_call` or `dependence_between_calls` finds dependence in independent draws with
probability `FALSE_ALARM` at most. Limits: `ROWS` draws and `COLUMNS` coordinates of a call; lags up to an eighth of the
draws, any other than those named up to a sixteenth. Weak dependence (a correlation below about 0.2 in 2^14 draws) is
not detected.
"""

from __future__ import annotations

import functools
import hashlib
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.adapters.copies import equal
from dpverify.core.errors import InputError
from dpverify.core.subjects import Float

FALSE_ALARM = 1e-9
ROWS, COLUMNS = 2**15, 4
MOST_TIMES = 64
"""Largest k for which counts that are multiples of k are tested."""

FEWEST = 64
"""Fewest draws for a test."""

_LAGS = (*range(1, 17), 20, 24, 32, 50, 64, 100, 128, 256, 500, 512, 1000, 1024, 2048, 4096)


def dependence_in_call(outputs: Float) -> str:
    """How the draws of one call, shape (n,) or (n, k), depend on each other; "" if no dependence is detected."""
    rows = _told(outputs)
    if len(rows) < FEWEST:
        return ""
    columns = list(_columns(rows))
    share = FALSE_ALARM / (2.0 * (2 * len(columns) + 1))
    codes, times = _counted(rows)
    again = _used_again(times, share * (2 * len(columns) + 1))
    if again:
        return again
    for values in columns:
        middle = np.median(values)
        for kind, scores in (("values", values), ("sizes of the noise", np.abs(values - middle))):
            found = _lagged(scores, kind, share)
            if found:
                return found
    return _repeated(codes, share) if times.max() > 1 else ""


def dependence_between_calls(first: Float, later: Float) -> str:
    """How the draws of two calls on one data set differ in law; "" if no difference is detected."""
    size = min(len(first), len(later), ROWS)
    if size < FEWEST or first.shape[1:] != later.shape[1:]:
        return ""
    both = np.concatenate([_told(first[:size]), _told(later[:size])])
    columns = list(_columns(both))
    for values in columns:
        middle = np.median(values)
        for kind, scores in (("values", values), ("sizes of the noise", np.abs(values - middle))):
            signs = np.sign(scores[:size] - scores[size:])
            up, down = int((signs > 0).sum()), int((signs < 0).sum())
            if 2.0 * _tail(max(up, down), up + down) <= FALSE_ALARM / (2.0 * max(len(columns), 1)):
                return f"{kind} drift from call to call ({max(up, down)} of {up + down} pairs lie the same way)"
    return ""


def _told(outputs: Float) -> Float:
    """The first rows, with -0.0 replaced by 0.0."""
    return outputs[:ROWS].reshape(min(len(outputs), ROWS), -1) + 0.0


def _columns(rows: Float) -> Iterator[Float]:
    """Up to `COLUMNS` coordinates that are not constant."""
    found = 0
    for place in np.unique(np.linspace(0, rows.shape[1] - 1, 8 * COLUMNS).astype(int)):
        values = rows[:, place]
        if found < COLUMNS and (values != values[0]).any():
            found += 1
            yield values


def _lagged(scores: Float, kind: str, alpha: float) -> str:
    """The first lag at which the scores are correlated."""
    lags = [lag for lag in _LAGS if 8 * lag <= len(scores)]
    half = len(scores) // 2
    tests = [(lag, scores) for lag in lags] + [(_loudest(scores[:half]), scores[half:])]
    for lag, part in tests:
        x, y = _pairs(part, lag)
        middle = len(x) // 2
        signs = np.sign(x[:middle] - x[middle : 2 * middle]) * np.sign(y[:middle] - y[middle : 2 * middle])
        same, other = int((signs > 0).sum()), int((signs < 0).sum())
        if 2.0 * _tail(max(same, other), same + other) <= alpha / len(tests):
            size = math.sin(0.5 * math.pi * (same - other) / (same + other))
            return f"{kind} of draws {lag} apart are correlated (about {size:.2f})"
    return ""


def _counted(rows: Float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The index of each row among the different outputs, and the count of each."""
    flat = rows.reshape(-1) if rows.shape[1] == 1 else rows
    _, codes, times = np.unique(flat, axis=0, return_inverse=True, return_counts=True)
    return codes.reshape(-1), times


def _repeated(codes: NDArray[np.int64], alpha: float) -> str:
    """The first lag at which whole outputs are equal more often than in a random order."""
    lags = [lag for lag in _LAGS if 8 * lag <= len(codes)]
    for lag in lags:
        x, y = _pairs(codes, lag)
        middle = len(x) // 2
        a, b, c, d = x[:middle], x[middle : 2 * middle], y[:middle], y[middle : 2 * middle]
        signs = np.sign((a == c).astype(int) + (b == d) - (b == c) - (a == d))
        more, fewer = int((signs > 0).sum()), int((signs < 0).sum())
        if _tail(more, more + fewer) <= alpha / len(lags):
            return f"draws {lag} apart are equal too often ({more} of {more + fewer} times)"
    return ""


def _used_again(times: NDArray[np.int64], alpha: float) -> str:
    """Whether counts of outputs are multiples of 2, 3 ..., or two too often compared with three."""
    distinct, fixed = len(times), math.e * math.sqrt(float(times.sum()))
    for each in range(2, min(MOST_TIMES, int(times.max())) + 1):
        hits = int((times % each == 0).sum())
        if fixed * _tail(hits, distinct) <= 0.5 * alpha / (MOST_TIMES - 1):
            return f"{hits} of {distinct} different outputs came a multiple of {each} times"
    ones, twos, threes = (int((times == each).sum()) for each in (1, 2, 3))
    share = 0.5 * alpha / (3.0 * fixed)
    expected = 2.0 * _fewest(twos, share) ** 2 / (3.0 * _most(ones, share))
    if threes < expected and _poisson_below(threes, expected) <= share:
        return (
            f"{twos} outputs came twice and {threes} three times, where independent draws would repeat more at random"
        )
    return ""


def _pairs(values: NDArray[Any], lag: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Disjoint pairs of values `lag` places apart, in an order without a period."""
    blocks = len(values) // (2 * lag)
    order = _order(blocks * lag)
    cut = values[: blocks * 2 * lag].reshape(blocks, 2, lag)
    return cut[:, 0].reshape(-1)[order], cut[:, 1].reshape(-1)[order]


@functools.lru_cache(maxsize=256)
def _order(size: int) -> NDArray[np.int64]:
    return np.random.default_rng(size).permutation(size)


def _loudest(scores: Float) -> int:
    """The lag with the largest rank correlation, up to an eighth of the draws."""
    ranks = np.empty(len(scores))
    ranks[np.argsort(scores, kind="stable")] = np.arange(len(scores)) - 0.5 * (len(scores) - 1)
    spectrum = np.fft.rfft(ranks, 2 * len(ranks))
    correlated = np.fft.irfft(np.abs(spectrum) ** 2)[1 : max(2, len(ranks) // 8)]
    return 1 + int(np.argmax(np.abs(correlated)))


def _tail(hits: int, size: int) -> float:
    """P(a fair coin shows at least `hits` heads in `size` throws)."""
    from scipy.special import betainc

    return 1.0 if hits <= 0 else float(betainc(hits, size - hits + 1, 0.5))


def _fewest(seen: int, alpha: float) -> float:
    """Lower bound on the mean of a sum of independent indicators with observed value `seen`."""
    from scipy.special import gammaincinv

    return 0.0 if seen == 0 else float(gammaincinv(seen, alpha))


def _most(seen: int, alpha: float) -> float:
    """Upper bound on the mean of a sum of independent indicators with observed value `seen`."""
    from scipy.special import gammainccinv

    return float(gammainccinv(seen + 1, alpha))


def _poisson_below(seen: int, mean: float) -> float:
    """P(at most `seen`) at that mean."""
    from scipy.special import gammaincc

    return float(gammaincc(seen + 1, mean))


_WATCHED = FEWEST  # so many draws of continuous outputs never repeat by chance
_FIRST_CALLS = 4
_MOST_DATASETS = 4


class DependentError(InputError):
    """Draws that depend on each other; `how` describes the dependence."""

    def __init__(self, name: str, how: str) -> None:
        self.how = how
        super().__init__(
            f"{name} {how}: dependent draws",
            allowed="independent draws at each call, and within a batch",
            remedy="draw from the rng that it is given, once for each output, keep nothing, and do not seed inside",
        )


class _Known:
    """State of one data set: its first draws, their constant value if any, and the number of calls."""

    def __init__(self, dataset: Any, first: Float) -> None:
        self.dataset, self.first, self.calls = dataset, first[:ROWS].copy(), 0
        self.constant: Float | None = None


class RepeatedDrawsCheck:
    """Checks every sample of the callable `name`."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._seen: set[bytes] = set()
        self._known: list[_Known] = []

    def check(self, outputs: Float, dataset: Any) -> None:
        """Raise DependentError where draws repeat earlier ones, or depend on each other.

        Independent draws have one value 64 times and then another one 64 times with probability at most 2^-128.
        """
        first = outputs[:_WATCHED]
        if len(first) < _WATCHED:
            return
        known = self._on(outputs, dataset)
        different = len({row.tobytes() for row in first + 0.0})  # -0.0 becomes 0.0
        if different == 1:
            if known.constant is not None and (known.constant != first[0]).any():
                self._refuse(f"gave one value {_WATCHED} times, and then another one {_WATCHED} times")
            known.constant = first[0].copy()
        if different >= _WATCHED // 2:
            key = hashlib.sha256(first.tobytes()).digest()
            if key in self._seen:
                self._refuse(f"gave the same {_WATCHED} outputs twice")
            self._seen.add(key)
        known.calls += 1
        if known.calls <= _FIRST_CALLS or known.calls & (known.calls - 1) == 0:
            how = dependence_in_call(outputs) or (
                dependence_between_calls(known.first, outputs) if known.calls > 1 else ""
            )
            if how:
                self._refuse(f"gives draws that depend on one another ({how})")

    def _on(self, outputs: Float, dataset: Any) -> _Known:
        for known in self._known:
            if equal(known.dataset, dataset):
                return known
        known = _Known(dataset, outputs)
        if len(self._known) < _MOST_DATASETS:
            self._known.append(known)
        return known

    def _refuse(self, how: str) -> None:
        raise DependentError(self._name, how)
