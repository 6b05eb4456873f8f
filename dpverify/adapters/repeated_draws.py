"""Detects draws that repeat between calls: no bound holds for draws that depend on one another.

Repeats of earlier draws, and within a batch, are detected at every call. Other dependence is tested (`dependence`) at
the first calls on each data set and at every call whose number is a power of two.
"""

from __future__ import annotations

import hashlib
from typing import Any

from dpverify.adapters.copies import equal
from dpverify.adapters.dependence import FEWEST, ROWS, dependence_between_calls, dependence_in_call
from dpverify.core.errors import InputError
from dpverify.core.subjects import Float

_WATCHED = FEWEST  # so many draws of continuous outputs never repeat by chance
_FIRST_CALLS = 4
_MOST_DATASETS = 4


class DependentError(InputError):
    """Draws that depend on each other; `how` describes the dependence."""

    def __init__(self, name: str, how: str) -> None:
        self.how = how
        super().__init__(
            f"{name} {how}: dependent draws",
            allowed="independent draws at each call, and within a batch",
            remedy="draw from the rng that it is given, once for each output, keep nothing, and do not seed inside",
        )


class _Known:
    """State of one data set: its first draws, their constant value if any, and the number of calls."""

    def __init__(self, dataset: Any, first: Float) -> None:
        self.dataset, self.first, self.calls = dataset, first[:ROWS].copy(), 0
        self.constant: Float | None = None


class RepeatedDrawsCheck:
    """Checks every sample of the callable `name`."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._seen: set[bytes] = set()
        self._known: list[_Known] = []

    def check(self, outputs: Float, dataset: Any) -> None:
        """Raise DependentError where draws repeat earlier ones, or depend on each other.

        Independent draws have one value 64 times and then another one 64 times with probability at most 2^-128.
        """
        first = outputs[:_WATCHED]
        if len(first) < _WATCHED:
            return
        known = self._on(outputs, dataset)
        different = len({row.tobytes() for row in first + 0.0})  # -0.0 becomes 0.0
        if different == 1:
            if known.constant is not None and (known.constant != first[0]).any():
                self._refuse(f"gave one value {_WATCHED} times, and then another one {_WATCHED} times")
            known.constant = first[0].copy()
        if different >= _WATCHED // 2:
            key = hashlib.sha256(first.tobytes()).digest()
            if key in self._seen:
                self._refuse(f"gave the same {_WATCHED} outputs twice")
            self._seen.add(key)
        known.calls += 1
        if known.calls <= _FIRST_CALLS or known.calls & (known.calls - 1) == 0:
            how = dependence_in_call(outputs) or (
                dependence_between_calls(known.first, outputs) if known.calls > 1 else ""
            )
            if how:
                self._refuse(f"gives draws that depend on one another ({how})")

    def _on(self, outputs: Float, dataset: Any) -> _Known:
        for known in self._known:
            if equal(known.dataset, dataset):
                return known
        known = _Known(dataset, outputs)
        if len(self._known) < _MOST_DATASETS:
            self._known.append(known)
        return known

    def _refuse(self, how: str) -> None:
        raise DependentError(self._name, how)
