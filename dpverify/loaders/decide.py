"""Holds what was read against each scheme, at one error probability each.

All tests of a scheme share it by Bonferroni; which of them failed is told by Holm's steps. The loader follows one
scheme at most, so the probability that the true one is ruled out is that of one scheme.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpverify.loaders.observed import Observed
from dpverify.loaders.scheme import Scheme
from dpverify.loaders.scheme_test import KINDS, RATE, SchemeTest

SPARE = 0.05
"""Part of the error that limits of unknown numbers may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """The result of the tests of one scheme.

    Attributes
    ----------
    scheme : Scheme
    text : str
        With its numbers.
    tests : int
        How many there were.
    p : float
        Of the scheme: the smallest p-value times the number of tests, and what the limits took; at most 1.
    failed : tuple of SchemeTest
        Those below their level, the strongest of each kind first.
    """

    scheme: Scheme
    text: str
    tests: int
    p: float
    failed: tuple[SchemeTest, ...]

    @property
    def ruled_out(self) -> bool:
        """Tell whether the scheme is refuted."""
        return bool(self.failed)


def held_against(scheme: Scheme, seen: Observed, pilot: Observed, *, alpha: float) -> Held:
    """Test one scheme at error probability `alpha`."""
    spare = SPARE * alpha
    tests = sorted(scheme.tests(seen, pilot, spare=spare), key=lambda each: each.p)
    failed = []
    for place, each in enumerate(tests):
        if each.p > (alpha - spare) / (len(tests) - place):
            break
        failed.append(each)
    least = tests[0].p if tests else 1.0
    p = min(1.0, least * len(tests) + spare) if least > 0 else 0.0
    kinds = {each.kind: each for each in reversed(failed)}
    places = {kind: place for place, kind in enumerate(KINDS)}  # a scheme may have kinds of its own
    strongest = sorted(kinds.values(), key=lambda each: (each.p > 0, places.get(each.kind, len(places))))
    return Held(scheme=scheme, text=scheme.text(seen), tests=len(tests), p=p, failed=tuple(strongest))


def deviations(held: Held, family: Held) -> tuple[SchemeTest, ...]:
    """Return what tells against a scheme: its own numbers, and what tells against its family with any numbers."""
    own = [each for each in held.failed if each.kind == RATE]
    if not own:
        return held.failed
    return (*own, *family.failed)


def level_of(tests: int, alpha: float) -> float:
    """The error probability of one of so many tests."""
    return (alpha - SPARE * alpha) / tests
