"""Exact composition of small discrete mechanisms by listing what can come out, merged where nothing is lost.

Basis: the composition of mechanisms is the law of the transcript, so its probabilities are products along
the transcript; outcomes with one likelihood ratio may be merged, since the ratio is a sufficient statistic. Hence k
runs of one mechanism with m outcomes need C(k + m - 1, m - 1) types (how often each outcome came) and not m^k
transcripts. Adaptive compositions are trees: the laws of the next step are any function of the transcript so far.

The result is a :class:`~dpverify.laws.discrete_pair.DiscretePair`: epsilon, delta, Renyi, trade-off with error bounds,
and `prove` in ball arithmetic where the laws can be enclosed. Assumptions: the tree is the one that is run; for
adaptively chosen queries the worst tree is up to the caller. Not to be confused with bounds by composition theorems,
nor with the grid of the ``pld`` accountant: nothing is rounded to a grid here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import flint
import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from dpverify.core.errors import InputError
from dpverify.core.subjects import Float, LawPair
from dpverify.laws.discrete import DiscreteLaw
from dpverify.laws.discrete_pair import DiscretePair
from dpverify.laws.product import LARGEST_TABLE

Transcript = tuple[int, ...]
NextStep = Callable[[Transcript], tuple[DiscreteLaw, DiscreteLaw] | None]
Balls = Sequence[flint.arb]

_UNIT = 2.0**-53
LARGEST_TREE = 1 << 16
"""Transcripts of an adaptive composition."""
_LARGEST_PROOF = 4096  # outcomes that are worth ball arithmetic


def number_of_types(pair: DiscretePair, count: int) -> int:
    """Return how many outcomes :func:`repeated` lists."""
    return math.comb(count + _grouped(pair)[0].size - 1, count)


def repeated(pair: DiscretePair, count: int) -> DiscretePair:
    """`count` >= 0 independent runs of one pair, outcomes merged by type.

    Exact up to the stated error of the result. The proof merges nothing but transcripts of one type, so it encloses
    the measure on both sides. InputError above `LARGEST_TABLE` types.
    """
    if count < 0:
        raise InputError(f"count = {count}", allowed="an integer >= 0")
    log_p, log_q = _grouped(pair)
    size = math.comb(count + log_p.size - 1, count)
    if size > LARGEST_TABLE:
        raise InputError(f"{size} types", allowed=f"at most {LARGEST_TABLE}", remedy="fewer runs or outcomes")
    types = _types(count, log_p.size)
    ways = gammaln(count + 1) - gammaln(types + 1).sum(axis=1)
    finite = np.concatenate((log_p[log_p > -np.inf], log_q[log_q > -np.inf]))
    largest = float(np.max(-finite))
    error = count * (pair.error + 4 * _UNIT * (1 + largest)) + 16 * _UNIT * log_p.size * (1 + float(gammaln(count + 2)))
    enclose = pair.enclose

    def proof() -> tuple[Balls, Balls]:
        assert enclose is not None
        p, q = enclose()
        return _powers(p, count), _powers(q, count)

    return DiscretePair(
        log_p=np.minimum(ways + _weighed(types, log_p), 0.0),
        log_q=np.minimum(ways + _weighed(types, log_q), 0.0),
        error=error,
        enclose=proof if enclose is not None and size <= _LARGEST_PROOF else None,
    )


def adaptive(next_step: NextStep) -> LawPair:
    """The composition along a tree.

    Parameters
    ----------
    next_step : callable
        ``next_step(transcript) -> (law on D, law on D')`` of the step that follows, over the same outcomes 0..k-1, or
        None where the run ends. `transcript` holds the outcomes so far; a dict's ``get`` will do. Called more than once
        for each transcript: it must be a function of it.

    Returns
    -------
    LawPair
        The laws of the whole transcript. InputError above `LARGEST_TREE` transcripts.
    """
    logs, errors = [], []
    for log_p, log_q, error in _leaves(next_step):
        logs.append((log_p, log_q))
        errors.append(error)
    table = np.minimum(np.array(logs), 0.0)
    return DiscretePair(
        log_p=table[:, 0], log_q=table[:, 1], error=max(errors), enclose=_tree_proof(next_step, len(logs))
    )


def _tree_proof(next_step: NextStep, size: int) -> Callable[[], tuple[Balls, Balls]] | None:
    if size > _LARGEST_PROOF or not _provable(next_step, ()):
        return None

    def proof() -> tuple[Balls, Balls]:
        found = list(_ball_leaves(next_step, (), flint.arb(1), flint.arb(1)))
        return [p for p, _ in found], [q for _, q in found]

    return proof


def _step(next_step: NextStep, transcript: Transcript) -> tuple[DiscreteLaw, DiscreteLaw] | None:
    laws = next_step(transcript)
    if laws is not None and laws[0].log_probabilities.shape != laws[1].log_probabilities.shape:
        raise InputError(f"laws of different sizes after {transcript}", allowed="the same outcomes on D and on D'")
    return laws


def _leaves(next_step: NextStep) -> list[tuple[float, float, float]]:
    """(log p, log q, error) of every transcript, without recursion: the depth is the number of steps."""
    open_ends: list[tuple[Transcript, float, float, float]] = [((), 0.0, 0.0, 0.0)]
    found = []
    while open_ends:
        transcript, log_p, log_q, error = open_ends.pop()
        laws = _step(next_step, transcript)
        if laws is None:
            found.append((log_p, log_q, error))
            if len(found) > LARGEST_TREE:
                raise InputError("more transcripts than can be listed", allowed=f"at most {LARGEST_TREE}")
            continue
        p, q = laws
        rows = zip(p.log_probabilities.tolist(), q.log_probabilities.tolist(), strict=True)
        for outcome, (a, b) in enumerate(rows):
            if a == -math.inf and b == -math.inf:
                continue
            sums = log_p + a, log_q + b
            rounding = _UNIT * max(abs(s) for s in (*sums, 0.0) if math.isfinite(s))
            open_ends.append(((*transcript, outcome), *sums, error + max(p.error, q.error) + rounding))
    return found


def _provable(next_step: NextStep, transcript: Transcript) -> bool:
    laws = next_step(transcript)
    if laws is None:
        return True
    if laws[0].enclose is None or laws[1].enclose is None:
        return False
    return all(
        _provable(next_step, (*transcript, outcome))
        for outcome in range(laws[0].log_probabilities.size)
        if max(law.log_probabilities[outcome] for law in laws) > -np.inf
    )


def _ball_leaves(
    next_step: NextStep, transcript: Transcript, p: flint.arb, q: flint.arb
) -> list[tuple[flint.arb, flint.arb]]:
    laws = next_step(transcript)
    if laws is None:
        return [(p, q)]
    first, second = (law.enclose for law in laws)
    assert first is not None
    assert second is not None
    return [
        leaf
        for outcome, (a, b) in enumerate(zip(first(), second(), strict=True))
        if max(law.log_probabilities[outcome] for law in laws) > -np.inf
        for leaf in _ball_leaves(next_step, (*transcript, outcome), p * a, q * b)
    ]


def _grouped(pair: DiscretePair) -> tuple[Float, Float]:
    """Outcomes with the same two log-probabilities, to the last bit, as one."""
    rows, counts = np.unique(np.stack([pair.log_p, pair.log_q], axis=1), axis=0, return_counts=True)
    grow = np.log(counts)
    return rows[:, 0] + grow, rows[:, 1] + grow


def _types(total: int, kinds: int) -> NDArray[np.int64]:
    """All ways of writing `total` as an ordered sum of `kinds` integers >= 0, one a row."""
    if kinds == 1:
        return np.array([[total]])
    if kinds == 2:
        first = np.arange(total + 1)
        return np.stack([first, total - first], axis=1)
    blocks = [_types(total - first, kinds - 1) for first in range(total + 1)]
    heads = np.repeat(np.arange(total + 1), [len(block) for block in blocks])
    return np.column_stack([heads, np.concatenate(blocks)])


def _weighed(types: NDArray[np.int64], logs: Float) -> Float:
    """Sum of n_j log p_j, with 0 log 0 = 0."""
    possible = logs > -np.inf
    sums = types[:, possible] @ logs[possible]
    return np.where((types[:, ~possible] > 0).any(axis=1), -np.inf, sums)


def _powers(balls: Balls, count: int) -> Balls:
    """Multinomial probabilities of all types, in the order of :func:`_types` on these outcomes."""
    table = []
    for row in _types(count, len(balls)).tolist():
        term, rest = flint.arb(1), count
        for times, ball in zip(row, balls, strict=True):
            term *= flint.arb(math.comb(rest, times)) * ball**times
            rest -= times
        table.append(term)
    return table
