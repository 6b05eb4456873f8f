"""An attacker's chances against a row: what its claim allows at most beside what was shown, as values and as cells."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from dpverify.core.errors import DpverifyError
from dpverify.core.plugins import registry
from dpverify.core.record import Record
from dpverify.core.subjects import PrivacyGuarantee
from dpverify.definitions.grammar import parse_guarantee
from dpverify.reporting.formatting import percent_down, percent_up
from dpverify.runner.record import plain
from dpverify.runner.row_risk import claimed_risk, shown_risk
from dpverify.shown.rounded import rounded_bound
from dpverify.stats.attacker import PRIOR

HEADINGS = ("an attacker", "the claim allows at most", "was shown, at least")


def row_risk(item: Record) -> dict[str, Any] | None:
    """``prior``, ``claim`` (upper limits) and ``shown`` (lower limits or None); None where nothing is claimed of it."""
    claim = risk_of_claim(item["guarantee"])
    return {"prior": PRIOR, "claim": claim, "shown": shown_risk(item["evidence"])} if claim else None


def with_risk(item: Record) -> Record:
    """The record with its ``risk``, where a privacy guarantee is claimed."""
    found = row_risk(item)
    return {**item, "risk": plain(found)} if found else item


@lru_cache(maxsize=256)
def risk_of_claim(guarantee: str) -> dict[str, Any] | None:
    """Read a claim from its text, for its upper limits; None where it is no privacy guarantee."""
    found = guarantee_of(guarantee)
    return None if found is None else claimed_risk(found)


@lru_cache(maxsize=256)
def guarantee_of(text: str) -> PrivacyGuarantee | None:
    """The privacy guarantee of this text; None where it is none, or unknown here."""
    try:
        found = parse_guarantee(text, registry().definitions.mapping())
    except DpverifyError:
        return None
    return found if isinstance(found, PrivacyGuarantee) else None


def risk_rows(item: Record) -> list[tuple[str, str, str]]:
    """Cells below `HEADINGS`; none where nothing was shown: a line says what the claim allows."""
    told = row_risk(item)
    if told is None or told["shown"] is None:
        return []
    claim, shown, prior = told["claim"], told["shown"], percent_up(told["prior"])
    rows = []
    for rate in claim["power"]:
        at = f"{percent_up(float(rate))} false positives"
        limits = percent_up(claim["power"][rate]), percent_down(shown["power"][rate])
        rows.append((f"true positives at {at}", *limits))
    for rate in claim["posterior"]:
        at = f"{percent_up(float(rate))} false positives"
        limits = percent_up(claim["posterior"][rate]), percent_down(shown["posterior"][rate])
        rows.append((f"a suspicion of {prior} after an alarm at {at}", *limits))
    rows.append(
        (f"a suspicion of {prior} after the event that was found", "", percent_down(shown["posterior_of_event"]))
    )
    for rate, most in claim["reconstruction"].items():
        rows.append((f"reconstructs a secret guessed in {percent_up(float(rate))} of the cases", percent_up(most), ""))
    rows.append(("advantage", percent_up(claim["advantage"]), percent_down(shown["advantage"])))
    mu = rounded_bound(claim["mu"], up=True), rounded_bound(shown["mu"], up=False)
    return [*rows, ("mu of the Gaussian pair with that advantage", *mu)]


def risk_line(item: Record) -> str:
    """The most telling of the cells in one line; empty where nothing was shown."""
    told = row_risk(item)
    if told is None or told["shown"] is None:
        return ""
    claim, shown, rate = told["claim"], told["shown"], next(iter(told["claim"]["power"]))
    return (
        f"an attacker with {percent_up(float(rate))} false positives finds at least "
        f"{percent_down(shown['power'][rate])} of the members (claim: at most {percent_up(claim['power'][rate])}); "
        f"advantage at least {percent_down(shown['advantage'])} (at most {percent_up(claim['advantage'])}); the event "
        f"turns a suspicion of {percent_up(told['prior'])} into at least {percent_down(shown['posterior_of_event'])}"
    )
