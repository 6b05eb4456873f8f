"""Events that are sets of bins, and their expected gain against a claim.

For any claim the most powerful sets of bins are {p > e^epsilon q}, one for each tangent of its curve (Neyman and
Pearson). So the bins are sorted by their log-ratios, and a threshold between two of them corresponds to a tangent. The
expected gain includes the errors of the draws that it is estimated from, and of the later draws. It is no bound.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from auditors.privacy.event_bounds import Goal
from auditors.privacy.histogram.bins import Bins
from auditors.privacy.histogram.search import Found, RatedPlan, search
from dpverify.core.auditing import Task
from dpverify.core.subjects import Float
from dpverify.stats.joint import JointRegion

CAUTIONS = (3.0, 2.0, 1.0, 0.0)
"""Standard errors by which shares are moved against the event; fewer, with a discount, if no event has a gain.
"""

DISCOUNT = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BinEvent:
    """All bins whose log-ratio is above the threshold (or not above it), and the side on which they are more likely.

    Attributes
    ----------
    direction : int
        0 when it is more likely under d0 (P = M(d0)), else 1.
    inside : bool, shape (k,)
        Its bins.
    p, q : float
        Its shares of the selection draws.
    share : float
        Share of its region.
    """

    bins: Bins
    threshold: float
    above: bool
    direction: int
    inside: NDArray[np.bool_]
    p: float
    q: float
    share: float = 0.5

    def region(self, counts: NDArray[np.int64], *, alpha: float) -> JointRegion:
        """The confidence region of its probabilities from the bins' counts, shape (2, k): d0, then d1."""
        first, second = counts[self.direction], counts[1 - self.direction]
        return JointRegion(
            k1=int(first[self.inside].sum()),
            n1=int(first.sum()),
            k2=int(second[self.inside].sum()),
            n2=int(second.sum()),
            alpha=alpha,
            share=self.share,
        )

    def text(self) -> str:
        """A description for people."""
        return self.bins.text(self.threshold, above=self.above)

    def record(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"threshold": self.threshold, "above": self.above, **self.bins.record()}


def thresholds(bins: Bins) -> Float:
    """All log-ratios of bins but the largest, increasing, shape (t,)."""
    return np.asarray(np.unique(bins.ratios)[:-1], dtype=np.float64)


def rates(bins: Bins, counts: NDArray[np.int64], levels: Float) -> Float:
    """Shares of d0 and of d1 above each level, shape (2, t)."""
    order = np.argsort(bins.ratios, kind="stable")
    below = np.cumsum(counts[:, order], axis=1)
    place = np.searchsorted(bins.ratios[order], levels, side="right") - 1
    return np.asarray(1.0 - below[:, place] / below[:, -1:], dtype=np.float64)


def choose(
    goal: Goal, bins: Bins, counts: NDArray[np.int64], *, trials: int, alpha: float
) -> RatedPlan[BinEvent] | None:
    """The event of these bins with the largest expected gain for the later draws; None when no event has one."""
    levels = thresholds(bins)
    if levels.size == 0:
        return None
    above, size = rates(bins, counts, levels), int(counts.sum(axis=1).min())
    p = np.stack([above[0], 1.0 - above[0], above[1], 1.0 - above[1]])
    q = p[[2, 3, 0, 1]]
    z = float(-special.ndtri(alpha))
    for step, caution in enumerate(CAUTIONS):
        both = np.sqrt(caution**2 / size + z * z / (2.0 * trials))  # large errors of p and q rarely occur together
        alone = np.sqrt(caution**2 / size + z * z / trials)
        corner = _moved(p, -alone, trials), _moved(q, alone, trials)
        gain = goal.gain(_moved(p, -both, trials), _moved(q, both, trials), corner=corner)
        row, column = divmod(int(np.argmax(gain)), gain.shape[1])
        if gain[row, column] > 0.0:
            event = _event(bins, float(levels[column]), row, float(p[row, column]), float(q[row, column]))
            return RatedPlan(gain=float(gain[row, column]) * DISCOUNT**step, plan=event)
    return None


def with_share(event: BinEvent, gain: float, goal: Goal, *, trials: int, alpha: float) -> BinEvent:
    """The event with the region's share that is best at the expected counts."""
    k1, k2 = round(event.p * trials), round(event.q * trials)
    return replace(event, share=goal.best_share(k1, k2, trials, alpha=alpha, direction=event.direction, gain=gain))


def chosen(task: Task, goal: Goal, *, alpha: float) -> tuple[Found[BinEvent], BinEvent]:
    """The result of the search, and the event to count; one that shows nothing if no event has a gain."""
    found = search(task, partial(choose, goal, trials=task.trials, alpha=alpha))
    if found.rated is None:
        return found, event_above(found.bins, float(found.bins.ratios.min()), 0.5, 0.5)
    return found, with_share(found.rated.plan, found.gain, goal, trials=task.trials, alpha=alpha)


def event_above(bins: Bins, level: float, p: float, q: float) -> BinEvent:
    """The event {log-ratio > level}, more likely under d0."""
    return _event(bins, level, 0, p, q)


def _event(bins: Bins, level: float, row: int, p: float, q: float) -> BinEvent:
    above = row % 2 == 0
    inside = (bins.ratios > level) == above
    return BinEvent(bins=bins, threshold=level, above=above, direction=row // 2, inside=inside, p=p, q=q)


def _moved(rate: Float, z: Float, trials: int) -> Float:
    """A Wilson-like limit: an upper one is never 0, a lower one never 1."""
    spread = z * np.sqrt(rate * (1.0 - rate)) + np.sign(z) * 2.0 / trials
    return np.asarray(np.clip(rate + spread, 0.0, 1.0), dtype=np.float64)
