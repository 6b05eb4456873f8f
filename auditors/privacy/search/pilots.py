"""Tests points by pilots: the expected gain at a pair with parameters, and the e-value against the claim there.

An event is chosen on one pilot and bet on in a second one. The e-value is against one (epsilon, delta) that the claim
implies, chosen on the first pilot too (Waudby-Smith and Ramdas 2024, through `dpverify.stats.betting`). Every point is
tested once, with draws from streams named after it, so a search may return to it. Limits: the result guides the search
and is never evidence; pilots detect only what some thousand draws show.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from auditors.privacy.event.expected_gain import Choice
from auditors.privacy.event.select import Split, choose
from auditors.privacy.event_bounds import SLOPES, Goal
from auditors.privacy.outputs import Drawer
from dpverify.core.auditing import Task
from dpverify.datasets.neighbors.json_values import plain_pair
from dpverify.runner.record import plain
from dpverify.stats.betting import EventProcess
from dpverify.testing.search_points import Point

PILOT = 2**12
"""Draws a side for choosing a point's event, and again for betting on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PilotResult:
    """What the pilots say of a point: the expected gain of its event, the logarithm of the e-value against the claim,
    and the event."""

    gain: float = 0.0
    log_e: float = 0.0
    choice: Choice | None = None

    @property
    def score(self) -> float:
        """The objective of the search: the expected gain, and above the claim the e-value."""
        return self.gain + max(self.log_e, 0.0)


@dataclass(slots=True)
class Pilots:
    """Looks at points, each once: draws come from streams named after the point, so a point always looks the same."""

    task: Task
    goal: Goal
    size: int = PILOT
    """Draws a side on which a point's event is chosen, and as many again to bet on it."""
    seen: dict[str, PilotResult] = field(default_factory=dict)
    _built: dict[str, Any] = field(default_factory=dict)

    def look(self, point: Point) -> PilotResult:
        """The pilots at `point`."""
        name = _digest(point)
        if name not in self.seen:
            self.seen[name] = self._look(point, name)
        return self.seen[name]

    def score(self, point: Point) -> float:
        """The score of the look at `point`."""
        return self.look(point).score

    def _look(self, point: Point, name: str) -> PilotResult:
        drawer, task = Drawer(self._subject(point), point.pair), self.task
        if (size := min(self.size, task.trials)) < 2:  # one half chooses, the other tries
            return PilotResult()
        pilot = drawer.both(size, task.stream, "look", name)
        split = Split.of(pilot, rng=task.stream("look", name, "split"))
        choice = choose(split, self.goal, trials=task.trials, alpha=task.alpha, thorough=False)
        if choice is None:
            return PilotResult()
        hits = [choice.event.hits(sample) for sample in drawer.both(size, task.stream, "bet", name)]
        k1, k2 = hits[choice.direction], hits[1 - choice.direction]
        log_e = _log_e_value(self.goal, choice, k1, k2, size, rng=task.stream("bet", name, "order"))
        return PilotResult(gain=choice.gain, log_e=log_e, choice=choice)

    def _subject(self, point: Point) -> Any:
        key = json.dumps(plain(point.parameters), sort_keys=True)
        if key not in self._built:
            self._built.clear()
            self._built[key] = self.task.build(**point.parameters)
        return self._built[key]


def _log_e_value(goal: Goal, choice: Choice, k1: int, k2: int, size: int, *, rng: np.random.Generator) -> float:
    """Log of the e-value of the e-process; counted draws of one law are put in a random order."""
    variance = choice.p * (1.0 - choice.p) + np.exp(2.0 * SLOPES) * choice.q * (1.0 - choice.q)
    claimed = goal.guarantee.delta(SLOPES, reverse=bool(choice.direction))
    drift = choice.p - np.exp(SLOPES) * choice.q - claimed
    place = int(np.argmax(drift / np.sqrt(variance + 1.0 / size)))
    delta = float(np.nextafter(max(claimed[place], 0.0), 2.0))
    if not 0.0 <= delta < 1.0:
        return 0.0
    indicators = [rng.permutation(np.arange(size) < hits) for hits in (k1, k2)]
    epsilon = float(SLOPES[place])
    e_value = EventProcess.start([epsilon], delta=delta).update(*indicators).e_value(epsilon)
    return math.log(e_value) if e_value > 0 else -math.inf


def _digest(point: Point) -> str:
    words = json.dumps(plain({**plain_pair(point.pair), "pair": "", "parameters": point.parameters}), sort_keys=True)
    return hashlib.sha256(words.encode()).hexdigest()
