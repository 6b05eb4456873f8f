"""A closer look at the chosen pair, on draws that no verdict rests on.

It answers three questions that the short looks of the search cannot:

- *Does one side repeat exact values that the other never shows?* A mechanism that releases its true answer once in
  fifty calls is seen by that and by nothing else. The values are chosen on one half of the draws and counted on the
  other. Only where that count is clearly beyond the claim are they counted again for the verdict.
- *Is any other event clearly beyond the claim?* Events are built on one half and looked at on the other. If one is, the
  count that follows makes all the draws that there are, and does not stop at the power that was asked for.
- *How much is lost on this pair?* The event that is counted shows a part of the mechanism's loss. Without a better
  number the whole is taken to be the claimed value, so where the claim is far above the loss every event seems to show
  too little. The largest loss of events that are not rare is a better one.

Side of the error: the loss is estimated upwards (a standard error for each event, the largest of all events), so the
part that an event shows is estimated downwards, and the detectable value upwards. Events of fewer than `CLEAR` draws
are not looked at: what only these show is not in the number. Of an epsilon at a small delta that may be nearly all of
it, since the event that shows it comes about as seldom as delta. There the loss is that of Gaussian noise which
separates the two sides as far as these events do, if that is more (`gaussian_loss`).

The epsilon at a delta under Gaussian noise is an estimate and bounds nothing: common events show how far apart two laws
are (mu), not what their tails lose, and Gaussian tails lose more than those of Laplace noise.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from auditors.privacy.admission import probe
from auditors.privacy.detectable import shown_part
from auditors.privacy.event.expected_gain import Choice, wilson
from auditors.privacy.event.scores import Event, OneOf
from auditors.privacy.event.select import Split, choose, simple_scores
from auditors.privacy.event.tails import Tails
from auditors.privacy.event_bounds import Goal, value
from auditors.privacy.outputs import Drawer, Sample
from dpverify.core.auditing import Task
from dpverify.core.evidence import Evidence, Measure
from dpverify.core.subjects import Float, Pair
from dpverify.definitions.gdp import GDP
from dpverify.stats.joint import JointRegion

CLEAR = 400
"""Fewest draws on its likelier side, in an event and outside it, of which the loss is read."""

KINDS = ("epsilon", "mu")
"""Measures of which one event can show the whole loss. Of a Renyi divergence it shows a part, whatever is lost."""

MU = Measure(kind="mu", claimed=0.0)

LEAST_PART = 1 / 8
"""The loss counts as at least this part of the claimed value: a pair that loses less hardly differs."""

NUMBERS = 2**22
"""Most numbers a side: 32 MiB."""

COLUMNS, VALUES = 1024, 64
"""Columns of an output, and values of a column, that are looked at."""

FEW_COLUMNS = 16

SURE, SURE_OF_MANY = 2.0, 3.0
"""Standard errors by which both rates of an event must exceed the claim: of one event, and of one among hundreds.

Exact values of an output of more than `FEW_COLUMNS` columns are events among hundreds.
"""


FARTHEST = 700.0
STEPS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Closer:
    """What the look saw."""

    draws: int = 0
    """A side; 0 where there were too few for a look."""
    alone: Choice | None = None
    """The event that an output is one of some values that one side alone repeats."""
    repeats: bool = True
    """Whether a column repeats any values; without draws it is taken to."""
    beyond: bool = False
    """Whether an event looks clearly beyond the claim."""
    loss: float | None = None
    """The largest loss of events that are not rare, estimated upwards, in the headline's units."""
    choice: Choice | None = None
    """The event that these draws would have counted, where the loss was asked for."""

    def plain(self) -> dict[str, Any]:
        """The step, as plain JSON values."""
        told: dict[str, Any] = {"step": "closer look", "draws": self.draws, "beyond": self.beyond}
        return told if self.loss is None else {**told, "loss": self.loss}


