"""Calls of somebody's step: seeded, on copies, limited in time, and read as the noisy sum that the step stands for."""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from dpverify.adapters.copies import independent_copy
from dpverify.adapters.foreign_call import foreign_call
from dpverify.adapters.time_limit import TimeLimit
from dpverify.core.errors import InputError
from dpverify.core.subjects import Float
from dpverify.frontier.trainer import seed_global_generators
from dpverify.sampling.streams import streams
from dpverify.training_step.records import TrainingBatch
from dpverify.training_step.trees import FINEST, is_float, leaves, told_unit, unit, vector

Returns = Literal["sum", "mean", "parameters"]
MOST_KEPT = 50_000_000
"""Numbers of sums that are kept; more are computed again where they are asked for."""

ALLOWED = "step(parameters, batch, rng), which returns on every batch of such records"


@dataclass(frozen=True, slots=True, eq=False)
class Total:
    """The noisy sum of one call, and the size of the numbers that it was rounded at."""

    values: Float
    rounded: float

    @property
    def finite(self) -> bool:
        """Tell whether all numbers are finite."""
        return bool(np.all(np.isfinite(self.values)))


@dataclass(kw_only=True)
class StepRunner:
    """A step that is called on batches of the user's records.

    Attributes
    ----------
    step : callable
    name : str
        For messages.
    parameters : object
        Tree of arrays.
    batch : TrainingBatch
    clip, noise_multiplier : float
    batch_size : float
        The claimed divisor of a mean.
    returns : "sum", "mean" or "parameters"
    learning_rate : float or None
        Of parameters that are returned.
    seed : int
    limit : TimeLimit
        Of one call; entered by the caller.
    rounding : float or None
        Unit roundoff of the step's arithmetic; None reads it off dtypes and outputs.
    """

    step: Callable[..., Any]
    name: str
    parameters: Any
    batch: TrainingBatch
    clip: float
    noise_multiplier: float
    batch_size: float
    returns: Returns
    learning_rate: float | None
    seed: int
    limit: TimeLimit
    rounding: float | None = None
    calls: int = 0
    sizes: list[tuple[str, int]] = field(default_factory=list)
    _known: dict[Any, Total] = field(default_factory=dict)
    _called_before: bool = False
    _told: float = FINEST
    _seen: float = math.inf

    def __post_init__(self) -> None:
        self.start, self.sizes = vector(self.parameters, what="the parameters")
        if not self.start.size:
            raise InputError("no parameters", allowed="an array, or lists, tuples and dicts of arrays")
        own = [unit(leaf) for _, leaf in leaves(self.parameters) if is_float(leaf)]
        self._told = max([FINEST, *own])
        self._global_streams, self._streams = (streams(self.seed, "training-step", each) for each in ("global", "rng"))

    @property
    def width(self) -> int:
        """Return how many numbers the sum has; frozen parameters may be left out of it."""
        return sum(size for _, size in self.sizes)

    @property
    def scale(self) -> float:
        """The claimed standard deviation of the noise on each number of the sum."""
        return self.noise_multiplier * self.clip

    @property
    def unit(self) -> float:
        """The unit roundoff that is allowed for."""
        if self.rounding is not None:
            return self.rounding
        return max(self._told, self._seen if math.isfinite(self._seen) else FINEST)

    def at(
        self,
        records: Sequence[int],
        factors: Sequence[float] | None = None,
        *,
        draw: int = 0,
        parameters: tuple[str, Any] | None = None,
    ) -> Total:
        """The noisy sum of these records at one named seed, kept for the next time that it is asked for.

        Raises
        ------
        InputError
            When the step raises, runs longer than its limit, or returns something else.
        """
        factors = [1.0] * len(records) if factors is None else factors
        key = (tuple(records), tuple(factors), draw, parameters and parameters[0])
        if key not in self._known:
            batch = self.batch.taken(records, factors)
            found = self._called(batch, self._rng(draw), parameters[1] if parameters else self.parameters)
            if (len(self._known) + 1) * found.values.size > MOST_KEPT:
                return found
            self._known[key] = found
        return self._known[key]

    def anew(self, records: Sequence[int], draw: int = 0) -> Total:
        """The noisy sum of a call that is made now, whatever was kept."""
        return self._called(self.batch.taken(records, [1.0] * len(records)), self._rng(draw), self.parameters)

    def successive(self, records: Sequence[int], draw: int) -> list[Total]:
        """Three steps with one generator; it is copied by its saved state before the third, as a resumed run does."""
        rng = self._rng(draw)
        found = []
        for place in range(3):
            rng = copy.deepcopy(rng) if place == 2 else rng
            found.append(self._called(self.batch.taken(records, [1.0] * len(records)), rng, self.parameters))
        return found

    def _rng(self, draw: int) -> np.random.Generator:
        seed_global_generators(self._global_streams(draw))
        return self._streams(draw)

    def _called(self, batch: Any, rng: np.random.Generator, parameters: Any) -> Total:
        self.calls += 1
        given = independent_copy(parameters)
        with warnings.catch_warnings(), foreign_call(self.name, self.limit, allowed=ALLOWED):
            warnings.simplefilter("ignore")
            found = self.step(given, batch, rng)
        if found is None and self.returns == "parameters":
            found = given  # changed in place
        what = f"what {self.name} returned"
        if found is None:
            raise InputError(f"{self.name} returned nothing", allowed="the noisy sum, mean, or the new parameters")
        like = self.sizes if self.returns == "parameters" or self._called_before else None
        raw, self.sizes = vector(found, what=what, like=like)
        self._called_before = True
        self._told = max([self._told, *(unit(leaf) for _, leaf in leaves(found) if is_float(leaf))])
        if self._seen > FINEST:
            self._seen = min(self._seen, told_unit(raw))
        if self.returns == "sum":
            return Total(raw, float(np.linalg.norm(raw)))
        if self.returns == "mean":
            return Total(raw * self.batch_size, float(np.linalg.norm(raw)) * self.batch_size)
        before = vector(parameters, what="the parameters")[0]
        factor = self.batch_size / float(self.learning_rate or 1.0)
        return Total((before - raw) * factor, float(np.linalg.norm(raw) + np.linalg.norm(before)) * factor)

    def slack(self, *totals: Total, records: int = 1) -> float:
        """The rounding of a difference of these sums: an allowance, several times what one operation rounds."""
        held = sum(each.rounded for each in totals if np.isfinite(each.rounded))
        return self.unit * (8.0 * held + 4.0 * max(records, 1) * self.clip)
