"""Named random streams: a seed and a list of names, never an order, decide which numbers come out.

What it is: the seed and the names (claim, auditor, side, chunk ...) are written down unambiguously, hashed
with SHA-256, and the digest seeds a PCG64 generator through :class:`numpy.random.SeedSequence`. So a run
gives the same numbers with any number of workers, in any order, and after a resume.

Rests on: SHA-256 behaving as a random function on distinct names (two streams share a start with probability
about 2**-128 a pair, the width of SeedSequence's pool), and on NumPy's stream-compatibility promise for
SeedSequence and PCG64's raw words. :class:`numpy.random.Generator`'s *methods* (``standard_normal`` ...)
carry no such promise across NumPy versions.

Limits: the numbers are for verification, not for release; anyone who knows the seed and the names knows the
noise.

Not to be confused with ``SeedSequence.spawn``, whose children are numbered in the order in which they were
asked for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import TypeAlias

import numpy as np
from numpy.random import PCG64, Generator, SeedSequence
from numpy.typing import NDArray

from dpverify.core.errors import InputError

State: TypeAlias = tuple[np.uint64, np.uint64, np.uint64, np.uint64]
"""The 256-bit state of :mod:`dpverify.sampling.xoshiro`: four words, not all zero."""

_DOMAIN = b"dpverify stream 1"  # a change of the encoding below gets a new number: old seeds must not half-work
_WORDS = 4


def stream(seed: int, *names: str | int) -> np.random.Generator:
    """Return the generator that belongs to `seed` and `names`, freshly started.

    Parameters
    ----------
    seed : int
        Non-negative, of any size. NumPy integers are taken; bools and floats are not.
    *names : str or int
        What the stream is for. Typed and length-prefixed: ``("a", "bc")``, ``("ab", "c")``, ``("1",)`` and
        ``(1,)`` are four different streams. Integers may be negative.

    Returns
    -------
    numpy.random.Generator
        Over PCG64. Every call makes a new object.

    Raises
    ------
    InputError
        If the seed is not a non-negative integer, or a name is neither a string nor an integer.

    Examples
    --------
    >>> from dpverify.sampling.streams import stream
    >>> bool(stream(0, "claim", 1).random() == stream(0, "claim", 1).random())
    True
    """
    return _started(_named(seed, *names))


def streams(seed: int, *names: str | int) -> Callable[[str | int], np.random.Generator]:
    """``streams(seed, *names)(last)`` is ``stream(seed, *names, last)``, in less time for many last names."""
    common = _named(seed, *names)

    def ending(last: str | int) -> np.random.Generator:
        digest = common.copy()
        digest.update(_encode(last))
        return _started(digest)

    return ending


def _named(seed: int, *names: str | int) -> hashlib._Hash:
    number = _integer(seed)
    if number is None or number < 0:
        raise InputError(
            f"seed {seed!r} of type {type(seed).__name__}",
            allowed="a non-negative integer",
            remedy="pass for example seed=0; to tell streams apart add names, not signs",
        )
    digest = hashlib.sha256(_DOMAIN + _field(b"seed", f"{number:x}"))
    for name in names:
        digest.update(_encode(name))
    return digest


def _started(digest: hashlib._Hash) -> np.random.Generator:
    return Generator(PCG64(SeedSequence(int.from_bytes(digest.digest(), "big"))))


def state_from(rng: np.random.Generator) -> State:
    """Draw a starting state for the jitted samplers from a generator.

    Parameters
    ----------
    rng : numpy.random.Generator
        Advanced by four 64-bit draws (eight or more with probability 2**-256).

    Returns
    -------
    tuple of four numpy.uint64
        Uniform over all states but the all-zero one, which xoshiro can never leave and which is therefore
        drawn again.

    Raises
    ------
    InputError
        If `rng` is not a :class:`numpy.random.Generator`.
    """
    if not isinstance(rng, np.random.Generator):
        raise InputError(
            f"rng of type {type(rng).__name__}",
            allowed="a numpy.random.Generator",
            remedy="make one with dpverify.sampling.streams.stream(seed, name)",
        )
    while True:
        words = _four_words(rng)
        if words.any():
            return as_state(words)


def _four_words(rng: np.random.Generator) -> NDArray[np.uint64]:
    if type(rng) is Generator and type(bits := rng.bit_generator) is PCG64:
        return bits.random_raw(_WORDS)  # the same words as below, in an eighth of the time
    return rng.integers(0, 2**64, size=_WORDS, dtype=np.uint64)


def as_state(words: Iterable[int | np.uint64]) -> State:
    """Turn four words back into a state that jitted code takes.

    Numba hands unsigned words back to Python as plain ints, and would take a plain int below 2**63 for a
    *signed* word: the samplers refuse that with a typing error. So Python code that chains calls writes
    ``state = as_state(fill_normal(out, *state))``; code that stays inside one kernel never needs this.

    Parameters
    ----------
    words : iterable of four int
        Each in [0, 2**64), not all zero.

    Returns
    -------
    tuple of four numpy.uint64

    Raises
    ------
    InputError
        If there are not four words, one is out of range, or all are zero.
    """
    numbers = [int(word) for word in words]
    if len(numbers) != _WORDS or not all(0 <= number < 2**64 for number in numbers) or not any(numbers):
        raise InputError(
            f"generator state {numbers}",
            allowed="four integers in [0, 2**64), not all zero",
            remedy="draw one with state_from(rng)",
        )
    s0, s1, s2, s3 = (np.uint64(number) for number in numbers)
    return s0, s1, s2, s3


def _integer(value: object) -> int | None:
    """Return the value as a plain int, or None for anything that only looks like one (a bool, a float)."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return int(value)
    return None


def _encode(name: str | int) -> bytes:
    if isinstance(name, str):
        return _field(b"text", name)
    number = _integer(name)
    if number is None:
        raise InputError(
            f"stream name {name!r} of type {type(name).__name__}",
            allowed="strings and integers",
            remedy="spell it as a string",
        )
    return _field(b"int", f"{number:x}")


def _field(kind: bytes, text: str) -> bytes:
    payload = text.encode("utf-8", "surrogatepass")
    return b"%s:%d:%s" % (kind, len(payload), payload)
