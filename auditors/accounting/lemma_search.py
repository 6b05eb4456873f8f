"""Searches a lemma's box for the worst point: at the corners, along the coordinates from the best one, then globally.

Printed bounds are mostly monotone in each parameter, so they fail where several parameters are at an end of their
range. Differential evolution rarely reaches such points. So all corners are evaluated first (if there are too many, a
fractional factorial design of them, and a coordinate-wise climb from its best one). Then each coordinate is varied over
its range, from the best corner. Only then follow differential evolution (Storn and Price 1997, in SciPy) from a random
population, and a compass search from the better of the two points.

Deterministic given the task's stream. A point at which a side of the lemma is out of the range of doubles or balls is
skipped and counted; a side that is nan is an error.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.optimize import Bounds, differential_evolution

from auditors.accounting.lemma_points import LemmaBox, LemmaPoint
from auditors.search_boxes import PARTS, compass_search
from dpverify.core.auditing import Task
from dpverify.core.subjects import Float

EVALUATIONS = 600
"""Points evaluated by evolution and polishing, at effort 1; the corners and the sweep are additional."""

OTHER = (0.5, 1 - 1e-6)
"""Part of the larger ratio that the other point must have to be polished as well.

This applies where corners and evolution give different points without a tie.
"""

_EVOLVED, _POLISHED, _AGAIN = 0.7, 0.3, 0.15  # fractions of the evaluations
_CORNERS, _SWEPT = 1 / 6, 1 / 6  # largest fractions of these, in the same units
_MEMBERS = 10  # population size for each parameter
_LEAST_STEP = 1e-6


@dataclass(slots=True)
class Search:
    """One search; `best` is the point with the largest ratio so far, `spent` the number of evaluations."""

    field: LemmaBox
    best: LemmaPoint
    spent: int = 0

    def look(self, shares: Float) -> float:
        """The ratio at a point of the unit cube; -inf where a side cannot be computed."""
        self.spent += 1
        seen = self.field.sought(self.field.parameters(shares))
        if seen is None:
            return -math.inf
        if seen.ratio > self.best.ratio:
            self.best = seen
        return seen.ratio

    def corners(self, most: int) -> Float:
        """The best corner, of all if these are at most `limit` (>= 2), else of a fraction and a climb from its best."""
        count = len(self.field.names)
        free = min(count, most.bit_length() - 1)
        known: dict[bytes, float] = {}
        ratio, place = -math.inf, np.zeros(count)
        for bits in product((0.0, 1.0), repeat=free):
            # Each other coordinate is the parity of all free ones but one: a fractional factorial design.
            rest = [(sum(bits) - bits[other % free]) % 2.0 for other in range(count - free)]
            corner = np.array([*bits, *rest])
            known[corner.tobytes()] = there = self.look(corner)
            if there > ratio:
                ratio, place = there, corner
        axis, idle = 0, 0
        while idle < count and len(known) < most:
            trial = place.copy()
            trial[axis] = 1.0 - trial[axis]
            axis, idle = (axis + 1) % count, idle + 1
            if trial.tobytes() not in known:
                known[trial.tobytes()] = there = self.look(trial)
                if there > ratio:
                    ratio, place, idle = there, trial, 0
        return place

    def sweep(self, place: Float, most: int) -> Float:
        """From `place`, vary each coordinate in turn over a grid of its range, until no round improves."""
        value, end, axis, idle = self.look(place), self.spent + most, 0, 0
        while idle < len(place) and self.spent + PARTS <= end and value < math.inf:
            trials = []
            for part in range(PARTS + 1):
                trial = place.copy()
                trial[axis] = part / PARTS
                if trial[axis] != place[axis]:
                    trials.append((self.look(trial), part, trial))
            idle += 1
            top, _, there = max(trials, key=lambda each: each[:2])
            if top > value:
                place, value, idle = there, top, 1
            axis = (axis + 1) % len(place)
        return place

    def evolve(self, most: int, rng: np.random.Generator) -> None:
        """Differential evolution over the whole box, from a random population."""
        count = len(self.field.names)

        def loss(shares: Float) -> float:
            ratio = self.look(shares)
            return -math.log(max(ratio, 1e-300)) if ratio < math.inf else -1e3

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # a population of equal values has spread 0
            differential_evolution(
                loss,
                Bounds(np.zeros(count), np.ones(count)),
                popsize=_MEMBERS,
                maxiter=max(1, round(most / (_MEMBERS * count)) - 1),
                init="sobol",
                tol=0.0,
                polish=False,
                rng=rng,
            )

    def polish(self, most: int) -> None:
        """Improve the best point by a compass search."""
        place = self.field.shares(self.best.parameters)
        ends = np.zeros(len(place)), np.ones(len(place))
        compass_search(
            self.look,
            place,
            self.best.ratio,
            low=ends[0],
            high=ends[1],
            evaluations=most,
            least_step=_LEAST_STEP,
        )


def searched(task: Task, field: LemmaBox, own: LemmaPoint) -> LemmaPoint:
    """Run the whole search from the stated parameters `own`; the field keeps all evaluated points."""
    total = max(50, round(EVALUATIONS * task.effort))
    ends, inside = Search(field=field, best=own), Search(field=field, best=own)
    task.progress("searching the corners", 0.05)
    ends.sweep(ends.corners(round(_CORNERS * total)), round(_SWEPT * total))
    task.progress("searching the parameters", 0.15)
    inside.evolve(round(_EVOLVED * total), task.stream("search"))
    task.progress("polishing the worst", 0.7)
    better, other = (inside, ends) if inside.best.ratio > ends.best.ratio else (ends, inside)
    better.polish(round(_POLISHED * total))
    if OTHER[0] * better.best.ratio < other.best.ratio < OTHER[1] * better.best.ratio:
        other.polish(round(_AGAIN * total))
    return max(better.best, other.best, key=lambda each: each.ratio)
