"""What algorithms on ranking sessions have in common: checks of the data set, and the step sizes of DISS section 6.6.3.

"A linear decrease every 100 iterations" leaves the amount open. Here the step size falls by equal amounts every 100
steps, so that one more decrease would lead to 0: for 400 steps it is eta_0, then 3/4, 1/2 and 1/4 of it.
"""

from __future__ import annotations

from typing import ClassVar

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.printed_samples import WithoutReplacementStep
from dpverify.core.composition import Composition
from dpverify.core.errors import InputError
from dpverify.core.subjects import Dataset
from dpverify.datasets.sessions import Sessions
from reference_impls.training.trainer import Training

EVERY = 100
"""Steps between two decreases of the step size."""


class SessionTraining(Training):
    """An algorithm that turns ranking sessions into the weights of a scoring function."""

    __slots__ = ()
    relation = "labels"
    data_kind: ClassVar[str] = "ranking"


def sessions_for(dataset: Dataset, batch: int) -> Sessions:
    """The data set as ranking sessions, at least `batch` of them, with labels >= 0.

    Raises
    ------
    InputError
        For anything else than Sessions, for a negative label, and for fewer sessions than a batch has.
    """
    if not isinstance(dataset, Sessions):
        raise InputError(f"a data set of type {type(dataset).__name__}", allowed="Sessions of documents with labels")
    if dataset.count < batch:
        raise InputError(
            f"batches of {batch} from {dataset.count} sessions of {dataset.name!r}",
            allowed=f"batch <= {dataset.count}" if dataset.count else "at least one session",
        )
    dataset.need_labels()
    return dataset


def decreasing_step(initial: float, step: int, steps: int) -> float:
    """The step size at `step`, from 0 to steps - 1."""
    return initial * (1.0 - (step // EVERY) / -(-steps // EVERY))


def sampled_gaussian(*, sessions: int, batch: int, noise_multiplier: float, steps: int) -> Composition:
    """The text's account: Gaussian noise at sensitivity 1 on `batch` of `sessions` sessions, by DISS Lemma 2.3."""
    if not 0 < batch <= sessions:
        raise InputError(f"batches of {batch} from {sessions} sessions", allowed="1 <= batch <= sessions")
    step = WithoutReplacementStep(q=batch / sessions, step=GaussianStep(sigma=noise_multiplier))
    return Composition.repeat(step, steps)
