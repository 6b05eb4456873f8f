"""The table of a library as text for a terminal, as a page of Markdown, and as the two files that a folder keeps.

``NAME.json`` has its records, and ``NAME.about.json`` what stands around them.
"""

from __future__ import annotations

import fnmatch
import math
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any

from dpverify.core.json_text import dump
from dpverify.core.record import Record
from dpverify.libraries.session import LEGEND, ONE_READING, LibraryResult, without_pictures, words_of
from dpverify.reporting.facts import environments
from dpverify.reporting.formatting import number
from dpverify.reporting.markdown_text import code, prose, row
from dpverify.runner.atomic_files import write_atomically

WIDTH = 80

BESIDE = ("python", "numpy", "scipy", "scikit-learn")
"""Packages that libraries compute with, of those that a record names."""

MOST_RECORDS = 8
"""Longer data sets are told by runs of equal records."""


def text(table: LibraryResult) -> str:
    """Return text of 80 columns: a line a constructor, what is refuted or undecided, coverage, what was left out."""
    lines = [*_wrapped(f"{table.session.library} {table.session.version}: {_counts(table)}"), ""]
    lines += [f"{'constructor':<34} {'claims':>6} {'stands':>6} {'refuted':>7} {'other':>5} {'twins':>9}"]
    words = dict(zip((each["id"] for each in table.records), words_of(table.records), strict=True))
    for name, items in _by_constructor(table.records).items():
        found = Counter(words[each["id"]] for each in items)
        own = [each for each in items if not each["twin"]]
        twins = len(items) - len(own)
        other = len(own) - found["stands"] - found["refuted"]
        told = f"{found['found']} of {twins}" if twins else "-"
        lines.append(f"{name[:34]:<34} {len(own):>6} {found['stands']:>6} {found['refuted']:>7} {other:>5} {told:>9}")
    for item in table.records:
        word = words[item["id"]]
        if word in ("stands", "found", "unfinished"):
            continue
        lines += ["", *_wrapped(f"{word}: {item['id']}: {item['guarantee']}{_bound(item)}")]
        lines += _wrapped(f"{item['claimed_by']}; neighbours: {item['relation']}", "  ")
        lines += _wrapped(_witness(item), "  ")
        lines += _wrapped(f"reported: {item['report']}", "  ") if item["report"] else []
        cause = cause_of(table.session.library, item["id"]) if word == "refuted" else ""
        lines += _wrapped(f"because {cause}", "  ") if cause else []
        lines += _wrapped(item["reproduce"], "  ")
    lines += [line for found in _accounts(table) for line in _wrapped(found, hanging="  ")]
    lines += ["", *_wrapped(coverage(table))]
    for each in table.not_examined:
        lines += _wrapped(f"not examined: {each.constructor}: {each.reason}", hanging="  ")
    lines += _wrapped(f"noise: {table.recorded}", hanging="  ")
    for line in LEGEND:
        lines += _wrapped(line, hanging="  ")
    return "\n".join(lines)


def coverage(table: LibraryResult) -> str:
    """Say how many of the constructors have a claim in the table."""
    total = len(table.constructors)
    examined = total - len(table.not_examined)
    share = f" ({100 * examined / total:.0f} %)" if total else ""
    told = f"constructors examined: {examined} of {total}{share}"
    if table.session.only != "*":
        told += f"; shown: those of --only {table.session.only}"
    return told


def markdown(table: LibraryResult) -> str:
    """One page: counts, findings, every row with its bound, what would have been caught, draws and seconds."""
    return "\n".join(_markdown(table)) + "\n"


def _markdown(table: LibraryResult) -> Iterator[str]:
    session = table.session
    yield f"## {session.library} {session.version}"
    yield ""
    if table.records:
        yield prose(f"{_counts(table)} {coverage(table)}. {worked(table)}, profile {session.profile}.")
    else:
        yield "No claim was audited: this is about its accountants."
    yield ""
    yield prose(f"Noise: {table.recorded}. {_beside(table)}".rstrip())
    yield ""
    for each in table.not_examined:
        yield f"- {prose(f'not examined: {each.constructor}: {each.reason}')}"
    for each in table.aside:
        yield f"- {prose(f'no constructor of a release: {each.constructor}: {each.reason}')}"
    yield ""
    if table.records:
        yield from _claim_rows(table)
    yield from _account_rows(table)


