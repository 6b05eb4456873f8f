"""Splits of a data set into a training and a test part: independent ones by named streams, and given ones.

Every repetition has a split of its own, which all arms share. Repetitions are independent given the table; folds of one
cross-validation are not (Nadeau and Bengio 2003), so there are none here.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any

import numpy as np

from dpverify.core.errors import InputError
from dpverify.sampling.streams import stream

KEPT = 3
"""Splits that a process keeps: a part of Adult is 48 MB."""

_turn = threading.Lock()
_parts: OrderedDict[tuple[Any, ...], tuple[Any, tuple[Any, Any]]] = OrderedDict()


def split(whole: Any, share: float, *, seed: int, name: str, repetition: int) -> tuple[Any, Any]:
    """(training part, test part) of one repetition: a uniform random division, the same for the same arguments.

    Parameters
    ----------
    whole : Table or Sessions
        With `take(indices)`, and a number of records (or sessions).
    share : float
        Of the records in the test part, in (0, 1); rounded to a whole number of at least one on each side.
    name : str
        Of the data set: its streams.
    """
    key = (id(whole), share, seed, name, repetition)
    with _turn:
        if key in _parts:
            _parts.move_to_end(key)
            return _parts[key][1]
    count = units(whole)
    held = min(max(round(share * count), 1), count - 1)
    if count < 2:
        raise InputError(f"a data set {name!r} of {count} records to split", allowed="at least two")
    order = stream(seed, "utility", "split", name, repetition).permutation(count)
    found = whole.take(np.sort(order[held:])), whole.take(np.sort(order[:held]))
    with _turn:
        _parts[key] = whole, found  # kept with it, so that its id is no other's while this is here
        while len(_parts) > KEPT:
            _parts.popitem(last=False)
    return found


def units(whole: Any) -> int:
    """Return how many records (of a table) or sessions a data set has."""
    return int(whole.rows if hasattr(whole, "rows") else whole.count)


def part(whole: Any, count: int, *, seed: int, name: str, repetition: int) -> Any:
    """A random part of so many records, the smaller one within the larger; InputError where there are fewer."""
    if count > units(whole):
        raise InputError(f"{count} records of a training part of {units(whole)}", allowed=f"at most {units(whole)}")
    order = stream(seed, "utility", "part", name, repetition).permutation(units(whole))
    return whole.take(np.sort(order[:count]))
