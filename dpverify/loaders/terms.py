"""What a training with this loader costs: the terms of the question, and the answer as a bracket with its sides."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context

from dpverify.core.composition import Composition, Step
from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.relation_names import PRICED
from dpverify.core.rules import BelowOne, Count, Positive
from dpverify.datasets.neighbors.relation import keeps_size


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms(Checked):
    """The terms of a training: clipped gradients are summed over each batch, and get Gaussian noise.

    Attributes
    ----------
    noise_multiplier : float
        Standard deviation of the noise over the clipping norm.
    steps : int
        Noisy steps of the whole training.
    delta : float
        At which epsilon is asked.
    relation : str
        ``add-remove`` or ``replace``.
    per_pass : int
        Steps of a pass.
    records : int
        n, taken as public.
    """

    noise_multiplier: Positive
    steps: Count
    delta: BelowOne
    relation: str
    per_pass: Count
    records: Count

    def validate(self) -> None:
        """A known relation, and a delta at which Gaussian noise has an epsilon."""
        if self.relation not in PRICED:
            raise InputError(f"relation {self.relation!r}", allowed=", ".join(PRICED))
        if not self.delta > 0:
            raise InputError("delta = 0", allowed="a number in (0, 1): Gaussian noise has no epsilon at delta 0")

    @property
    def passes(self) -> int:
        """Passes, the last one whole: for upper bounds."""
        return math.ceil(self.steps / self.per_pass)

    @property
    def whole_passes(self) -> int:
        """Whole passes: for lower bounds."""
        return self.steps // self.per_pass

    @property
    def moved(self) -> float:
        """One record moves the sum of its batch so far, in clipping norms."""
        return 2.0 if self.replaced else 1.0

    @property
    def replaced(self) -> bool:
        """Tell whether neighbours have equally many records, one of which is another."""
        return keeps_size(self.relation)


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """The epsilon of a scheme.

    Attributes
    ----------
    lower, upper : float or None
        Never above, and never below, the truth; None where nothing here bounds it on that side.
    words : str
        By what, and why a side is missing.
    """

    lower: float | None
    upper: float | None
    words: str

    def text(self) -> str:
        """Such as ``epsilon in [1.02, 1.03]``, ``epsilon >= 3.1``."""
        if self.lower is None and self.upper is None:
            return "no accountant or bound here covers it"
        if self.upper is None:
            return f"epsilon >= {_down(self.lower)} (no upper bound here)"
        if self.lower is None:
            return f"epsilon <= {_up(self.upper)} (no lower bound here)"
        return f"epsilon in [{_down(self.lower)}, {_up(self.upper)}]"


NOTHING = Priced(lower=None, upper=None, words="")


def _down(value: float | None) -> str:
    """Four digits, never above the value."""
    return _rounded(value or 0.0, ROUND_FLOOR)


def _up(value: float) -> str:
    """Four digits, never below the value."""
    return _rounded(value, ROUND_CEILING)


def _rounded(value: float, rounding: str) -> str:
    return f"{float(Context(prec=4, rounding=rounding).create_decimal(repr(float(value)))):.4g}"


def composed(step: Step, count: int, delta: float) -> tuple[float, float]:
    """(lower, upper) end of epsilon of so many steps, by the accountants that bound it."""
    from dpverify.accounting.side_by_side import account

    found = account(Composition.repeat(step, count), delta=delta, accountants=("gdp", "pld", "rdp"))
    below, above = found.highest, found.lowest
    return (max(0.0, below.bracket.lower) if below else 0.0), (above.bracket.upper if above else math.inf)


def hidden_place(terms: Terms, *, bins: int, passes: int, moved: Sequence[float], share: float = 1.0) -> float:
    """Lower bound on epsilon where a record lies in one of `bins` batches of a pass, at random and unseen.

    Method: with the record one batch has mean moved[0], without it (or with its replacement) moved[1], all other
    records' gradients being as they are best for an observer; noise is N(0, sigma^2). The event "in at least k of the
    passes the largest of the batches' sums is c or more" has probabilities that are computed exactly, and epsilon is at
    least log((P - delta) / Q); likewise the sum of all sums, which is Gaussian. (The pairs are those of Chua et al.
    2024, "How Private are DP-SGD Implementations?".)

    Parameters
    ----------
    bins : int
        Batches of a pass.
    passes : int
        Independent passes.
    moved : (float, float)
        In clipping norms.
    share : float
        Probability that the record is in a pass at all (less than 1 where a last batch is dropped).

    Returns
    -------
    float
        At least 0. Side of the error: never above the true epsilon.
    """
    import numpy as np
    from scipy import special

    from dpverify.definitions.gdp import GDP

    if passes < 1:
        return 0.0
    sigma, delta = terms.noise_multiplier, terms.delta
    best = 0.0
    for c in np.linspace(-1.0, moved[0] + 8 * sigma, 200):
        p, q = (largest_reaches(float(c), bins=bins, moved=each, sigma=sigma, share=share) for each in moved)
        if not 0 < q < p:
            continue
        k = np.arange(1, passes + 1) if passes <= 400 else np.unique(np.geomspace(1, passes, 400).astype(int))
        first, second = special.betainc(k, passes - k + 1.0, p), special.betainc(k, passes - k + 1.0, q)
        first, second = first * (1 - 1e-9) - delta, second * (1 + 1e-9)
        able = (first > 0) & (second > 1e-280)
        if able.any():
            best = max(best, float(np.max(np.log(first[able] / second[able]))))
    if share == 1.0:
        mu = (moved[0] - moved[1]) * math.sqrt(passes / bins) / sigma
        low, high = 0.0, 1.0
        curve = GDP(mu=mu)
        while float(curve.delta(high)) > delta:
            high *= 2.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if float(curve.delta(middle)) > delta else (low, middle)
        best = max(best, low * (1 - 1e-9))
    return best


def largest_reaches(c: float, *, bins: int, moved: float, sigma: float, share: float = 1.0) -> float:
    """P(the largest of `bins` sums is c or more): N(0, sigma^2), with probability `share` one of them moved."""
    from scipy import special

    none = float(special.log_ndtr(c / sigma))
    one = -math.expm1((bins - 1) * none + float(special.log_ndtr((c - moved) / sigma)))
    return share * one - (1 - share) * math.expm1(bins * none)


def drawn_with_replacement(size: int, weight: float, terms: Terms) -> Priced:
    """Bound the cost from below by a record that each of `size` places holds with probability `weight`.

    Each place moves the sum by two clipping norms, so the pair is a mixture of Gaussians. Numbers of places that are
    rarer than 1e-15 are left out (taken for none), which only lowers the result. No upper bound is known here.
    """
    import numpy as np
    from scipy import special

    from dpverify.accounting.steps.gaussian import MixtureGaussianStep

    k = np.arange(size + 1)
    logs = special.gammaln(size + 1) - special.gammaln(k + 1) - special.gammaln(size - k + 1)
    chances = np.exp(logs + special.xlogy(k, weight) + special.xlog1py(size - k, -weight))
    kept = [(int(at), float(chance)) for at, chance in zip(k, chances, strict=True) if at and chance > 1e-15][:12]
    rest = 1.0 - sum(chance for _, chance in kept)
    if not kept or rest <= 0:
        return NOTHING
    step = MixtureGaussianStep(
        weights=(rest, *(chance for _, chance in kept)),
        shifts=(0.0, *(2.0 * at for at, _ in kept)),
        sigma=terms.noise_multiplier,
    )
    lower, _ = composed(step, terms.steps, terms.delta)
    return Priced(lower=lower, upper=None, words="Gaussian on samples with replacement, all other gradients equal")
