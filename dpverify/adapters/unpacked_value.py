"""One value that a mechanism returned, unpacked: its kind, its numbers and labels, and the values inside it.

Readers of scalars, containers, arrays and tables all return this class; `output_structure` traverses it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_NUMBERS = 10**6
"""In one output: an audit keeps hundreds of them."""

Atoms = Sequence[Any] | NDArray[np.float64]
"""Floats, which stand for themselves, and labels, of which only equality counts."""


@dataclass(frozen=True, slots=True)
class Unpacked:
    """An unpacked value.

    Attributes
    ----------
    kind : str
        Its type, and everything about its form that is not in the numbers: lengths, keys, dtypes.
    atoms : sequence of float or label
        Its direct numbers and labels.
    inside : sequence of (str, object)
        Contained values, each with its place.
    wraps : object
        The single value that it wraps, at the same place; None otherwise.
    """

    kind: str
    atoms: Atoms = ()
    inside: Sequence[tuple[str, Any]] = ()
    wraps: Any = None


class CannotReadError(Exception):
    """A value cannot be encoded completely; says why, and what the author may do."""

    def __init__(self, why: str, remedy: str) -> None:
        super().__init__(why)
        self.why, self.remedy = why, remedy


class TooManyError(CannotReadError):
    """An output of more than `MOST_NUMBERS` numbers or parts."""

    def __init__(self, count: int) -> None:
        super().__init__(f"of which the {count} parts are more than {MOST_NUMBERS}", "return fewer, or a summary")


def stable_hash(parts: Iterable[Any]) -> int:
    """48 bits of a hash of the parts, the same in every process: 0 <= hash < 2^48."""
    digest = hashlib.blake2b(digest_size=6)
    for part in parts:
        digest.update(part.tobytes() if isinstance(part, np.ndarray) else repr(part).encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return int.from_bytes(digest.digest(), "big")
