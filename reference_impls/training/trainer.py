"""The base of every training algorithm: a subclass defines `run`; samples, transcripts and replays follow from it.

A subclass writes the algorithm once, as published, for any model: it takes all randomness from the tape and tells the
tape what it computes. From that come the result alone (`train`), the whole transcript (`transcript`), a replay with the
same draws on other data (`replay`), and samples (`sample`). Where sampling must be fast, a subclass adds a jitted
kernel that draws in the same order; its test compares the two on the same numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.subjects import Dataset
from dpverify.core.transcript import Transcript
from dpverify.datasets.table import Table
from dpverify.recording.tape import Tape
from dpverify.utility.calibrated_base import Checked
from reference_impls.models.model import Model

Float = NDArray[np.float64]


class Training(Checked, ABC):
    """An algorithm that turns records into a vector; its settings are checked by their annotations.

    Attributes
    ----------
    relation : str
        Neighbour relation that its claims hold for; empty where it claims nothing.
    """

    __slots__ = ()

    relation: str = ""  # a subclass sets it as a plain class attribute, or has it as a field

    @abstractmethod
    def run(self, dataset: Dataset, tape: Tape) -> Float:
        """One run with the tape's randomness: the result, shape (k,). Deterministic given the two."""

    def train(self, dataset: Dataset, *, rng: np.random.Generator) -> Float:
        """The result of one run, shape (k,), without a transcript."""
        return self.run(dataset, Tape.recording(rng, keep=False))

    def transcript(self, dataset: Dataset, *, rng: np.random.Generator) -> Transcript:
        """One run with everything it did."""
        tape = Tape.recording(rng)
        return tape.transcript(self.run(dataset, tape))

    def replay(self, dataset: Dataset, transcript: Transcript) -> Transcript:
        """The run on `dataset` with the transcript's draws; :class:`Tape` says what follows when they run out."""
        tape = Tape.replaying(transcript)
        return tape.transcript(self.run(dataset, tape))

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> NDArray[Any]:
        """Results of independent runs, float64, shape (size, k)."""
        tape = Tape.recording(rng, keep=False)
        return np.stack([self.run(dataset, tape) for _ in range(size)])


def table_for(model: Model, dataset: Dataset, *, columns: int | None = None) -> Table:
    """The data set as a table that the model can be trained on.

    Parameters
    ----------
    columns : int or None
        How many columns the table must have; None for any number.

    Raises
    ------
    InputError
        For anything else than a Table, for labels that are not the model's, for the wrong number of columns, and for
        no records.
    """
    if not isinstance(dataset, Table):
        raise InputError(f"a data set of type {type(dataset).__name__}", allowed="a Table of labelled records")
    if columns is not None and dataset.columns != columns:
        raise InputError(f"table {dataset.name!r} with {dataset.columns} columns", allowed=f"{columns} columns")
    if not dataset.rows:
        raise InputError(f"table {dataset.name!r} without records", allowed="at least one record")
    model.check(dataset)
    return dataset
