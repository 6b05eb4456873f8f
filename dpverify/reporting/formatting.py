"""How numbers, measures and verdicts are written for people: one place, so that every report says the same."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

from dpverify.core.evidence import Measure
from dpverify.core.note import note_of
from dpverify.core.plugins import registry
from dpverify.core.record import EvidenceRecord, Record, as_number
from dpverify.runner import verdict_strength
from dpverify.runner.verdict_strength import CERTIFIED
from dpverify.shown.view import WORDS

VERDICTS = WORDS

MEANING = {
    "refuted": "A witness shows that the claim is false as stated.",
    "certified": CERTIFIED,
    "not_refuted": "This budget found no violation; smaller ones than the stated one may exist.",
    "inconclusive": "Nothing may be concluded: the audit saw too little, was stopped, or what it saw is no proof.",
    "unsupported": "None of the methods that were asked for can examine this claim.",
    "error": "The audit could not be completed.",
}


WITNESS_CHARACTERS = 1500


def verdict_words(item: Record, notes: Sequence[str] | None = None) -> str:
    """The verdict of a record, with what must stand before it: ``weak, not refuted``."""
    leading: Mapping[str, Any] = next(iter(item.get("evidence", ())), {})
    said = leading.get("statistics", {})
    beside = map(note_of, item.get("notes") or () if notes is None else notes)
    return (
        verdict_strength.before_verdict(item["verdict"], said, item.get("detectable"), beside)
        + VERDICTS[item["verdict"]]
    )


def number(value: Any, digits: int = 4) -> str:
    """A number for a table; a dash for none, the infinity sign for an infinite one."""
    if value is None:
        return "-"
    if value in ("inf", float("inf")):
        return "∞"
    if isinstance(value, str):
        return value
    return f"{value:.{digits}g}"


def number_down(value: Any, digits: int = 4) -> str:
    """A lower bound as text, rounded down so that it is still a bound."""
    if isinstance(value, float | int) and math.isfinite(value):
        # The shortest decimal of the double, so that 0.1 stays 0.1.
        value = float(Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(Decimal(repr(float(value)))))
    return number(value, digits)


def bound_text(item: Record, digits: int = 4, *, at_least: str = "≥ ") -> str:
    """A record's bound such as ``≥ 0.98``; ``> 1`` where it exceeds the claim by less than its digits show."""
    told = number_down(item["bound"], digits)
    hidden = item["verdict"] == "refuted" and told == number_down(item["claimed"], digits)
    return f"{at_least.replace('>=', '≥').replace('≥', '>') if hidden else at_least}{told}"


def count(value: int) -> str:
    """A number of trials in short, such as 1M or 250k."""
    for size, sign in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if value >= size:
            return f"{value / size:.3g}{sign}"
    return str(value) if value else "-"


def part_of_claim(item: Record) -> Any:
    """The bound divided by the claimed value; None where both are 0."""
    return None if item["claimed"] == 0 and item["tightness"] == 1.0 else item["tightness"]


def confidence_text(item: Record | EvidenceRecord | Mapping[str, Any]) -> str:
    """The confidence of the bound, or its numerical error and whether that is proved."""
    if (sure := item.get("confidence")) is not None:
        return f"confidence 1 - {1 - sure:.2g}"
    if item.get("error") is not None:
        return f"error {number(item['error'], 2)} ({'proved' if item['proved'] else 'estimated'})"
    return "-"


def witness_parameter(item: Record) -> str:
    """Text such as `` at budget = 0.5`` where claimed numbers are proportional to a searched parameter; else empty.

    It gives the parameter's value at the witness: the record's claimed number is the one there, not that of the
    guarantee.
    """
    name = (item.get("space") or {}).get("proportional")
    value = ((item.get("witness") or {}).get("parameters") or {}).get(name) if name else None
    return "" if value is None else f" at {name} = {number(value, 5)}"


def sampled(item: Record) -> Mapping[str, Any] | None:
    """The sampling beside exact evidence that leads the row; None where nothing was sampled, or sampling leads."""
    if item.get("error") is None:
        return None
    return next((part for part in item.get("evidence", ()) if part.get("confidence") is not None), None)


def draws(item: Record) -> int:
    """Draws a side of the leading evidence, or of the sampling beside it."""
    return int((sampled(item) or item)["trials"])


def no_difference_text(item: Record) -> str:
    """Text such as "but 200k draws a side showed no difference between the two data sets"; empty if they did.

    This is the case where the tested event was not more likely on either side.
    """
    part: Mapping[str, Any] = next(iter(item.get("evidence", ())), {})
    said = part.get("statistics") or {}
    names = ("k1", "n1", "k2", "n2", "alpha")
    share = (said.get("region") or {}).get("share")
    if item["verdict"] != "not_refuted" or part.get("confidence") is None or not said.keys() >= {*names} or not share:
        return ""
    from dpverify.stats.joint import JointRegion, refutes

    apart = refutes(JointRegion(**{name: said[name] for name in names}, share=share), lambda q: q)
    return "" if apart else f"but {count(part['trials'])} draws a side showed no difference between the two data sets"


