"""Proved numbers as lemmas use them: the worst of several, a quotient of two sides, a Renyi divergence."""

from __future__ import annotations

from collections.abc import Iterable

import flint

from dpverify.core.errors import AuditError
from dpverify.core.evidence import Enclosed, Measure
from dpverify.core.subjects import Encloses, LawPair
from dpverify.laws.balls import enclosed_ball


def worst(found: Iterable[Enclosed]) -> Enclosed:
    """The largest of several numbers, with what their errors leave unsure below and above."""
    several = list(found)
    value = max(each.value for each in several)
    low, high = max(each.lower for each in several), max(each.upper for each in several)
    return Enclosed(value=value, error=max(value - low, high - value, 0.0) if low < high else 0.0)


def finite(number: flint.arb) -> Enclosed:
    """A ball as an enclosure.

    Raises
    ------
    AuditError
        When the ball is not finite: then the side cannot be computed at these parameters.
    """
    enclosed = enclosed_ball(number)
    if enclosed is None:
        raise AuditError("a number that no ball could hold at the working precision")
    return enclosed


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
