"""Pages of experiments: a first page (what holds, what does not, what depends), and one for each figure or table.

All content is read from records; computed here are places in pictures, and Holm's adjustment over all statements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dpverify.core.record import Record, as_number
from dpverify.core.registry import Registry
from dpverify.reporting.templates import environment
from dpverify.reporting.utility_learned import learned
from dpverify.reporting.utility_panels import colours_of, lines_of, panel
from dpverify.reporting.utility_then import LEVEL, share, then_cell
from dpverify.runner.atomic_files import safe_name, write_atomically
from dpverify.utility.experiment import EVERY

FIRST = "utility.html"
FOLDER = "utility"
LEARNED = "learned.html"

Records = Mapping[str, Mapping[str, Any]]

DECIDED = ("confirmed", "refuted")
ORDER = ("confirmed", "refuted", "depends", "undecided", "unequal", "failed", "missing", "unmeasured")


def write_utility_pages(
    registry: Registry, experiments: Records, statements: Mapping[str, Record], folder: Path
) -> list[Path]:
    """Write the first page, what was learned, and one for each experiment that has a record; returns their paths."""
    shown = []
    for name, experiment in registry.experiments.items():
        kept = experiments.get(name)
        rows = [_row(each, statements.get(each.id), kept, share(registry)) for each in experiment.statements]
        for row in rows:
            item = statements.get(row["statement"].id)
            row["then"] = then_cell(registry, experiment, row["statement"], item, kept, WORDS)
        if kept is not None or any(row["outcome"] in ("failed", "missing") for row in rows):
            shown.append((experiment, kept, rows))
    _adjust([row for _, _, rows in shown for row in rows])
    designs = [experiment.design for _, experiment in registry.experiments.items()]
    colours = colours_of({arm.label: arm.price for arm in design.arms} for design in designs)
    template = environment()
    counts = Counter(row["outcome"] for _, _, rows in shown for row in rows)
    groups = [
        (outcome, WORDS[outcome], [(e, row) for e, _, rows in shown for row in rows if row["outcome"] == outcome])
        for outcome in ORDER
        if counts[outcome]
    ]
    told = learned([(experiment, kept) for experiment, kept, _ in shown if kept is not None])
    first = template.get_template("utility_first.html.jinja").render(
        groups=groups,
        counts=counts,
        words=WORDS,
        total=sum(counts.values()),
        href=_href,
        pages=[e for e, _, _ in shown],
        learned=f"{FOLDER}/{LEARNED}" if told["frontiers"] else "",
        data={experiment.name: _data(experiment, kept) for experiment, kept, _ in shown},
    )
    written = [write_atomically(folder / FIRST, first)]
    if told["frontiers"]:
        text = template.get_template("utility_learned.html.jinja").render(first=FIRST, href=_href, **told)
        written.append(write_atomically(folder / FOLDER / LEARNED, text))
    for experiment, kept, rows in shown:
        text = template.get_template("utility_item.html.jinja").render(
            experiment=experiment,
            kept=kept,
            rows=rows,
            panels=_panels(experiment, kept, colours) if kept else [],
            legend=_legend(kept, colours) if kept else [],
            unprinted=_unprinted(experiment),
            chosen=_chosen(kept) if kept else [],
            cut=cut_of(kept) if kept else "",
            trials=_trials(kept) if kept else "",
            lacking=experiment.needs | _missing(kept, rows),
            prices=_prices(kept) if kept else [],
            first=f"../{FIRST}",
        )
        written.append(write_atomically(folder / _href(experiment), text))
    return written


def _adjust(rows: Sequence[dict[str, Any]]) -> None:
    """Give each verdict on drawn numbers its p-value, adjusted by Holm over all verdicts of both columns.

    It needs statsmodels (``dpverify[utility]``); without it the pages leave these numbers out.
    """
    try:
        from statsmodels.stats.multitest import multipletests
    except ImportError:
        return
    drawn = [each for row in rows for each in (row, row["then"]) if each["p"] is not None]
    if drawn:
        adjusted = multipletests([row["p"] for row in drawn], alpha=LEVEL, method="holm")[1]
        for row, p in zip(drawn, adjusted, strict=True):
            row["adjusted"] = f"{p:.2g}" if row["p"] < 1.0 else ""


def _p(said: Mapping[str, Any], outcome: str) -> float | None:
    """The level of a verdict; 1 where there is none, None where the numbers are computed and not drawn."""
    if said.get("exact") or not said:
        return None
    return float(said.get("p", 1.0)) if outcome in DECIDED else 1.0


def _why(said: Mapping[str, Any], outcome: str) -> str:
    """Name the settings that take a verdict away, as a sentence."""
    words = str(said.get("vacuous", "")).removeprefix("depends: ") if outcome == "depends" else ""
    return words[:1].upper() + words[1:]


def _second(said: Mapping[str, Any]) -> str:
    """The outcome by the corrected resampled t, in words, where it is not the verdict."""
    other = said.get("corrected", "")
    return WORDS[other] if other and other != said["outcome"] and said["outcome"] in DECIDED else ""


def _href(experiment: Any) -> str:
    return f"{FOLDER}/{safe_name(experiment.name)}.html"


def _row(statement: Any, item: Record | None, kept: Mapping[str, Any] | None, level: float) -> dict[str, Any]:
    if item is None:
        return {
            "statement": statement,
            "outcome": "unmeasured",
            "word": WORDS["unmeasured"],
            "numbers": "",
            "worst": "",
            "failing": [],
            "narrow": [],
            "why": "",
            "moved": [],
            "look": "unmeasured",
            "p": None,
            "adjusted": "",
            "second": "",
            "provisional": False,
            "guarantee": "",
        }
    outcome = outcome_of(item)
    said = item["evidence"][0]["statistics"] if item["evidence"] else {}
    late = outcome in DECIDED and not said.get("exact") and said.get("p", 0.0) > level
    why = f"{WORDS[outcome].capitalize()} among one column only: p = {said['p']:.2g}" if late else _why(said, outcome)
    outcome = "undecided" if late else outcome
    return {
        "statement": statement,
        "outcome": outcome,
        "word": f"{WORDS[outcome]}{AGAINST if statement.against and outcome in WON else ''}",
        "look": "undecided" if statement.against and outcome in WON else outcome,
        "p": _p(said, outcome),
        "adjusted": "",
        "second": _second(said),
        "provisional": _is_provisional(outcome, kept),
        "numbers": numbers_of(item),
        "worst": said.get("worst", ""),
        "failing": list(said.get("failing", ())),
        "narrow": list(said.get("narrow", ())),
        "why": why,
        "moved": [
            (each["arm"], each["setting"], each["value"], (WORDS | RUINED)[each["outcome"]])
            for each in said.get("moved", ())
        ],
        "guarantee": _shorter(item["guarantee"]),
        "reproduce": item["reproduce"],
        "missing": dict(said.get("missing", {})),
    }


def _panels(experiment: Any, kept: Mapping[str, Any], colours: Mapping[str, str]) -> list[dict[str, object]]:
    """A panel for each data set and metric, arms in the order of the experiment."""
    prices = {label: each["price"] for label, each in kept["arms"].items()}
    found = []
    for data, arms in kept["curves"].items():
        for metric in experiment.design.metrics:
            curves = {label: arms[label].get(metric, []) for label in prices if label in arms}
            title = metric if data == "none" else f"{data}: {metric}"
            drawn = panel(title, lines_of(curves, prices, colours), x=experiment.x, y=metric, log_x=experiment.log_x)
            found += [drawn] if drawn else []
    return found


def _legend(kept: Mapping[str, Any], colours: Mapping[str, str]) -> list[Any]:
    prices = {label: each["price"] for label, each in kept["arms"].items()}
    return lines_of(dict.fromkeys(prices, ()), prices, colours)


def _unprinted(experiment: Any) -> list[tuple[str, str, str]]:
    """(setting and arm, the value used and those it is moved to, why) of what the paper does not print."""
    found = []
    for each in experiment.design.moved:
        whose = "all arms" if each.arm == EVERY else each.arm
        others = ", ".join(map(str, each.others))
        used = f"{each.used}; moved to {others}" if others else f"{each.used}; not moved"
        found.append((f"{each.setting} of {whose}", used, experiment.unprinted[f"{each.arm}: {each.setting}"]))
    return found


def _is_provisional(outcome: str, kept: Mapping[str, Any] | None) -> bool:
    """Tell whether a verdict rests on drawn numbers of the quick profile."""
    decided = outcome in ("confirmed", "refuted", "depends")
    return decided and kept is not None and kept["profile"] == "quick" and kept["repetitions"] > 1


def _data(experiment: Any, kept: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """The paper's data, what stands in their place or is not here, and what was cut, each with a word before it."""
    measured = [name for name in kept["curves"] if name != "none"] if kept else []
    papers = experiment.data_of_paper()
    other = [name for name in measured if name not in papers]
    absent = [name for name in experiment.needs if name in papers and name not in measured]
    told = [("Paper", ", ".join(papers) or "none: computed")]
    if other:
        told.append(("Here", f"{', '.join(other)}, in place of it"))
    elif absent:
        told.append(("Not here", ", ".join(absent)))
    full = [experiment.cut] if experiment.cut else []
    profile = [cut_of(kept)] if kept and cut_of(kept) and (not full or kept["profile"] == "quick") else []
    return told + ([("Cut", "; ".join(full + profile))] if full + profile else [])


