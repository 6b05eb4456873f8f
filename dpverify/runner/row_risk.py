"""An attacker's chances against an audited row: what the claim allows at most, and what was shown to be reached.

The claim's side follows from its curve: power at false-positive rates, posterior of membership, reconstruction of a
secret that is guessed at such a rate, advantage, and the mu of the Gaussian pair with this advantage
(`dpverify.accounting.risk`). All are upper limits, if the claim is true.

The other side are lower limits at the confidence of the row's bound, from the first that the evidence has:

- rates: both error rates of the counted event;
- curve: the exact trade-off of the audited pair, less `SLACK`, for it is computed in doubles;
- bound: P(S) >= exp(epsilon) Q(S) + delta for some event S. Of its probability nothing is known, so that it shows no
  power where delta is 0; it shows what an alarm by S makes of the prior.

Nothing is shown of reconstruction: an event tells two data sets apart, it does not find a record.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dpverify.core.subjects import Float, PrivacyGuarantee
from dpverify.stats.attacker import (
    PRIOR,
    RATES,
    ROUNDING,
    Power,
    equivalent_mu,
    posterior,
    posterior_of_loss,
    power_of_excess,
    power_of_rates,
)

CANCELLED = 1e-15
"""What a power may lose where it is one less a rate."""
SLACK = 1e-9
"""Error of the doubles of an exact curve, generously."""
SMALLEST = 1e-6
"""No ratio of an exact curve is read at a smaller rate."""


def claimed_risk(found: PrivacyGuarantee) -> dict[str, Any]:
    """The upper limits, as plain values; rates are keys as texts. It takes up to two seconds for a sampled Gaussian."""
    rates = np.array(RATES)
    missed = np.minimum(*(np.asarray(found.tradeoff(rates, reverse=side)) for side in (False, True)))
    power = dict(zip(RATES, np.minimum((1.0 - missed) * (1.0 + ROUNDING) + CANCELLED, 1.0).tolist(), strict=True))
    advantage = max(float(np.asarray(found.delta(0.0, reverse=side))) for side in (False, True))
    return {
        **_by_rate(power, up=True),
        "reconstruction": {f"{rate:g}": each for rate, each in power.items()},
        "advantage": advantage,
        "mu": equivalent_mu(advantage, up=True),
    }


def shown_risk(evidence: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The lower limits that a record's evidence shows, as plain values; None where it shows nothing."""
    pictures = [part.get("picture") or {} for part in evidence]
    for rates in (each.get("rectangle") for each in pictures):
        fpr, missed = (rates.get(end) if isinstance(rates, dict) else None for end in ("fpr_high", "fnr_high"))
        if isinstance(fpr, float) and isinstance(missed, float) and 0.0 < fpr < 1.0 and 0.0 < missed < 1.0 - fpr:
            tpr = 1.0 - missed
            return _told("rates", power_of_rates(fpr, tpr), tpr - fpr, math.log(tpr / fpr))
    for curve in (_curve(each.get("exact")) for each in pictures):
        if curve is not None:
            return _of_curve(*curve)
    return _of_bound(evidence[0]) if evidence else None


def _curve(told: Any) -> tuple[Float, Float] | None:
    """Rates of a curve whose false-positive rates rise; None for anything else."""
    rates = [told.get(name) for name in ("alpha", "beta")] if isinstance(told, dict) else [None]
    if not all(isinstance(each, list) and all(type(one) in (int, float) for one in each) for each in rates):
        return None
    alpha, beta = (np.array(each, dtype=np.float64) for each in rates)
    whole = alpha.size == beta.size and np.any(alpha > SMALLEST) and np.all(np.diff(alpha) > 0)
    inside = all(np.all((each >= 0.0) & (each <= 1.0)) for each in (alpha, beta))
    return (alpha, beta) if whole and inside else None


def _of_curve(alpha: Float, beta: Float) -> dict[str, Any] | None:
    tpr, seen = 1.0 - beta - SLACK, alpha > SMALLEST
    loss = math.log(max(float(np.max(tpr[seen] / alpha[seen])), 1.0))
    return _told("curve", lambda rate: float(np.interp(rate, alpha, tpr)), float(np.max(tpr - alpha)), loss)


def _of_bound(part: Mapping[str, Any]) -> dict[str, Any] | None:
    measure, bound = part.get("measure") or {}, part.get("bound")
    kind, argument = measure.get("kind"), float(measure.get("argument") or 0.0)
    if kind not in ("epsilon", "delta") or bound is None or not float(bound) > 0.0:
        return None
    loss, delta = (float(bound), argument) if kind == "epsilon" else (argument, float(bound))
    if not (loss >= 0.0 and 0.0 <= delta <= 1.0):
        return None
    return _told("bound", power_of_excess(loss, delta), delta, loss)


def _told(source: str, power: Power, advantage: float, loss: float) -> dict[str, Any] | None:
    if loss <= 0.0 and advantage <= 0.0:
        return None
    least = max(advantage * (1.0 - ROUNDING), 0.0)
    return {
        "from": source,
        **_by_rate({rate: max(rate, power(rate)) for rate in RATES}, up=False),
        "posterior_of_event": posterior_of_loss(max(loss, 0.0), PRIOR),
        "advantage": least,
        "mu": equivalent_mu(least, up=False),
    }


def _by_rate(power: Mapping[float, float], *, up: bool) -> dict[str, dict[str, float]]:
    return {
        "power": {f"{rate:g}": each for rate, each in power.items()},
        "posterior": {f"{rate:g}": posterior(each, rate, PRIOR, up=up) for rate, each in power.items()},
    }
