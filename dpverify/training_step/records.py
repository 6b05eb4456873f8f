"""A batch whose records can be taken out, repeated, reordered and scaled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpverify.adapters.copies import independent_copy
from dpverify.core.errors import InputError
from dpverify.training_step.trees import array, is_float, leaves, rebuilt

FORMS = "an array whose first axis is the records, a tuple or dict of such arrays, or a list of records"


class TrainingBatch:
    """The user's records.

    Floating-point numbers are scaled: those of the first array (or part of a record), and of others that hold a number
    that is not whole, which labels do not.

    Parameters
    ----------
    given : object
        An array, a tuple or dict of arrays, or a list of records.

    Raises
    ------
    InputError
        For a batch of another form, and for fewer than two records.
    """

    def __init__(self, given: Any) -> None:
        self.listed = isinstance(given, list)
        self.given = given
        sizes = [(name, len(given) if self.listed else _rows(name, leaf)) for name, leaf in leaves(given)]
        if len({size for _, size in sizes}) > 1:
            told = ", ".join(f"{name}: {size}" for name, size in sizes)
            raise InputError(f"arrays of a batch with different numbers of records ({told})", allowed=FORMS)
        self.count = sizes[0][1] if sizes else 0
        if self.count < 2:
            raise InputError(f"a batch of {self.count} records", allowed="two records at least; eight or more are best")
        self.scaled = self._scaled()

    def _scaled(self) -> frozenset[str]:
        """The names of the leaves that are scaled."""
        parts: dict[str, list[Any]] = {}
        for record in self.given if self.listed else [self.given]:
            for name, leaf in leaves(record):
                parts.setdefault(name, []).append(leaf)
        return frozenset(
            name
            for place, (name, found) in enumerate(parts.items())
            if all(map(is_float, found)) and (place == 0 or any(np.any(array(each) % 1) for each in found))
        )

    def taken(self, records: Sequence[int], factors: Sequence[float]) -> Any:
        """Return a batch of these records in this order, each multiplied by its factor: all new objects."""
        if self.listed:
            return [self._scaled_record(*each) for each in zip(records, factors, strict=True)]
        places = np.asarray(records, dtype=np.int64)

        def rows(name: str, leaf: Any) -> Any:
            found = leaf[places]
            if name not in self.scaled or not len(places) or all(each == 1.0 for each in factors):
                return found
            return found * _column(found, factors)

        return rebuilt(self.given, rows)

    def _scaled_record(self, record: int, factor: float) -> Any:
        def scaled(name: str, leaf: Any) -> Any:
            return leaf * _like(leaf, factor) if name in self.scaled else leaf

        return rebuilt(independent_copy(self.given[record]), scaled)

    def finite(self, records: Sequence[int], factors: Sequence[float]) -> bool:
        """Tell whether these records, scaled, are finite in their own dtype."""
        with np.errstate(over="ignore", invalid="ignore"):
            held = [array(leaf) for _, leaf in leaves(self.taken(records, factors)) if is_float(leaf)]
            return all(bool(np.all(np.isfinite(each.astype(np.float64)))) for each in held)


def _rows(name: str, leaf: Any) -> int:
    shape = getattr(leaf, "shape", None)
    if not shape:
        raise InputError(f"a batch whose part {name or 'of records'} is a {type(leaf).__name__}", allowed=FORMS)
    return int(shape[0])


def _like(leaf: Any, factor: float) -> Any:
    """A factor that leaves the leaf's dtype as it is."""
    return leaf.dtype.type(factor) if isinstance(leaf, np.ndarray | np.generic) else factor


def _column(found: Any, factors: Sequence[float]) -> Any:
    """The factors as a column that multiplies rows, in the dtype of the rows."""
    if hasattr(found, "new_tensor"):
        return found.new_tensor(list(factors)).reshape(-1, *[1] * (found.ndim - 1))
    return np.asarray(factors).astype(found.dtype).reshape(-1, *[1] * (found.ndim - 1))
