"""A subject of the calibration whose draws were made already: others for every audit, as its pair is asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpverify.core.claim import SearchSpace
from dpverify.core.recorded_draws import RecordedDraws, choosing_of, draws_for
from dpverify.core.subjects import Pair
from dpverify.datasets.neighbors.fixed_pair import FixedPair
from dpverify.sampling.streams import stream

_audit = [0]
"""The number of this process's audit: the one thing that an audit with streams of its own gives a pair is its rng."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Handed:
    """Laplace noise on 0 and on 1 that was drawn already: so many draws count."""

    power: float = 1.0
    counting: int = 1

    def sized(self, trials: int) -> Handed:
        """With as many draws as there are trials."""
        return replace(self, counting=trials)

    def recorded_draws(self) -> RecordedDraws:
        """Those of this audit."""
        rng, total = stream(_audit[0], "handed"), draws_for(self.counting)
        first, second = (side + self.power * rng.laplace(size=total) for side in (1.0, 0.0))
        cut = choosing_of(total)
        return RecordedDraws(choosing=(first[:cut], second[:cut]), counting=(first[cut:], second[cut:]))


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedPair(FixedPair):
    """The pair, and with it other draws."""

    def candidates(self, space: SearchSpace, *, limit: int, rng: np.random.Generator) -> list[Pair]:
        """The one pair."""
        _audit[0] = int(rng.integers(2**31))
        return FixedPair.candidates(self, space, limit=limit, rng=rng)


def handed_pair() -> Any:
    """0 and 1."""
    return HandedPair(d0=0.0, d1=1.0, relation="value")