def _beside(table: LibraryResult) -> str:
    """The versions beside which the library was run: what it computes may depend on them."""
    made = environments(table.records)
    told = ", ".join(f"{name} {made[name]}" for name in BESIDE if name in made)
    return f"Beside {told}." if told else ""


def _claim_rows(table: LibraryResult) -> Iterator[str]:
    """Say in words which claims are not as they should be, and list all claims in a table."""
    session = table.session
    words = dict(zip((each["id"] for each in table.records), words_of(table.records), strict=True))
    for item in table.records:
        if words[item["id"]] not in ("stands", "found", "unfinished"):
            yield f"- **{words[item['id']]}** {code(item['id'])}: {prose(item['guarantee'] + _bound(item))}. "
            yield f"  {prose(item['claimed_by'])}; {prose(_witness(item))}"
            if item["report"]:
                yield f"  {prose('Reported: ' + item['report'])}."
            if words[item["id"]] == "refuted" and (cause := cause_of(session.library, item["id"])):
                yield f"  {prose('Because ' + cause)}."
            yield f"  {code(item['reproduce'])}"
    yield ""
    yield row(("claim", "claimed", "verdict", "bound", "caught", "draws", "CPU s"))
    yield row(("---", "---", "---", "--:", "--:", "--:", "--:"))
    for item in table.records:
        name = item["id"] if not item["twin"] else f"{item['id']} ({item['twin']})"
        yield row(
            (
                code(name),
                prose(item["guarantee"]),
                words[item["id"]],
                number(item["bound"]),
                number(item["detectable"]) if words[item["id"]] == "stands" else "",
                str(item["trials"]),
                number(item["cpu_seconds"], 2),
            )
        )
    yield ""


def _accounts(table: LibraryResult) -> Iterator[str]:
    """The library's accountants beside ours, a line a number."""
    if table.accounts:
        yield ""
        yield "accountants beside our bracket, Poisson-subsampled Gaussian, add-remove:"
    for each in table.accounts:
        epsilon = "no number" if each.epsilon is None else f"epsilon {number(each.epsilon, 5)}"
        yield (
            f"{each.accountant}: q = {each.rate:g}, sigma = {each.noise:g}, {each.steps} steps, "
            f"delta = {each.delta:g}: {epsilon}, {each.side} [{number(each.lower, 5)}, {number(each.upper, 5)}]"
        )


def _account_rows(table: LibraryResult) -> Iterator[str]:
    """List the accounts in a table of Markdown."""
    if not table.accounts:
        return
    yield "Accountants beside ours, Poisson-subsampled Gaussian, add-remove. below: smaller than the truth; above:"
    yield "safe, and loose by what it is above; inside: not to be told from the truth."
    yield ""
    yield row(("accountant", "q", "sigma", "steps", "delta", "epsilon", "our bracket", "side"))
    yield row(("---", "--:", "--:", "--:", "--:", "--:", "---", "---"))
    for each in table.accounts:
        cells = [f"{each.rate:g}", f"{each.noise:g}", str(each.steps), f"{each.delta:g}", number(each.epsilon, 6)]
        bracket = f"{number(each.lower, 6)} to {number(each.upper, 6)}"
        yield row((each.accountant, *cells, bracket, prose(each.side)))
    yield ""