def limits(item: Record) -> str:
    """One sentence on what this audit could not have detected; empty when the claim is refuted.

    Exact evidence is about the law; the limits of the draws, which test the sampler, are added.
    """
    if item["verdict"] not in ("not_refuted", "certified"):
        return ""
    parts, beside = _certified_of(item), sampled(item)
    if item.get("detectable") is not None and item["verdict"] == "not_refuted":
        assumed = f", {detectable_assumption(item)}" if detectable_assumption(item) else ""
        weak = " (more than it could certify: too few trials, or an event of little power)" if _beyond(item) else ""
        if item.get("confidence") is not None or item["detectable"] in ("inf", float("inf")):
            parts += verdict_strength.caught(item["measure"], item["detectable"], assumed=assumed + weak)
        else:
            told = f"would have detected {item['measure']} ≥ {number(item['detectable'])} at the points it visited"
            parts.append(f"{told}{assumed}{weak}")
    rarest = _rarest(item)
    parts += [] if beside is not None else rarest
    parts += single_values(item)
    if item.get("ceiling") is not None and item["verdict"] == "not_refuted":
        parts.append(f"could certify at most {number(item['ceiling'])}")
    if beside is not None:
        parts += [_caught(beside), *rarest]
    return "; ".join(parts)


def _certified_of(item: Record) -> list[str]:
    """Say what is certified, and how far draws bear out that the code follows the law that it states."""
    said = item["evidence"][0]["statistics"] if item["verdict"] == "certified" and item.get("evidence") else {}
    compared = said.get("sampler")
    if not compared:
        return []
    told = f"is of the stated law, on all {said.get('pairs', '')} pairs"
    if isinstance(compared, str):
        return [f"{told}; {compared}"]
    finds = f"another output in {number(compared.get('finds'))} of the runs would have been found with 80 % power"
    drawn = f"{count(compared.get('draws', 0))} draws on each of {compared.get('inputs', 0)} inputs"
    return [f"{told}; {drawn} follow it: {finds}"]


def _rarest(item: Record) -> list[str]:
    """The probability that is too small for the draws, as a list of one text; empty without counts."""
    if item.get("rarest") is None or item["verdict"] != "not_refuted":
        return []
    return [f"these draws cannot detect a leak of probability below {number(item['rarest'], 2)}"]


def single_values(item: Record) -> list[str]:
    """Lines on exact values that occurred on one side only."""
    leading: Mapping[str, Any] = next(iter(item.get("evidence", ())), {})
    found = leading.get("statistics", {}).get("single_values")
    if not found:
        return []
    often = f"{found['seen']} times in {count(found['of'])} draws"
    told = f"{found['event']} occurred {often} on one side and never on the other"
    if found["would_take"] is None:
        return [f"{told}: too rare for these trials to decide; raise --trials"]
    return [f"{told}, and {count(found['would_take'])} fresh draws a side did not confirm a difference"]


def _beyond(item: Record) -> bool:
    """Tell whether the smallest detectable value exceeds the ceiling."""
    ceiling = item.get("ceiling")
    sampled_it = item.get("confidence") is not None
    return sampled_it and isinstance(ceiling, int | float) and as_number(item["detectable"]) > ceiling


def detectable_assumption(item: Record) -> str:
    """The assumption of the leading evidence's smallest detectable value; empty for none."""
    leading: Mapping[str, Any] = next(iter(item.get("evidence", ())), {})
    return str(leading.get("statistics", {}).get("detectable_rests_on") or "")


def _caught(part: Mapping[str, Any]) -> str:
    made = f"sampled with {count(part['trials'])} draws a side: "
    least = part.get("detectable")
    if least is None:
        return made + "the smallest detectable value is not known"
    if least in ("inf", float("inf")):
        return made + "could not have detected anything at the tested event"
    measure = Measure(kind=part["measure"]["kind"], argument=part["measure"]["argument"], claimed=0.0)
    caught = f"{measure.label()} ≥ {number(least)}"
    return made + f"would have detected {caught} with 80 % power, if all of it shows at the tested event"


def tally(records: Sequence[Record]) -> str:
    """Counts of verdicts, such as ``12 refuted (1 of them accepted until 2026-12-31), 30 not refuted``."""
    found: dict[str, list[Record]] = {name: [] for name in VERDICTS}
    for item in records:
        found[item["verdict"]].append(item)
    return ", ".join(f"{len(rows)} {VERDICTS[name]}{accepted_among(rows)}" for name, rows in found.items() if rows)


