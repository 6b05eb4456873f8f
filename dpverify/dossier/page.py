"""The dossier as files: one self-contained HTML page (no script, nothing fetched), Markdown, and JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from dpverify.core.json_text import dump
from dpverify.core.printable import all_visible
from dpverify.dossier.dossier import SPOKEN
from dpverify.reporting.formatting import VERDICTS
from dpverify.reporting.markdown_text import code, prose, row
from dpverify.reporting.templates import environment
from dpverify.runner.atomic_files import write_atomically


def write_dossier(found: Mapping[str, Any], folder: Path) -> list[Path]:
    """Write ``dossier.html``, ``dossier.md`` and ``dossier.json``."""
    texts = {"dossier.html": html(found), "dossier.md": markdown(found), "dossier.json": dump(found)}
    return [write_atomically(folder / name, text) for name, text in texts.items()]


def html(found: Mapping[str, Any]) -> str:
    """The page; control characters are made visible, and HTML is escaped."""
    return _environment().get_template("dossier.html.jinja").render(found=all_visible(found))


@cache
def _environment() -> jinja2.Environment:
    made_one = environment("dpverify.dossier")
    made_one.globals |= {"spoken": SPOKEN, "verdicts": VERDICTS}
    made_one.filters |= {"shown": shown_facts, "more": more_facts, "signed": signed, "made": made, "named": named_rows}
    return made_one


def markdown(found: Mapping[str, Any]) -> str:
    """The whole text."""
    return "\n".join(_lines(all_visible(found))) + "\n"


def _lines(found: Mapping[str, Any]) -> Iterator[str]:
    yield "# Evaluator's dossier"
    yield ""
    yield prose(" ".join(found["conclusion"]))
    if found["contradictions"]:
        yield from ("", "## Contradicted", "")
        yield from (f"- {_against(each)}" for each in found["contradictions"])
    anchors = {item["id"]: item for item in found["rows"]}
    for text in found["texts"]:
        yield from _text(text, anchors)
    if found["claims"]:
        yield from ("", "## Declared claims, beside what was audited", "")
        yield row(["claim", "declared", "audited", "contradicted"])
        yield row(["---"] * 4)
        for each in found["claims"]:
            declared = ", ".join(filter(None, (each["guarantee"], each["relation"], each["unit"])))
            yield row(
                [_link(each), code(declared), code(each["audited"]), prose(", ".join(each["contradicted"]) or "no")]
            )
    yield from ("", "## Rows", "")
    yield row(["claim", "of", "found", "again"])
    yield row(["---"] * 4)
    for item in found["rows"]:
        name = f'<a id="{item["anchor"]}"></a>{code(item["id"])}{" (control)" if item["control"] else ""}'
        promised = f"{code(item['guarantee'])} of {code(item['subject'])} under {prose(item['relation'])}"
        yield row([name, promised, prose(item["words"]), code(item["reproduce"])])
    yield from ("", prose(found["false_alarms"]), "", prose(made(found)))


def _text(text: Mapping[str, Any], rows: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield from ("", f"## {prose(text['title'])}", "")
    yield prose(f"{text['edition']}: {text['address']}")
    yield from ("", prose(text["read"]))
    for tier in text["tiers"]:
        yield from ("", prose(f"Tier {tier['tier']}: {tier['answered']} of {tier['questions']} answered as a whole."))
    for each in text["questions"]:
        yield from ("", f"### {prose(each['asks'])}", "")
        yield f"**{prose(SPOKEN[each['answered']])}** · {prose(each['place'])}"
        if each["quote"]:
            yield from ("", f"> {prose(each['quote'])}")
        yield ""
        yield from (f"- contradicted: {_against(one)}" for one in each["contradictions"])
        for fact in shown_facts(each):
            links = ", ".join(named_rows(fact["rows"], lambda name: _link(rows[name])))
            yield f"- evidence: {prose(fact['text'])} {links}"
        if more := more_facts(each):
            yield f"- {prose(more)}"
        if each["left"]:
            yield f"- left open by the evidence: {prose(each['left'])}"
        for said in [each["declaration"]] if each["declaration"] else []:
            yield f"- declared: {prose(said['answer'])} ({prose(signed(said))})"
        if not each["declaration"] and (each["left"] or not each["facts"]):
            yield f"- missing: a declaration under {code(each['key'])}"


def _against(each: Mapping[str, Any]) -> str:
    return f"**{prose(each['what'])} of {_link(each)}**: declared {code(each['declared'])}; {prose(each['found'])}"


def _link(item: Mapping[str, Any]) -> str:
    return f"[{code(item['id'])}](#{item['anchor']})"


MOST_ROWS = 4
"""Rows that are named behind one fact."""

MOST_FACTS = 8
"""Facts that are shown of one question."""


def shown_facts(question: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The first facts, refutations first."""
    return sorted(question["facts"], key=lambda fact: not fact["refuted"])[:MOST_FACTS]


def more_facts(question: Mapping[str, Any]) -> str:
    """Say how many facts are left out; empty for none."""
    more = len(question["facts"]) - MOST_FACTS
    return f"{more} more like these: dossier.json has all." if more > 0 else ""


def named_rows(names: Sequence[str], link: Callable[[str], str]) -> list[str]:
    """Links to the first rows, and how many more there are."""
    more = len(names) - MOST_ROWS
    return [*map(link, names[:MOST_ROWS]), *([f"and {more} more"] if more > 0 else [])]


def signed(said: Mapping[str, str]) -> str:
    """Say who signs, in which role, on which day, and what was checked of a signature."""
    by = f"{said['name']}, {said['role']}, {said['date']}"
    return f"{by}; {said['signature']}" if said["signature"] else by


def made(found: Mapping[str, Any]) -> str:
    """Name the runs this dossier was made from, and how signatures were checked."""
    declared = found["declarations"]
    of = f"Made on {found['date']} by dpverify {found['dpverify']} from {', '.join(found['runs']) or 'no run'}"
    if declared is None:
        return f"{of}, without declarations."
    return (
        f"{of} and {declared['file']} (SHA-256 {declared['sha256']}). A declaration is signed in that a name, a role "
        "and a date stand beside it; that the person has said so is not checked."
    )


WIDE = 79
MOST = 10
"""Failed rows that are named."""


def lines(found: Mapping[str, Any]) -> Iterator[str]:
    """Return lines of at most 79 columns, but for a word that is longer."""
    found = all_visible(found)
    for each in found["contradictions"]:
        yield from _wrapped(
            f"CONTRADICTED: {each['what']} of {each['id']}: declared {each['declared']}, but {each['found']}."
        )
    bad = [row for row in found["rows"] if row["standing"] == "failed"]
    for each in bad[:MOST]:
        yield from _wrapped(f"{each['id']}: {each['words']}.")
    if len(bad) > MOST:
        yield f"and {len(bad) - MOST} more that failed"
    yield from _wrapped(" ".join(found["conclusion"]))
    for text in found["texts"]:
        counts = ", ".join(f"{text['counts'][name]} {words}" for name, words in SPOKEN.items() if text["counts"][name])
        yield ""
        yield from _wrapped(f"{text['short']}: {counts}.")
        for tier in text["tiers"]:
            yield f"  tier {tier['tier']}: {tier['answered']} of {tier['questions']} answered as a whole"


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(
        text,
        WIDE,
        initial_indent=indent,
        subsequent_indent=indent or "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
