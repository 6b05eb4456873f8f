"""SGD on a listwise objective (BayesRank, ListNet, ListMLE), without privacy and as DP-SGD (DISS 6.6.2).

The private baselines clip a session's gradient at C, add N(0, (sigma C)^2 I) to the sum over the batch, and take a
step. "Clip and perturb the sum of mini-batch gradient" may also mean that the sum is clipped: ``clipped="sum"``.

**The flaw.** The captions give these baselines PrivBR's epsilon at the same sigma, which assumes sensitivity C. But
when the labels of a session change, its clipped gradient moves from one point of the ball of radius C to another, by up
to 2 C (two documents, preference reversed: two opposite gradients). The same holds where the sum is clipped. Subjects
``dp-...`` scale the noise to C, as accounted; subjects ``dp-...-repaired`` scale it to 2 C (`believed` = 2), which is
enough for replacing a whole session, too.

With clipping, a gradient that is not finite counts as zero; without clipping it stays.

Steps, batches and step sizes are those of :mod:`reference_impls.ranking.privbr`; the text takes eta_0 = 0.1 for
BayesRank and ListNet, 0.01 for ListMLE. There is no spectral normalisation. The objective's gradient has the right sign
here, so the objective falls.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from dpverify.core.composition import Composition
from dpverify.core.registry import Registry
from dpverify.core.rules import Count, NonNegative, OneOf, Positive
from dpverify.core.subjects import Dataset
from dpverify.datasets.sessions import Sessions
from dpverify.recording.tape import Tape
from reference_impls.ranking.objectives.objective import ObjectiveText, find_objective
from reference_impls.ranking.prefix_gradients import objective_gradient
from reference_impls.ranking.scorers.linear import row_lengths
from reference_impls.ranking.scorers.scorer import Scorer, ScorerText, find_scorer
from reference_impls.ranking.session_training import SessionTraining, decreasing_step, sampled_gaussian, sessions_for
from reference_impls.training.clipping import Clip, need_finite_clip

Float = NDArray[np.float64]
Integer = NDArray[np.int64]


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
        Number of first places that the objective depends on; ListMLE ignores it.
    steps, batch : int
        T, and the sessions of a step, drawn without replacement.
    step_size : float
        eta_0.
    clip : float
        C, in L2; inf for none (then `noise_multiplier` must be 0).
    clipped : "session" or "sum"
        Whether each session's gradient is clipped, or the sum over the batch.
    noise_multiplier : float
        sigma. 0 for none.
    believed : float
        How far one changed session is taken to move the sum, in units of C; the noise has standard deviation sigma
        times that.
    """

    objective: ObjectiveText = "bayesrank"
    scorer: ScorerText = "mlp:256"
    k: Count = 1
    steps: Count = 400
    batch: Count = 10
    step_size: Positive = 0.1
    clip: Clip = math.inf
    clipped: Annotated[str, OneOf(("session", "sum"))] = "session"
    noise_multiplier: NonNegative = 0.0
    believed: Positive = 1.0

    def validate(self) -> None:
        """Noise needs a finite clipping threshold."""
        if self.noise_multiplier:
            need_finite_clip(self)

    @property
    def noise_scale(self) -> float:
        """Standard deviation of a coordinate's noise."""
        return self.noise_multiplier * self.believed * self.clip if self.noise_multiplier else 0.0

    def composition(self, sessions: int) -> Composition:
        """The account of the captions of Figures 6.1 and 6.2, for this many training sessions (see BR-CLIP)."""
        return sampled_gaussian(
            sessions=sessions, batch=self.batch, noise_multiplier=self.noise_multiplier, steps=self.steps
        )

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The loop described above."""
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
            step_size = decreasing_step(self.step_size, step, self.steps)
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
        return np.zeros_like(gradient)  # it is longer than C, and its direction is unknown
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
