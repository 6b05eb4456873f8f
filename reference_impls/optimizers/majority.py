"""Majority: every record gets the label that most records have (BLSGD, section V-C; DISS, section 3.6.3).

The lowest sensible accuracy in the papers' plots. As published it is exact, not private: a record that breaks a tie
decides the label.

Not to be confused with a private choice of the label (report noisy max over the counts).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from dpverify.recording.tape import Tape
from reference_impls.models.model import ModelText, find_model
from reference_impls.training.trainer import Training, table_for

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Majority(Training):
    """Subject ``majority``. Data set: a table. Result: the label, shape (1,).

    Attributes
    ----------
    model : str
        The records must have the labels of this model.
    """

    model: ModelText = "logistic"

    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """The most frequent label (the smallest of equally frequent ones); draws nothing."""
        labels, counts = np.unique(table_for(find_model(self.model), dataset).labels, return_counts=True)
        return np.asarray(labels[[counts.argmax()]])


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("majority", Majority)
