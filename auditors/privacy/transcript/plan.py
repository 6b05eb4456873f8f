"""Plans two events of a transcript: one for epsilon at the claim's delta, one for the whole curve.

If the subject agrees with the claim, the law of the score is known: with x = e^t a slope of the claimed profile's
polygon, the event "log ratio > t" has probability q = -d delta / d x without the record and p = delta + x q with it. So
both events are planned from the claim, without transcripts. If a pilot already exceeds the claim, the events are chosen
on the pilot.

The chosen event has the largest bound at the lower quantile of its counts (80 % power). A wrong plan costs power but
not validity, since the events are counted in new transcripts.

Scores: the likelihood ratio follows from the claimed law: given all earlier steps, a step has law N(0, sigma^2) along
the canary without the record and (1 - q) N(0, sigma^2) + q N(1, sigma^2) with it. So the log ratio is the sum over
steps of log(1 - q + q e^((x - 1/2) / sigma^2)) (Nasr et al. 2023, arXiv 2302.07956, section 5, in units of the clipping
norm). It is the most powerful test of the claimed law (Neyman and Pearson). The other scores are for implementations
that deviate from the claim: values of the wrong size, or one step that reveals everything. A score does not know the
side of its transcripts. NaN counts as a large value, so that diverged runs are distinguished from others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import special

from dpverify.accounting.subsampled_guarantee import SubsampledGaussian
from dpverify.core.errors import InputError
from dpverify.core.subjects import Float
from dpverify.stats.intervals import binomial_quantile, clopper_pearson_lower, clopper_pearson_upper
from dpverify.stats.joint import JointRegion, Region, planned_share

EACH = math.sqrt(0.8)
"""Each count is at least as favourable as planned with this probability, both together with 80 %."""

PILOT_LEVEL = 0.02
"""Error of each limit when a pilot is compared with the claim; it affects the plan only."""

THRESHOLDS = 64

Objective = Callable[[Float, Float], Float]
"""Function from lower limits of p and upper limits of q to the event's expected result."""


Kind = Literal["likelihood ratio", "energy", "largest"]

LARGEST = 1e9
"""In clipping norms: larger values and NaN are replaced by this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A score beyond a threshold."""

    score: Score
    threshold: float
    above: bool
    """True for scores above the threshold, False for scores below."""
    likelier: int
    """The side under which the event is expected more often: 0 for d0, 1 for d1."""
    p: float
    q: float
    """`p`, `q`: expected probabilities on that side and on the other."""
    share: float = 0.5

    def hits(self, scores: Float) -> int:
        """How many of the scores are in the event."""
        return int(np.count_nonzero(scores > self.threshold if self.above else scores < self.threshold))

    def text(self) -> str:
        """A description for people."""
        return f"{self.score.text()} {'>' if self.above else '<'} {self.threshold:.6g}"

    def plain(self) -> dict[str, Any]:
        """As plain JSON."""
        return {"score": self.score.plain(), "threshold": self.threshold, "above": self.above}


@dataclass(frozen=True, slots=True, kw_only=True)
class Contenders:
    """Events of one score and one direction, with expected probabilities: arrays of shape (m,)."""

    score: Score
    above: bool
    likelier: int
    thresholds: Float
    p: Float
    q: Float


def claim_events(score: Score, guarantee: SubsampledGaussian) -> Contenders:
    """The events of the claimed likelihood ratio, under d1, at the slopes of the claimed profile."""
    curve = guarantee.curve()
    x, delta = curve.slopes[1:], curve.deltas[1:]
    q = -np.diff(delta) / np.diff(x)
    p = delta[1:] + x[1:] * q
    keep = (x[1:] > 0) & (p > q) & (q > 0)
    middle = np.log(np.sqrt(x[1:] * x[:-1]))
    return Contenders(
        score=score, above=True, likelier=1, thresholds=middle[keep], p=np.minimum(p[keep], 1.0), q=q[keep]
    )


