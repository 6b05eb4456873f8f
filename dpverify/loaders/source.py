"""Reads passes over somebody's loader; whatever goes wrong in it is one line.

A loader is a torch ``DataLoader`` (Opacus's, too), a batch sampler, a list of batches, a generator function, or a
function that makes any of these. Of a ``DataLoader`` the batch sampler is read, which is what its batches are made of;
one over ``range(n)`` is iterated itself. What can be iterated again is kept, and iterated for each pass; a function
that gives a generator is called for each pass. Where an endless one is cut every so many batches, it is read on.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpverify.adapters.foreign_call import foreign_call
from dpverify.adapters.named_callable import load_callable
from dpverify.adapters.time_limit import TimeLimit
from dpverify.core.errors import InputError, one_line
from dpverify.frontier.trainer import SEEDS, imported, seed_global_generators
from dpverify.loaders.observed import Integer, Observed

MOST_BATCHES, MOST_INCLUSIONS = 2_000_000, 30_000_000
"""Of one pass: what goes on longer is taken for endless."""

MOST_RECORDS = 20_000_000
BATCHES = "batches of record numbers 0 .. n - 1: lists or arrays of whole numbers, or boolean masks of length n"
FORMS = "a DataLoader, a batch sampler, a list of batches, a generator function, or a function that makes one of them"


@dataclass(kw_only=True)
class LoaderSource:
    """A loader that is read pass by pass."""

    subject: Any
    """The loader, or the function that makes it."""
    name: str
    """For messages."""
    records: int | None
    """n; None where the loader says it."""
    cut: int | None
    """Batches of a pass, where the loader does not end by itself."""
    rng: np.random.Generator
    """Seeds the global generators once, and is given to functions that have a parameter ``rng`` or ``seed``."""
    limit: TimeLimit
    """Of one pass; entered by the caller."""
    notes: list[str] = field(default_factory=list)
    _kept: Any = None
    _running: Iterator[Any] | None = None
    _passes: int = 0

    def one_pass(self) -> Observed:
        """Read one pass.

        Raises
        ------
        InputError
            For a loader that raises, hangs, does not end, is empty, or gives anything but batches of record numbers.
        """
        if not self._passes:
            seed_global_generators(self.rng)
        self._passes += 1
        batches: list[Integer] = []

        def where() -> str:
            return f" in batch {len(batches) + 1} of pass {self._passes}" if batches else " before its first batch"

        with foreign_call(self.name, self.limit, allowed=FORMS, where=where):
            self._read(batches)
        if not batches:
            raise InputError(f"{self.name} gave no batch in pass {self._passes}", allowed="one batch or more a pass")
        flat = np.concatenate(batches)
        sizes = np.array([each.size for each in batches], dtype=np.int64)
        assert self.records is not None
        return Observed(records=self.records, passes=1, steps=sizes.size, flat=flat, sizes=sizes)

    def _read(self, batches: list[Integer]) -> None:
        inclusions = 0
        for given in self._iterator():
            batches.append(self._indices(given, len(batches) + 1))
            inclusions += batches[-1].size
            if self.cut is not None and len(batches) == self.cut:
                return
            if len(batches) >= MOST_BATCHES or inclusions > MOST_INCLUSIONS:
                raise InputError(
                    f"{self.name} had not ended after {len(batches)} batches of {inclusions} records",
                    allowed="passes that end, or an endless loader that is cut",
                    remedy="say where: --batches-per-epoch 100 (in Python batches_per_epoch)",
                )
        if self.cut is not None:
            raise InputError(
                f"{self.name} ended after {len(batches)} batches of pass {self._passes}, before {self.cut}",
                allowed="batches-per-epoch where a loader is endless, or has so many",
            )

    def _iterator(self) -> Iterator[Any]:
        if self._running is not None:
            return self._running
        again: Iterator[Any]
        found = self._kept
        if found is None:
            found = self._made()
            again = iter(_checked(found, self.name))
            self._settle()
            if again is not found:
                self._kept = found
            elif self.cut is not None:
                self._running = again
            elif not _makes(self.subject):
                raise InputError(
                    f"{self.name} is a {type(found).__name__}, which can be read only once",
                    allowed=FORMS,
                    remedy="pass the function that makes it",
                )
            return again
        again = iter(found)
        return again

    def _made(self) -> Any:
        """Return the iterable: the loader, what its function gives, or a DataLoader's batch sampler."""
        found = self.subject
        if _makes(found):
            found = found(**self._arguments(found))
        sampler, dataset = getattr(found, "batch_sampler", None), getattr(found, "dataset", None)
        if dataset is None:
            return found
        if self.records is None:
            self.records = _length(dataset)
        if sampler is None or isinstance(dataset, range):
            return found
        if not self.notes:
            self.notes.append(
                f"read from the batch sampler of a {type(found).__name__}; its data set and collate were not run"
            )
        return sampler

    def _arguments(self, function: Any) -> dict[str, Any]:
        try:
            parameters = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):
            return {}
        given: dict[str, Any] = {}
        for each in parameters:
            if each.name == "rng":
                given["rng"] = self.rng
            elif each.name in SEEDS:
                given[each.name] = int(self.rng.integers(2**31 - 1))
            elif each.name == "epoch":
                given["epoch"] = self._passes - 1
            elif each.default is each.empty and each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY):
                raise InputError(
                    f"{self.name} needs {each.name}",
                    allowed="a function of nothing, or of rng, seed or epoch",
                    remedy=f"bind the rest: functools.partial({self.name}, ...)",
                )
        return given

    def _settle(self) -> None:
        """The number of records, where it was not given."""
        if self.records is None:
            raise InputError(
                f"{self.name} does not say how many records there are",
                allowed="the number of records of the data set",
                remedy="pass --records N (in Python records=N)",
            )
        if not 1 <= self.records <= MOST_RECORDS:
            raise InputError(f"{self.records} records", allowed=f"1 to {MOST_RECORDS}")

    def _indices(self, batch: Any, number: int) -> Integer:
        """A batch's records as int64."""
        assert self.records is not None
        if isinstance(batch, list | tuple) and len(batch) == 1 and np.ndim(_plain(batch[0])) == 1:
            batch = batch[0]
        where = f"batch {number} of pass {self._passes} of {self.name}"
        try:
            found = np.asarray(_plain(batch))
        except (TypeError, ValueError) as problem:
            raise InputError(f"{where} is no array: {one_line(str(problem))}", allowed=BATCHES) from None
        if found.ndim == 0 and found.dtype.kind in "iu":
            raise InputError(
                f"{where} is the single number {found}, not a batch",
                allowed=BATCHES,
                remedy="pass the batch sampler (torch.utils.data.BatchSampler) or the DataLoader",
            )
        if found.size == 0 and found.dtype.kind in "iufb":
            return np.zeros(0, dtype=np.int64)
        if found.dtype.kind == "b" and found.shape == (self.records,):
            return np.flatnonzero(found).astype(np.int64)
        if found.ndim == 2 and found.shape[1] == 1:
            found = found[:, 0]
        if found.ndim != 1 or found.dtype.kind not in "iu":
            raise InputError(
                f"{where} is a {type(batch).__name__} of shape {found.shape} and type {found.dtype}",
                allowed=BATCHES,
                remedy="let it load range(n), or give the sampler alone",
            )
        if found.min() < 0 or found.max() >= self.records:
            wrong = int(found.min() if found.min() < 0 else found.max())
            raise InputError(
                f"{where} has record {wrong} of {self.records} records",
                allowed=f"numbers from 0 to {self.records - 1}",
                remedy="" if wrong < 0 else "pass the number of records of the whole data set",
            )
        return found.astype(np.int64)