def closer_look(task: Task, goal: Goal, pair: Pair, *, draws: int, losses: bool) -> Closer:
    """The look at `pair`, with `draws` a side; `losses` says whether the loss is asked for, too."""
    drawer = Drawer(task.build(), pair)
    if draws > 1:
        probe(task, drawer)
        draws = min(draws, NUMBERS // drawer.width)
    if draws < 2:
        return Closer()
    sides = drawer.both(draws, task.stream, "closer")
    split = Split.of(sides, rng=task.stream("closer", "split"))
    plain, built = simple_scores(split.build, thorough=True)
    tails = [Tails.of(score, split.whole) for score in plain] + [Tails.of(score, split.held) for score in built]
    seen = [tail for tail in tails if tail is not None]
    return Closer(
        draws=draws,
        alone=_alone(split, goal),
        repeats=any(_repeats(side) for side in sides),
        beyond=any(_beyond(tail, goal) for tail in seen),
        loss=_loss(seen, goal) if losses and goal.headline.kind in KINDS else None,
        choice=choose(split, goal, trials=task.trials, alpha=task.alpha, thorough=True) if losses else None,
    )


def part_of_detectable(goal: Goal, region: JointRegion, loss: float) -> float:
    """The factor, at most 1, of `auditors.privacy.detectable.detectable` where `loss` is all that there is to show."""
    shown = shown_part(goal, region)
    whole = min(1.0, max(loss / goal.headline.claimed, LEAST_PART))
    return min(1.0, shown) / min(1.0, shown / whole) if shown > 0.0 else 1.0


def by_the_loss(goal: Goal, evidence: Evidence, loss: float | None) -> Evidence:
    """The evidence of an event, its detectable value by the loss that the look saw.

    Only where the event itself shows a loss at its confidence: a pair on which nothing differs shows no part of it.
    """
    said = evidence.statistics
    if loss is None or evidence.detectable is None or not math.isfinite(evidence.detectable) or evidence.bound <= 0.0:
        return evidence
    region = JointRegion(
        k1=said["k1"], n1=said["n1"], k2=said["k2"], n2=said["n2"], alpha=said["alpha"], share=said["region"]["share"]
    )
    part = part_of_detectable(goal, region, loss)
    if part == 1.0:
        return evidence
    able = max(part * evidence.detectable, evidence.measure.claimed)
    return replace(evidence, detectable=able, statistics={**said, "part_of_detectable": part})


def _repeats(side: Sample) -> bool:
    return any(np.unique(side.column(at)).size < side.size for at in range(min(side.width, COLUMNS)))


def _alone(split: Split, goal: Goal) -> Choice | None:
    """The values of one side alone whose count on the second half is most clearly beyond the claim."""
    found = [choice for choice, clearly in repeated(split, goal) if clearly > 0.0]
    return max(found, key=lambda choice: choice.p, default=None)


def repeated(split: Split, goal: Goal) -> Iterator[tuple[Choice, float]]:
    """Events of repeated values, and how far the second half shows them beyond the claim."""
    if split.build[0].weights is not None:
        return  # outcomes are counted, each by itself
    n, width = split.held[0].size, split.build[0].width
    sure = SURE if width <= FEW_COLUMNS else SURE_OF_MANY
    for place in range(min(width, COLUMNS)):
        column = None if split.build[0].values.ndim == 1 else place
        seen = [np.unique(side.column(place), return_counts=True) for side in split.build]
        for direction in (0, 1):
            (values, counts), (others, _) = seen[direction], seen[1 - direction]
            repeated = (counts > 1) & ~np.isin(values, others)
            if not repeated.any():
                continue
            order = np.argsort(-counts[repeated], kind="stable")[:VALUES]
            score = OneOf(values=tuple(map(float, values[repeated][order])), column=column)
            event = Event(score=score, threshold=0.5, above=True)
            hits = [event.hits(side) for side in split.held]
            rates = np.array([hits[direction], hits[1 - direction]]) / n
            least, most = wilson(rates, n, [-sure, sure])
            p, q = rates.tolist()
            clearly = float(least - goal.allowed(direction)(most))
            yield Choice(event=event, direction=direction, p=p, q=q, gain=1.0), clearly


def _beyond(tail: Tails, goal: Goal) -> bool:
    """Whether the tail has an event that is clearly beyond the claim, in either direction."""
    rates = tail.rates()
    p: Float = wilson(rates, tail.size, -SURE_OF_MANY)
    q: Float = wilson(rates[[2, 3, 0, 1]], tail.size, SURE_OF_MANY)
    allowed = np.concatenate([goal.allowed(direction)(part) for direction, part in enumerate(np.split(q, 2))])
    return bool((p > allowed).any())


def _loss(tails: list[Tails], goal: Goal) -> float | None:
    """The largest loss of these events, estimated upwards; None without a clear event."""
    headline = goal.headline
    largest = max((_largest(tail, headline) for tail in tails), default=0.0)
    if headline.kind == "epsilon" and 0.0 < headline.argument < CLEAR / max((tail.size for tail in tails), default=1):
        apart = max((_largest(tail, MU) for tail in tails), default=0.0)
        largest = max(largest, gaussian_loss(apart, delta=headline.argument))
    return largest if 0.0 < largest < math.inf else None


def _largest(tail: Tails, measure: Measure) -> float:
    p: Float = tail.rates()
    q = p[[2, 3, 0, 1]]
    often = (np.minimum(p, 1.0 - p) * tail.size >= CLEAR) & (p > q)
    high, low = wilson(p[often], tail.size, 1.0), wilson(q[often], tail.size, -1.0)
    return float(np.max(value(measure, high, low, mirrored=False), initial=0.0))


def gaussian_loss(mu: float, *, delta: float) -> float:
    """The epsilon of N(0, 1) against N(mu, 1) at `delta`, in nats; 0 where delta covers all, inf beyond `FARTHEST`.

    `mu`: at least 0, may be inf. `delta`: in (0, 1).
    """
    if not math.isfinite(mu):
        return math.inf
    law = GDP(mu=mu)
    if float(law.delta(0.0)) <= delta:
        return 0.0
    if float(law.delta(FARTHEST)) > delta:
        return math.inf
    low, high = 0.0, FARTHEST
    for _ in range(STEPS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if float(law.delta(middle)) > delta else (low, middle)
    return high