def pilot_events(score: Score, d0: Float, d1: Float) -> list[Contenders]:
    """Events at quantiles of a pilot's scores, in every direction, with the pilot's frequencies."""
    pooled = np.sort(np.concatenate([d0, d1]))
    places = np.unique(np.linspace(0, pooled.size - 1, THRESHOLDS).astype(int))
    tails = np.array([1, 2, 4, 8, 16, 32])
    places = np.unique(np.concatenate([places, tails, pooled.size - 1 - tails]).clip(0, pooled.size - 2))
    between = pooled[places] / 2 + pooled[places + 1] / 2
    extremes = [float(side[at]) for side in (np.sort(d0), np.sort(d1)) for at in (0, -1)]  # beyond one side's scores
    thresholds = np.unique(np.concatenate([between, extremes]))
    found = []
    for above in (True, False):
        rates = [
            np.array([np.mean(side > t if above else side < t) for t in thresholds], dtype=np.float64)
            for side in (d0, d1)
        ]
        found += [
            Contenders(score=score, above=above, likelier=side, thresholds=thresholds, p=rates[side], q=rates[1 - side])
            for side in (0, 1)
        ]
    return found


def exceeding(contenders: Sequence[Contenders], size: int, guarantee: SubsampledGaussian) -> float:
    """Cautious estimate of a pilot's excess over the claimed curve at its best event (`size` transcripts a side)."""
    best = -1.0
    for each in contenders:
        low, high = _limits(each.p, each.q, size, PILOT_LEVEL, PILOT_LEVEL)
        best = max(best, float(np.max(low - 1.0 + guarantee.tradeoff(high), initial=-1.0)))
    return best


def best_event(
    contenders: Sequence[Contenders],
    trials: int,
    *,
    alpha: float,
    objective: Objective,
    bound: Callable[[Region], float],
    pilot: int | None = None,
) -> Event:
    """The event whose objective is largest at the unfavourable quantile of its counts among `trials`.

    `bound`: function from a region to its bound, for which the share of the error is planned. `pilot`: size of the
    pilot of the frequencies, which are then corrected for the selection of the best event.
    """
    best: tuple[float, Event] | None = None
    for each in contenders:
        p, q = each.p, each.q
        if pilot is not None:
            p, q = _limits(p, q, pilot, 0.2, 0.2)
        k1 = binomial_quantile(1.0 - EACH, trials, p)
        k2 = binomial_quantile(EACH, trials, q)
        low = clopper_pearson_lower(k1, trials, alpha=alpha / 2)
        high = clopper_pearson_upper(k2, trials, alpha=alpha / 2)
        values = objective(low, high)
        place = int(np.argmax(values))
        if best is None or values[place] > best[0]:
            event = Event(
                score=each.score,
                threshold=float(each.thresholds[place]),
                above=each.above,
                likelier=each.likelier,
                p=float(p[place]),
                q=float(q[place]),
            )
            best = float(values[place]), event
            counts = int(k1[place]), int(k2[place])
    if best is None:
        raise InputError("no events to choose from", allowed="at least one score")
    event = best[1]
    share = planned_share(counts[0], trials, counts[1], trials, alpha=alpha, bound=bound)
    return Event(
        score=event.score, threshold=event.threshold, above=event.above, likelier=event.likelier, p=event.p, q=event.q,
        share=share,
    )  # fmt: skip


def log_ratio(delta: float) -> Objective:
    """The epsilon at `delta` that an event shows; a negative value is the distance from showing any."""

    def shown(p: Float, q: Float) -> Float:
        with np.errstate(divide="ignore"):
            found = np.log(np.maximum(p - delta, 0.0)) - np.log(q)
        return np.where(p > delta, found, -700.0)

    return shown


