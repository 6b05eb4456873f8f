"""Stochastic descent on a listwise objective: BayesRank, ListNet, ListMLE, without privacy and clipped (DISS 6.6.2).

The private baselines clip a session's gradient at C, add N(0, (sigma C)^2 I) to the sum over the batch, and take a
step. "Clip and perturb the sum of mini-batch gradient" may also mean that the sum is clipped: ``clipped="sum"``.

**The flaw.** The captions give these baselines PrivBR's epsilon at the same sigma, that is sensitivity C. But when the
labels of a session change its clipped gradient moves from one point of the ball of radius C to another, by up to 2 C
(two documents, preference reversed: two opposite gradients); so it does in the reading that clips the sum. Subjects
``dp-...`` believe C, as accounted; subjects ``dp-...-repaired`` scale the noise to 2 C (`believed` = 2), which holds
for replacing a whole session too.

A gradient that is not finite is beyond C and adds nothing; without clipping it stays.

Steps, batches and step sizes as :mod:`reference_impls.ranking.privbr`; the text takes eta_0 = 0.1 for BayesRank and
ListNet, 0.01 for ListMLE. No spectral normalisation. The objective's gradient is the true one, so this descends.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dpverify.core.composition import Composition
from dpverify.core.errors import InputError
from dpverify.core.subjects import Dataset
from dpverify.datasets.sessions import Sessions
from dpverify.recording.tape import Tape
from reference_impls.ranking.objectives.objective import find_objective
from reference_impls.ranking.prefix_gradients import objective_gradient
from reference_impls.ranking.scorers.linear import row_lengths
from reference_impls.ranking.scorers.scorer import Scorer, find_scorer
from reference_impls.ranking.session_training import SessionTraining, sampled_gaussian, sessions_for, stepped
from reference_impls.training.settings import need_clip, need_count, need_non_negative, need_positive

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

Float = NDArray[np.float64]
Integer = NDArray[np.int64]
CLIPPED = ("session", "sum")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListwiseSgd(SessionTraining):
    """Subjects ``bayesrank``, ``listnet``, ``listmle``, ``dp-...`` and ``dp-...-repaired``.

    Data set: ranking sessions. Result: the last weights, shape (dimension,).

    Attributes
    ----------
    objective, scorer : str
        Texts, see :func:`~reference_impls.ranking.objectives.objective.find_objective` and
        :func:`~reference_impls.ranking.scorers.scorer.find_scorer`.
    k : int
        Places that the objective looks at (ListMLE: none of its business).
    steps, batch : int
        T, and sessions a step, drawn without replacement.
    step_size : float
        eta_0.
    clip : float
        C, in L2; inf for none (then `noise_multiplier` must be 0).
    clipped : "session" or "sum"
        What is clipped.
    noise_multiplier : float
        sigma. 0 for none.
    believed : float
        What a change of one session moves the sum by, in units of C: the noise has standard deviation sigma times that.
    """

    objective: str = "bayesrank"
    scorer: str = "mlp:256"
    k: int = 1
    steps: int = 400
    batch: int = 10
    step_size: float = 0.1
    clip: float = math.inf
    clipped: str = "session"
    noise_multiplier: float = 0.0
    believed: float = 1.0

    def __post_init__(self) -> None:
        find_objective(self.objective)
        find_scorer(self.scorer)
        need_count(self, "k", "steps", "batch")
        need_positive(self, "step_size", "believed")
        need_clip(self, "clip")
        need_non_negative(self, "noise_multiplier")
        if self.clipped not in CLIPPED:
            raise InputError(f"clipped = {self.clipped!r}", allowed=" or ".join(CLIPPED))
        if self.noise_multiplier:
            need_positive(self, "clip")  # noise needs a finite sensitivity

    @property
    def noise_scale(self) -> float:
        """Standard deviation of a coordinate's noise."""
        return self.noise_multiplier * self.believed * self.clip if self.noise_multiplier else 0.0

    def composition(self, sessions: int) -> Composition:
        """What the captions of Figures 6.1 and 6.2 account for with so many training sessions (see BR-CLIP)."""
        return sampled_gaussian(
            sessions=sessions, batch=self.batch, noise_multiplier=self.noise_multiplier, steps=self.steps
        )

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The loop."""
        scorer = find_scorer(self.scorer)
        sessions = sessions_for(dataset, self.batch)
        weights = scorer.start(sessions.columns, tape)
        tape.iterate(weights)
        for step in range(self.steps):
            batch = tape.subset("batch", sessions.count, self.batch)
            clean = self.gradient(scorer, weights, sessions, batch)
            noisy = tape.perturb(
                "gradient", clean, law="gaussian", scale=self.noise_scale, sensitivity=self.believed * self.clip
            )
            step_size = stepped(self.step_size, step, self.steps)
            weights = weights - step_size * noisy
            tape.publish("step-size", step_size)
            tape.iterate(weights)
        return weights

    def gradient(self, scorer: Scorer, weights: Float, sessions: Sessions, batch: Integer) -> Float:
        """The sum over the batch, clipped, shape (dimension,)."""
        objective = find_objective(self.objective)
        total = np.zeros(weights.size)
        for j in batch.tolist():
            documents, labels = sessions.documents_of(j), sessions.labels_of(j)
            one = objective_gradient(objective, scorer, weights, documents, labels, self.k)
            total += _within(one, self.clip) if self.clipped == "session" else one
        return total if self.clipped == "session" else _within(total, self.clip)


def _within(gradient: Float, clip: float) -> Float:
    if math.isinf(clip):
        return gradient
    if not np.isfinite(gradient).all():
        return np.zeros_like(gradient)  # beyond C, in no direction that it tells
    length = float(row_lengths(gradient[None, :])[0])
    return gradient * (clip / length) if length > clip else gradient


def register(registry: Registry) -> None:
    """Register each objective without privacy, clipped as published, and clipped with the repaired noise."""
    for objective, step_size in (("bayesrank", 0.1), ("listnet", 0.1), ("listmle", 0.01)):
        plain: Callable[..., ListwiseSgd] = partial(ListwiseSgd, objective=objective, step_size=step_size)
        clipped = partial(plain, clip=1.0, noise_multiplier=1.5)
        registry.mechanisms.add(objective, plain)
        registry.mechanisms.add(f"dp-{objective}", clipped)
        registry.mechanisms.add(f"dp-{objective}-repaired", partial(clipped, believed=2.0))
