"""The rarest leak that counted draws could have shown: a search for each row, once, when its evidence is there."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from dpverify.core.evidence import Evidence
from dpverify.core.note import Telling
from dpverify.core.subjects import Guarantee, PrivacyGuarantee
from dpverify.stats.power import rarest_leak

_known: dict[tuple[str, int, float], float | None] = {}
"""By claim, draws a side and error probability: many rows of a suite have the same."""


def rarest_of(guarantee: Guarantee, evidence: Iterable[Evidence]) -> float | None:
    """The rarest event whose leak the draws could detect; None where no event was counted, or none could be found."""
    return Telling()("the rarest leak", partial(rarest_detectable, guarantee, evidence), None)


def rarest_detectable(guarantee: Guarantee, evidence: Iterable[Evidence]) -> float | None:
    """Return `rarest_of` by the first evidence of equally many draws a side; InputError for counts that are none."""
    if not isinstance(guarantee, PrivacyGuarantee):
        return None
    for item in evidence:
        trials, alpha = item.statistics.get("n1"), item.statistics.get("alpha")
        if item.confidence is None or not isinstance(trials, int) or not isinstance(alpha, float):
            continue
        if trials == item.statistics.get("n2"):
            looks = [(trials, alpha)]
            match item.statistics.get("rarest_by"):  # the gate's second look
                case [int(more), float(level)] if more > 0 and 0.0 < level < 1.0:
                    looks.append((more, level))
            found = [least for each in looks if (least := _rarest_leak(guarantee, *each)) is not None]
            return min(found, default=None)
    return None


def _rarest_leak(guarantee: PrivacyGuarantee, trials: int, alpha: float) -> float | None:
    asked = guarantee.text(), trials, alpha
    if asked not in _known:
        _known[asked] = rarest_leak(guarantee, trials, alpha=alpha)
    return _known[asked]