class PassLimit(TimeLimit):
    """A `TimeLimit` of each pass alone."""

    def __init__(self, seconds: float) -> None:
        super().__init__(per_call=seconds)

    def too_long(self, name: str) -> InputError:
        """Refuse in the words of this command."""
        return InputError(
            f"one pass over {name} ran longer than its limit of {self.per_call:g} s (--max-seconds-per-epoch)",
            allowed="passes that end in time",
            remedy="if it is endless, say where a pass ends: --batches-per-epoch 100 (in Python batches_per_epoch)",
        )


def load_loader(text: str) -> Any:
    """Import ``package.module:name``: anything; errors as for `load_callable`."""
    try:
        return load_callable(text)
    except InputError as problem:
        found = imported(text)
        if not hasattr(found, "__iter__"):
            raise InputError(
                problem.what.replace("mechanism ", "loader ", 1),
                allowed=problem.allowed.replace("CALLABLE", "LOADER").replace("noisy_sum", "loader"),
                remedy=problem.remedy,
            ) from problem
        return found


def _makes(subject: Any) -> bool:
    """Tell whether it is a function or class that makes a loader."""
    return callable(subject) and (isinstance(subject, type) or not hasattr(subject, "__iter__"))


def _checked(found: Any, name: str) -> Any:
    if isinstance(found, str | bytes | dict) or not hasattr(found, "__iter__"):
        raise InputError(f"{name} gave a {type(found).__name__}", allowed=FORMS)
    return found


def _plain(value: Any) -> Any:
    """A torch tensor as an array."""
    return value.detach().cpu().numpy() if hasattr(value, "detach") else value


def _length(dataset: Any) -> int | None:
    try:
        return len(dataset)
    except TypeError:
        return None
