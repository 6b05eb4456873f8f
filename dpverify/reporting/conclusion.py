"""The first sentence of a report: how many claims are false, and as far as this audit could see what of the others."""

from __future__ import annotations

import math
from collections.abc import Sequence

from dpverify.core.record import Record
from dpverify.reporting.formatting import accepted_among, bound_text, known_broken, sampled, verdict_words
from dpverify.reporting.row_notes import outside_line, row_notes
from dpverify.runner.verdict_strength import IDEAL, IF_ALL_SHOWS, proof_line, proof_of

Records = Sequence[Record]


def conclusion(records: Records) -> str:
    """One or two sentences; claims that were expected to fall are counted apart."""
    ours = [item for item in records if not known_broken(item)]
    broken = [item for item in records if known_broken(item)]
    parts = [_of(ours)] if ours else []
    if broken:
        found = sum(item["verdict"] == "refuted" for item in broken)
        which = "it" if len(broken) == 1 else "all" if found == len(broken) else f"{found} of them"
        were = "was" if len(broken) == 1 or found == 1 else "were"
        refuted = "refuted" if found or len(broken) > 1 else "not refuted"
        parts.append(
            f"{_claims(len(broken))} known to be false {'was' if len(broken) == 1 else 'were'} audited, too: "
            f"{which} {were} {refuted}."
        )
    return " ".join(parts) or "No claim was audited."


def _of(records: Records) -> str:
    by = {
        name: [item for item in records if item["verdict"] == name] for name in ("refuted", "certified", "not_refuted")
    }
    if len(records) == 1:
        if line := outside_line(records[0]):
            return f"The claim is {line}."
        left = "; it was not audited on data on which the mechanism raised" if _raised(records[0]) else ""
        weak = "Weak: " if verdict_words(records[0]).startswith("weak") else ""
        return {
            "refuted": f"The claim is false{accepted_among(records)}.",
            "certified": _certified(records[0]),
            "not_refuted": f"{weak}No violation of the claim was found{_seen(by['not_refuted'])}{left}.",
        }.get(records[0]["verdict"], f"Nothing can be said of the claim{accepted_among(records)}.")
    undecided = [item for item in records if item["verdict"] not in by]
    rest = len(undecided)
    false, proved, stands = len(by["refuted"]), len(by["certified"]), len(by["not_refuted"])
    total = _claims(len(records))
    told = []
    if false:
        told.append(f"{false} of {total} {_are(false)} false{accepted_among(by['refuted'])}")
    if proved:
        code = sum(proof_of(item) is not None for item in by["certified"])
        law = f"for {'its' if proved == 1 else 'their'} stated law"
        some = f"{law}, {code} of them from the code ({IDEAL})" if code else law
        by_what = some if code < proved else f"from the code ({IDEAL})"
        told.append(f"{proved} {'' if told else f'of {total} '}{_are(proved)} certified {by_what}")
    if stands:
        of = f"the {total}" if stands == len(records) else f"{stands} of {total}"
        first = f"for {stands} no violation was found" if told else f"No violation of {of} was found"
        told.append(f"{first}{_seen(by['not_refuted'])}")
    if rest:
        said = f"for {rest} nothing can be said" if told else f"Nothing can be said of the {total}"
        told.append(said + accepted_among(undecided))
    raised = sum(map(_raised, records))
    if raised:
        told.append(
            f"{raised} of all {'was' if raised == 1 else 'were'} not audited on data on which the mechanism raised"
        )
    if beyond := sum(bool(outside_line(item)) for item in records):
        told.append(f"{beyond} of all {_are(beyond)} false unless records lie in the ranges that the example shows")
    return "; ".join(told) + "."


def _certified(item: Record) -> str:
    """Say what was proved of one claim, and what its audit shows from below."""
    proof = proof_of(item)
    if proof is None:
        return "The claim is certified for the stated law, on all pairs of its relation."
    below = (
        f"; the audit beside it shows {item['measure']} {bound_text(item, at_least='>= ')}" if item["method"] else ""
    )
    return f"The claim is certified: {proof_line(proof)}{below}."


def _seen(records: Records) -> str:
    """Say how far a claim had to be exceeded to be found with 80 % power, for the least sensitive of these audits."""
    times = [each for each in map(_times, records) if each is not None]
    known, blind = [each for each in times if math.isfinite(each)], sum(map(math.isinf, times))
    told = []
    if known:
        of = "" if len(known) == len(records) else f", of the {len(known)} that say so,"
        audit = "this audit" if len(records) == 1 else f"the least sensitive of these audits{of}"
        told.append(f"{audit} would have caught {max(known):.3g} times what is claimed with 80 % power, {IF_ALL_SHOWS}")
    if blind:
        told.append(f"{blind} could have caught nothing at the event that was counted")
    exact = sum(item.get("error") is not None for item in records)
    if exact:
        told.append(f"{'it' if len(records) == 1 else exact} by exact computation, at the pairs that were visited")
    return f" ({'; '.join(told)})" if told else ""


def _times(item: Record) -> float | None:
    """Smallest value that the row's draws would have caught, over the claimed one; None without draws."""
    part = None if item.get("confidence") is not None else sampled(item)
    if part is None and item.get("confidence") is None:
        return None
    seen = item.get("detectable") if part is None else part.get("detectable")
    claimed = item.get("claimed") if part is None else part["measure"]["claimed"]
    seen = math.inf if seen == "inf" else seen
    if not isinstance(seen, int | float) or not isinstance(claimed, int | float) or claimed <= 0:
        return None
    return float(seen) / float(claimed)


def _raised(item: Record) -> bool:
    """Tell whether the mechanism raised on data of the search, which was left out."""
    return any(label == "raised" for label, _ in row_notes(item))


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _claims(count: int) -> str:
    return f"{count} claim{'' if count == 1 else 's'}"