def _counts(table: LibraryResult) -> str:
    words = list(zip(table.records, words_of(table.records), strict=True))
    found = Counter(word for each, word in words if not each["twin"])
    of_twins = Counter(word for each, word in words if each["twin"])
    own, twins = found.total(), of_twins.total()
    kinds = {"stands": "stand", ONE_READING: "refuted in one reading"}
    order = ("stands", "refuted", ONE_READING, "inconclusive", "error", "unfinished")
    parts = [f"{found[word]} {kinds.get(word, word)}" for word in order if found[word]]
    told = f"{own} claims: {', '.join(parts) if parts else 'none examined'}"
    if not twins:
        return f"{told}."
    others = "".join(f", {count} {word}" for word, count in of_twins.items() if word != "found")
    return f"{told}; {of_twins['found']} of {twins} twins found{others}."


def worked(table: LibraryResult) -> str:
    """Seconds of the processor for all rows, also those of earlier sessions."""
    return f"{sum(each['cpu_seconds'] or 0.0 for each in table.records):.0f} s of the processor"


def taken(table: LibraryResult) -> str:
    """Seconds of this session by the clock, and of the processor."""
    return f"{table.seconds:.0f} s by the clock, {worked(table)}"


def _by_constructor(records: Sequence[Record]) -> dict[str, list[Mapping[str, Any]]]:
    found: dict[str, list[Mapping[str, Any]]] = {}
    for item in records:
        found.setdefault(item["constructor"], []).append(item)
    return found


def _bound(item: Record) -> str:
    bound = item["bound"]
    known = isinstance(bound, int | float) and math.isfinite(bound)
    return f", {item['measure']} is at least {number(bound)}" if known else ""


def _witness(item: Record) -> str:
    witness = item["witness"] or {}
    if item["reason"]:
        return str(item["reason"])
    told = [f"d0 = {_runs(witness['d0'])}, d1 = {_runs(witness['d1'])}"] if "d0" in witness else []
    told += [str(witness["event"])] if "event" in witness else []
    return "; ".join(told) or "no witness"


def _runs(data: Any) -> str:
    """A data set, equal records in a row told once with their number."""
    if not isinstance(data, list) or len(data) <= MOST_RECORDS:
        return str(data)
    runs = [(record, len(list(same))) for record, same in groupby(data)]
    return f"[{', '.join(f'{count} times {record}' if count > 1 else str(record) for record, count in runs)}]"


def _wrapped(line: str, indent: str = "", hanging: str = "") -> list[str]:
    return textwrap.wrap(line, WIDTH, initial_indent=indent, subsequent_indent=indent + hanging) or [""]


THRESHOLD = (
    "at the claimed delta no finite epsilon holds: the key of one record is released with probability "
    "e^-1 / (1 + e^-1) = 0.2689, and never without that record; the claimed delta is 0.0989"
)

CAUSES: dict[tuple[str, str], str] = {
    ("diffprivlib", "KMeans:*"): "a cluster that no record is nearest to keeps its centre, and no noise is added to it "
    "(models/k_means.py: `if cluster not in labels: continue`); one record decides whether that centre is released",
    (
        "opacus",
        "make_private:flat:ghost",
    ): "the losses of a batch have the shape (B, 1) here, and the row is about those alone (gallery: opacus-ghost)",
    ("opendp", "make_laplace_threshold:*"): THRESHOLD,
    ("opendp", "make_noise_threshold:*:l01inf-*"): THRESHOLD,
}


def cause_of(library: str, claim: str) -> str:
    """The cause of a refuted row; empty where none is known."""
    found = (
        text for (name, pattern), text in CAUSES.items() if name == library and fnmatch.fnmatchcase(claim, pattern)
    )
    return next(found, "")


def write_table(table: LibraryResult, folder: Path) -> None:
    """Write both files, each whole."""
    name = table.session.library
    write_atomically(folder / f"{name}.json", dump([without_pictures(each) for each in table.records]))
    write_atomically(folder / f"{name}.about.json", dump(about_of(table)))


def about_of(table: LibraryResult) -> dict[str, Any]:
    """Return the plain values that stand around the records."""
    return {
        "session": asdict(table.session),
        "constructors": list(table.constructors),
        "not_examined": [asdict(each) for each in table.not_examined],
        "aside": [asdict(each) for each in table.aside],
        "recorded": table.recorded,
        "accounts": [asdict(each) for each in table.accounts],
    }
