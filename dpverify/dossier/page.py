"""The dossier as files: one self-contained HTML page (no script, nothing fetched), Markdown, and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from dpverify.core.json_text import dump
from dpverify.core.printable import all_visible
from dpverify.dossier.dossier import SPOKEN
from dpverify.dossier.shown import made, more_facts, named_rows, shown_facts, signed
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