def separation(p: Float, q: Float) -> Float:
    """Distance on the probit scale, a criterion for a whole curve that is nearly Gaussian."""
    inside = (p > 0) & (q < 1)
    found = special.ndtri(np.where(inside, p, 0.5)) - special.ndtri(np.where(inside, q, 0.5))
    return np.where(inside, np.clip(found, -50.0, 50.0), -50.0)


def excess_of(guarantee: SubsampledGaussian) -> Objective:
    """Excess of an event over the claimed curve."""
    return lambda p, q: np.asarray(p - 1.0 + guarantee.tradeoff(np.clip(q, 0.0, 1.0)))


def region_of(event: Event, k1: int, k2: int, trials: int, *, alpha: float) -> JointRegion:
    """The region of the event's two probabilities, the more likely side first."""
    return JointRegion(k1=k1, n1=trials, k2=k2, n2=trials, alpha=alpha, share=event.share)


def _limits(p: Float, q: Float, size: int, lower: float, upper: float) -> tuple[Float, Float]:
    k1, k2 = np.rint(p * size).astype(np.int64), np.rint(q * size).astype(np.int64)
    return clopper_pearson_lower(k1, size, alpha=lower), clopper_pearson_upper(k2, size, alpha=upper)


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A score of transcripts: one number for each run."""

    kind: Kind
    """``likelihood ratio``; ``energy``, the sum of squares over steps; ``largest`` value of any step."""
    column: int
    """Index of the number that is used of each step."""
    sign: float
    """+1 or -1: the direction of the canary."""
    centre: float
    """The noise-free value of a step without the canary: the sum of the others."""
    rate: float
    sigma: float
    """`rate`, `sigma`: parameters of the claim."""

    def of(self, traces: Float) -> Float:
        """Scores of transcripts of shape (n, steps, k): shape (n,)."""
        x = self.sign * (traces[:, :, self.column] - self.centre)
        x = np.clip(np.nan_to_num(x, nan=LARGEST), -LARGEST, LARGEST)
        if self.kind == "energy":
            return np.asarray(np.sum(x * x, axis=1))
        if self.kind == "largest":
            return np.asarray(np.max(x, axis=1))
        u = (x - 0.5) / self.sigma**2
        if self.rate == 1.0:
            return np.asarray(np.sum(u, axis=1))
        # log(1 - q + q e^u); beyond 40 it is u + log q to the last digit
        near = np.log1p(self.rate * np.expm1(np.minimum(u, 40.0)))
        return np.asarray(np.sum(near + np.maximum(u - 40.0, 0.0), axis=1))

    def plain(self) -> dict[str, Any]:
        """Everything needed to compute the score again, as plain JSON."""
        return {
            "kind": self.kind,
            "column": self.column,
            "sign": self.sign,
            "centre": self.centre,
            "rate": self.rate,
            "sigma": self.sigma,
        }

    def text(self) -> str:
        """A description for people."""
        what = {"likelihood ratio": "log-likelihood ratio", "energy": "sum of squares", "largest": "largest value"}
        return f"{what[self.kind]} of all steps{', sign turned' if self.sign < 0 else ''}"


def scores_for(d0: Float, *, rate: float, sigma: float) -> list[Score]:
    """The scores to try, the claimed likelihood ratio first; `d0` are pilot transcripts without the canary."""
    found = []
    for column in range(d0.shape[2]):
        values = d0[:, :, column]
        values = values[np.isfinite(values)]
        middle = float(np.median(values)) if values.size else 0.0
        if abs(middle) <= 6.0 * sigma * math.sqrt(math.pi / 2 / max(values.size, 1)):
            middle = 0.0  # apparently blank records
        middle = min(max(middle, -LARGEST), LARGEST)
        base: dict[str, Any] = {"column": column, "centre": middle, "rate": rate, "sigma": sigma}
        found += [Score(kind="likelihood ratio", sign=sign, **base) for sign in (1.0, -1.0)]
        found += [Score(kind="largest", sign=sign, **base) for sign in (1.0, -1.0)]
        found.append(Score(kind="energy", sign=1.0, **base))
    return found
