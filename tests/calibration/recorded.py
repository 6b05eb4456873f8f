"""A boundary subject that is a program: it is run under a recorder, one run after another, and in no other way."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dpverify.adapters.callable_mechanism import CallableMechanism
from dpverify.core.subjects import HasTranscript


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A program that adds noise of scale 1 to each answer, to be run under a recorder and in no other way.

    Attributes
    ----------
    kind : str
        ``normal`` or ``laplace``. The log-ratio of the latter has atoms, which the rounding of doubles splits
        differently on the two sides: a claim about it is true for auditors that do not tell such losses apart.
    """

    kind: str = "normal"
    power: float = 1.0

    def recorded(self) -> HasTranscript:
        """Itself, recorded."""
        return CallableMechanism(partial(noisy_answers, scale=self.power, kind=self.kind)).recorded()


def noisy_answers(
    dataset: NDArray[np.float64], rng: np.random.Generator, scale: float = 1.0, kind: str = "normal"
) -> NDArray[np.float64]:
    """The program."""
    answers = np.asarray(dataset, dtype=np.float64)
    draw = rng.laplace if kind == "laplace" else rng.normal
    return answers + draw(scale=scale, size=answers.shape)
