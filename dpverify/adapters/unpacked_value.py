"""One value that a mechanism returned, unpacked: its kind, its numbers and labels, and the values inside it.

Readers of scalars, containers, arrays and tables all answer with this one form; `structure` walks it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Atoms = Sequence[Any] | NDArray[np.float64]
"""Floats, which stand for themselves, and labels, of which only equality counts."""


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A value opened.

    Attributes
    ----------
    kind : str
        Its type and all of its form that no number below says: lengths, keys, dtypes.
    atoms : sequence of float or label
        What it holds itself.
    inside : sequence of (str, object)
        Values inside it, each with its place.
    wraps : object
        The one value that it is a shell around, in its own place; None where it is none.
    """

    kind: str
    atoms: Atoms = ()
    inside: Sequence[tuple[str, Any]] = ()
    wraps: Any = None


class CannotReadError(Exception):
    """Why a value cannot be encoded whole, and what its author may do."""

    def __init__(self, why: str, remedy: str) -> None:
        super().__init__(why)
        self.why, self.remedy = why, remedy


def stable_hash(parts: Iterable[Any]) -> int:
    """48 bits of a hash of the parts, the same in every process: 0 <= hash < 2^48."""
    digest = hashlib.blake2b(digest_size=6)
    for part in parts:
        digest.update(part.tobytes() if isinstance(part, np.ndarray) else repr(part).encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return int.from_bytes(digest.digest(), "big")