def cut_of(kept: Mapping[str, Any]) -> str:
    """Say what the profile left out; empty for nothing."""
    effort = kept.get("effort", {})
    found = [f"at most {effort['rows']:,} records of either part"] if effort.get("rows") else []
    found += [f"{name} = {value}" for name, value in effort.get("settings", {}).items()]
    shown, all_of = effort.get("places", (0, 0))
    found += [f"{shown} of {all_of} places"] if shown < all_of else []
    found += ["settings chosen at one place for all"] if effort.get("once") else []
    return ", ".join(found)


RULES = {
    "other": "on another data set, which costs no privacy of this one",
    "oracle": "on the test part of the same data set (an oracle: neither the privacy nor the luck of it is paid for)",
}


def _trials(kept: Mapping[str, Any]) -> str:
    """Say how settings were chosen, and how many trials each arm had; empty where nothing was chosen."""
    if not any(kept.get("trials", {}).values()):
        return ""
    told = ", ".join(f"{label} {count or 'none'}" for label, count in kept["trials"].items())
    return f"{RULES[kept['rule']]}; trials: {told}"


def _missing(kept: Mapping[str, Any] | None, rows: list[dict[str, Any]]) -> dict[str, str]:
    """Curves and data sets that are not here, and what each needs: of the record, or as statements without data say."""
    if kept and (absent := {**kept.get("unrun", {}), **kept.get("missing", {})}):
        return absent
    return dict([("data", row["numbers"]) for row in rows if row["outcome"] == "missing"][:1])


