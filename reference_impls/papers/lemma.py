"""What all lemmas here share: the worse of several numbers, a proved quotient of two sides, and the shape of a claim.

A lemma is claimed over a box of its own parameters, under the relation ``numbers``: there are no data sets. Which
neighbour relation it speaks of stands in its statement.
"""

from __future__ import annotations

from collections.abc import Iterable

import flint

from dpverify.core.measure import Enclosed, Measure
from dpverify.core.rules import Between
from dpverify.core.subjects import Encloses, LawPair
from dpverify.laws.balls import enclosed_ball

TINY, HUGE = 1e-300, 1e6
"""Ends of ranges that mean "above 0" and "finite": no lemma here is looked at beyond."""


def checked(subject: object, **ranges: tuple[float, float]) -> None:
    """InputError unless each of the subject's parameters named lies in its closed range."""
    for name, ends in ranges.items():
        Between(*ends).checked(f"{type(subject).__name__}: {name}", getattr(subject, name))


def worst(found: Iterable[Enclosed]) -> Enclosed:
    """The largest of several numbers, with what their errors leave unsure below and above."""
    several = list(found)
    value = max(each.value for each in several)
    low, high = max(each.lower for each in several), max(each.upper for each in several)
    return Enclosed(value=value, error=max(value - low, high - value, 0.0) if low < high else 0.0)


def ball(found: Enclosed) -> flint.arb:
    """A proved enclosure as a ball again."""
    return flint.arb(found.value, found.error)


def proved_renyi(pairs: Iterable[LawPair], order: float) -> flint.arb | None:
    """The largest Renyi divergence of several pairs as a ball; None when one of them has no finite enclosure.

    Both sides hold: a lemma's printed side is made of it too, and there its upper end decides.
    """
    found = flint.arb(0)
    for pair in pairs:
        measure = Measure(kind="renyi", argument=order, claimed=0.0)
        proof = pair.enclosure(measure) if isinstance(pair, Encloses) else None
        if proof is None or not proof.proved or not flint.arb(proof.value).is_finite():
            return None
        found = found.max(ball(proof))
    return found


def quotient(truth: flint.arb | None, printed: flint.arb | None) -> Enclosed | None:
    """truth / printed, proved; None when either is missing or the balls are too wide to divide."""
    if truth is None or printed is None or not printed > 0:
        return None
    return enclosed_ball(truth / printed)