def tally_apart(records: Sequence[Record]) -> str:
    """``3 claims: 1 refuted, 2 not refuted; 2 known to be false: 2 refuted``; empty without rows."""
    ours = [item for item in records if not known_broken(item)]
    broken = [item for item in records if known_broken(item)]
    told = [f"{len(ours)} claim{'' if len(ours) == 1 else 's'}: {tally(ours)}"] if ours else []
    return "; ".join(told + ([f"{len(broken)} known to be false: {tally(broken)}"] if broken else []))


def known_broken(item: Record) -> bool:
    """Tell whether the claim was expected to fall."""
    return item.get("expectation") == "broken"


def false_alarms(records: Iterable[Record]) -> str:
    """One sentence with the probability that any of these rows refutes a true claim; empty without draws.

    It is the union bound: the sum over the statistical evidence of each audit's whole error probability, rounded up.
    """
    risks = [
        whole_level(part) for item in records for part in item.get("evidence", ()) if part.get("confidence") is not None
    ]
    if not risks:
        return ""
    # A confidence has at most sixteen digits, so its complement is rounded up to the digits that it has.
    rate = float(Context(prec=2, rounding=ROUND_CEILING).create_decimal(Decimal(f"{sum(risks):.8e}")))
    many = f"{len(risks)} statistical audit{'' if len(risks) == 1 else 's'}"
    if rate >= 1:
        return f"Up to {rate:.2g} false alarms are to be expected among these rows ({many})."
    return f"False-alarm probability of these rows together: at most {rate:.2g} ({many})."


def whole_level(part: Mapping[str, Any]) -> float:
    """The error probability that an audit was given: of all of its steps, and of the saved failures tried first.

    Records of the gate's version 1 have the deciding step's confidence; there the steps that were made are added up.
    """
    said = part.get("statistics") or {}
    steps = [step.get("level") for step in said.get("steps") or () if isinstance(step, Mapping)]
    levels = [1.0 - float(part["confidence"]), sum(each for each in steps if isinstance(each, int | float))]
    more = said.get("level_with_replays")
    return max([*levels, *([float(more)] if isinstance(more, int | float) else [])])


def short_json(value: Any) -> str:
    """A value as JSON on one line, cut if it is long."""
    text = json.dumps(value, ensure_ascii=False)
    if len(text) <= WITNESS_CHARACTERS:
        return text
    return f"{text[:WITNESS_CHARACTERS]} ... ({len(text)} characters in all: the JSON record has the whole)"


def short_relation(name: str) -> str:
    """The three-letter name of a relation, if it has one; see `relation_legend`."""
    known = registry().relations
    return known.get(name).short or name if name in known else name


def relation_legend(records: Sequence[Record]) -> str:
    """The legend of short names of relations, such as ``A/R add-remove, ALL all-queries``."""
    used = {item["relation"] for item in records}
    short_names = [(each.name, each.short) for each in registry().relations.in_order()]
    return ", ".join(f"{short} {name}" for name, short in short_names if name in used and short)


def percent_up(rate: float) -> str:
    """An upper limit such as ``2.72 %``."""
    if rate >= 0.99995:
        return "100 %"
    return f"{100 * math.ceil(rate / _unit(rate) - 1e-9) * _unit(rate):.4g} %"


def percent_down(rate: float) -> str:
    """Round a lower limit down."""
    return f"{100 * math.floor(rate / _unit(rate) + 1e-9) * _unit(rate):.4g} %"


def _unit(rate: float) -> float:
    return float(10.0 ** (math.floor(math.log10(rate)) - 2)) if rate > 0 else 1.0


_IN_REASON = re.compile(r"(?:^|; )accepted until (\d{4}-\d\d-\d\d): ")
"""In records of earlier versions the reason alone says it."""


def accepted_until(item: Record) -> str:
    """The last day on which the row's failure is accepted, such as ``2026-12-31``; empty where it is not."""
    accepted = item.get("accepted")
    if accepted:
        return str(accepted["until"])
    found = _IN_REASON.search(item.get("reason") or "")
    return found[1] if found else ""


def accepted_among(records: Sequence[Record]) -> str:
    """`` (2 of them accepted until 2026-12-31)``, with a blank before it; empty where none is accepted."""
    days = [day for day in map(accepted_until, records) if day]
    if not days:
        return ""
    first, last = min(days), max(days)
    until = f"until {first}" if first == last else f"until days from {first} to {last}"
    many = "" if len(records) == 1 else "all of them " if len(days) == len(records) else f"{len(days)} of them "
    return f" ({many}accepted {until})"