def _shorter(guarantee: str) -> str:
    """The text of a guarantee without what is at its default."""
    for default in (', other=""', ", low=-inf", ", high=inf", ", margin=0,"):
        guarantee = guarantee.replace(default, "," if default.endswith(",") else "")
    return guarantee


def _chosen(kept: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """(arm, data set, settings by place) of what was tuned."""
    found = []
    for arm, by_data in kept["settings"].items():
        for data, by_x in by_data.items():
            told = "; ".join(f"{x}: {', '.join(f'{k} {v}' for k, v in given.items())}" for x, given in by_x.items())
            found.append((arm, data, told))
    return found


def _prices(kept: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """(arm, data set, certified epsilon and accountant by place)."""
    found = []
    for arm, said in kept["prices"].items():
        for data, by_x in said.items():
            if isinstance(by_x, Mapping):
                told = "; ".join(
                    f"{x}: {price[0]:.4g} ({price[1]})" if price[0] is not None else f"{x}: none; {price[1]}"
                    for x, price in by_x.items()
                )
                found.append((arm, data, told))
    return found


WORDS = {
    "confirmed": "holds",
    "refuted": "does not hold",
    "undecided": "undecided",
    "depends": "depends on settings",
    "unequal": "not at one price",
    "failed": "could not be measured",
    "missing": "data missing",
    "unmeasured": "not measured yet",
}
"""By outcome, what pages say."""

RUINED = {"ruined": "does not count, for even without noise nothing is learned"}
AGAINST, WON = ", and is said against the paper", ("confirmed",)
"""What stands behind the word for a statement of ours that speaks against a paper; its success is not the paper's."""


def outcome_of(item: Record) -> str:
    """The outcome of a record's leading evidence; ``failed``, ``missing`` or ``unmeasured`` where there is none."""
    for part in item["evidence"]:
        found = part["statistics"].get("outcome")
        if isinstance(found, str):
            return found
    if item["verdict"] == "error":
        return "failed"
    return "missing" if "no data set is here" in item["reason"] else "unmeasured"


def statement_lines(records: Sequence[Record]) -> Iterator[str]:
    """A line for each statement."""
    width = max((len(item["id"]) for item in records), default=0)
    wide = max(len(word) for word in WORDS.values())
    for item in records:
        yield f"{item['id']:<{width}}  {WORDS[outcome_of(item)]:<{wide}}  {numbers_of(item)}"


def numbers_of(item: Record) -> str:
    """Shortfall, margin, repetitions and what could have been detected, in a line."""
    if not item["evidence"]:
        return str(item["reason"])
    part = item["evidence"][0]
    said = part["statistics"]
    if said["outcome"] in ("undecided", "unequal", "missing") and (without := _without_numbers(said)):
        return f"{without}; n = {part['trials']}" if part["trials"] else without
    margin, low, high = as_number(part["measure"]["claimed"]), as_number(part["bound"]), float(said["upper"])
    detected = as_number(part["detectable"]) - margin
    told = f"shortfall {low:.3g} to {high:.3g}, allowed {margin:g}; n = {part['trials']}"
    return told if said.get("exact") else f"{told}, 80 % power for {detected:.2g} more"


def _without_numbers(said: Mapping[str, Any]) -> str:
    """Why there is no verdict, where an interval would say nothing; empty where it says something."""
    why = str(said.get("vacuous", "")).partition(": ")[2]
    return "" if why.startswith("the shortfall lies") else why
