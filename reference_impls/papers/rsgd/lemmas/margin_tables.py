"""Data sets of one feature, given as margins, and trainings on them: labels and features of records are multiplied.

Under a loss of z = y x w alone, a record (x, y) is its margin z = y x, so a table of one column is a vector of margins.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.rules import OneOf
from dpverify.core.subjects import Dataset
from dpverify.datasets.table import Table
from dpverify.definitions.rdp import RDP

EPSILON = 1.0
"""The Renyi epsilon that trainings on margins claim."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginTraining(Checked, ABC):
    """Base of trainings on margins in [-1, 1], under their own claim of (order, EPSILON)-RDP.

    Attributes
    ----------
    kind : "published" or "repaired"
        Which sensitivity the noise is scaled to.
    epochs, batch_size, initial_step, l2
        As the algorithm has them.
    """

    order: ClassVar[float]
    kind: Annotated[str, OneOf(("published", "repaired"))] = "published"
    epochs: int = 2
    batch_size: int = 4
    initial_step: float = 1.0
    l2: float = 0.001

    def validate(self) -> None:
        """What the algorithm refuses is refused when the subject is made."""
        self.algorithm()

    @abstractmethod
    def algorithm(self) -> Any:
        """The algorithm at the claimed order and epsilon."""

    def settings(self) -> dict[str, Any]:
        """What the algorithm is built with."""
        return {
            "model": "huber-svm",
            "epochs": self.epochs,
            "batch_size": self.batch_size,
            "initial_step": self.initial_step,
            "l2": self.l2,
            "order": self.order,
            "epsilon": EPSILON,
        }

    def guarantee(self) -> RDP:
        """The guarantee that the training claims."""
        return RDP(order=self.order, epsilon=EPSILON)


def margin_table(dataset: Dataset, *, turned: bool = False) -> Table:
    """The margins as records with label 1, read from the end where `turned`.

    Raises
    ------
    InputError
        For anything else than numbers in [-1, 1], shape (n,), n >= 1.
    """
    margins = np.asarray(dataset, dtype=np.float64)
    if margins.ndim != 1 or not margins.size or not (np.abs(margins) <= 1.0).all():
        raise InputError("a data set that is no vector of margins", allowed="numbers in [-1, 1], shape (n,), n >= 1")
    return Table(features=(margins[::-1] if turned else margins)[:, None], labels=np.ones(margins.size))
