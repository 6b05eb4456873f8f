"""Laws on a finite set of outcomes, from floats, exact fractions, exact log-weights, or balls.

Basis: nothing but the definition of a probability. Floats give float divergences with error bounds
(`discrete_pair`); fractions, log-weights and balls give, beside them, proofs in ball arithmetic. Log-weights are for
laws such as randomised response, p_i proportional to e^(epsilon [i = x]), whose likelihood ratios are exact although
their probabilities are irrational. Not to be confused with an empirical histogram.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import flint
import numpy as np
from numpy.typing import ArrayLike

from dpverify.core.errors import InputError, UnsupportedError
from dpverify.core.fields import Checked
from dpverify.core.subjects import Float, LawPair
from dpverify.laws import finite_proof
from dpverify.laws.balls import exact_ball
from dpverify.laws.composite import compare_laws
from dpverify.laws.discrete_pair import DiscretePair, checked_logs, safe_log

__all__ = ["DiscreteLaw", "DiscretePair"]

Balls = Sequence[flint.arb]

_UNIT = 2.0**-53


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DiscreteLaw(Checked):
    """A distribution over the outcomes 0..k-1."""

    log_probabilities: Float
    """Shape (k,): natural logs; -inf means exactly impossible."""
    error: float = 0.0
    """Bound on the absolute error of each log-probability (so: the relative error of each probability)."""
    enclose: Callable[[], Balls] | None = None
    """``enclose() -> k balls`` (flint.arb) that contain the true probabilities, at the working precision
    (``flint.ctx.prec``) of the caller; used for proofs."""
    log_weights: tuple[Fraction | None, ...] | None = None
    """Exact logs of weights that the probabilities are proportional to (None: impossible), for laws such as randomised
    response: two laws with the same multiset of weights have exact likelihood ratios."""

    def validate(self) -> None:
        """The probabilities sum to 1."""
        object.__setattr__(self, "log_probabilities", checked_logs(self.log_probabilities, self.error))

    @classmethod
    def from_probabilities(cls, probabilities: ArrayLike, *, error: float = 0.0) -> DiscreteLaw:
        """From probabilities, shape (k,); `error` bounds the relative error of each."""
        values = np.array(probabilities, dtype=np.float64)
        if not np.all(values >= 0):
            raise InputError(f"probability {values[~(values >= 0)][0]}", allowed="numbers in [0, 1]")
        if not 0 <= error < 1:
            raise InputError(f"relative error {error}", allowed="a number in [0, 1)")
        logs = safe_log(values)
        largest = float(np.max(-logs[values > 0], initial=0.0))
        return cls(log_probabilities=logs, error=-math.log1p(-error) + 2 * _UNIT * max(1.0, largest))

    @classmethod
    def from_fractions(cls, probabilities: Sequence[Fraction]) -> DiscreteLaw:
        """From exact rational probabilities that sum to 1; proofs are available."""
        exact = tuple(Fraction(value) for value in probabilities)
        if sum(exact) != 1 or min(exact) < 0:
            raise InputError(f"probabilities that sum to {sum(exact)}", allowed="fractions >= 0 that sum to 1 exactly")
        return cls.from_balls(lambda: [exact_ball(value) for value in exact])

    @classmethod
    def from_balls(cls, enclose: Callable[[], Balls]) -> DiscreteLaw:
        """From a hook that encloses the probabilities, for formulas such as e^epsilon / (1 + e^epsilon)."""
        logs, error = finite_proof.float_logs(enclose)
        return cls(log_probabilities=np.array(logs), error=error, enclose=enclose)

    @classmethod
    def from_log_weights(cls, log_weights: Sequence[float | Fraction | None]) -> DiscreteLaw:
        """From exact log-weights: p_i proportional to exp(log_weights[i]); None or -inf is impossible.

        Floats are converted to the exact rational numbers.
        """
        exact = tuple(None if weight is None or weight == -math.inf else Fraction(weight) for weight in log_weights)

        def enclose() -> Balls:
            return finite_proof.normalised(exact)

        logs, error = finite_proof.float_logs(enclose)
        return cls(log_probabilities=np.array(logs), error=error, enclose=enclose, log_weights=exact)

    def flat(self) -> DiscreteLaw:
        """Itself: it is a table."""
        return self

    def against(self, other: object) -> LawPair:
        """The pair (self, other); raises UnsupportedError unless both have the same number of outcomes."""
        if not isinstance(other, DiscreteLaw):
            return compare_laws(self, other)
        if other.log_probabilities.shape != self.log_probabilities.shape:
            size = self.log_probabilities.size
            raise UnsupportedError(f"a law on {size} outcomes can be compared only with another law on {size} outcomes")
        return DiscretePair(
            log_p=self.log_probabilities,
            log_q=other.log_probabilities,
            error=max(self.error, other.error),
            enclose=finite_proof.paired(self.enclose, other.enclose),
            log_ratios=finite_proof.exact_ratios(self.log_weights, other.log_weights),
        )
