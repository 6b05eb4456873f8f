"""A record from a stranger does nothing: every report keeps the structure that it has with harmless texts.

What is compared: the report of a record with a hostile text everywhere, and the same with a harmless one. The readers
are independent of the writers (html.parser, ElementTree, markdown-it, a terminal's own text).
"""

import io
import json
import re
import tempfile
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from hypothesis import assume, example, given, settings
from markdown_it import MarkdownIt
from rich.console import Console

from dpverify.core.json_text import dump
from dpverify.core.plugins import registry
from dpverify.core.printable import visible
from dpverify.reporting.benchmark_table import benchmark_table
from dpverify.reporting.ledger_markdown import row_section, table
from dpverify.reporting.ledger_table import ledger_detail, ledger_table
from dpverify.reporting.progress import ProgressDisplay
from dpverify.reporting.terminal import closing_table, one_result
from tests.reporting.hostile import ANY, NASTY, hostile

DUE = {"truth": 1.0, "bound": 2.0, "seconds": 1.0, "due": 2.0}
VERDICTS = ["not_refuted", "refuted", "inconclusive", "unsupported", "error"]

examples = settings(max_examples=15 if settings.default.max_examples < 1000 else 1000, deadline=None)


def nasty(test):
    """The test with each known nasty text, and with what hypothesis makes of their parts."""
    for text in NASTY:
        test = example(text=text)(test)
    return examples(given(text=ANY)(test))


def rows(text, **changes):
    return [hostile(text, verdict=verdict, **changes) for verdict in VERDICTS]


def report(name, text, **changes):
    with tempfile.TemporaryDirectory() as folder:
        path = registry().writers.get(name).write(rows(text, **changes), Path(folder), title=text)
        return path.read_bytes().decode()


@cache
def harmless(name):
    return report(name, "x")


@cache
def harmless_tags(name):
    return (Page(harmless("html")) if name == "html" else rendered(harmless(name))).tags


class Page(HTMLParser):
    """The tags of a page with the names of their attributes, their values, its text, and that of table cells."""

    def __init__(self, page, *, without=()):
        super().__init__()
        self.tags, self.values, self.cells, self.text, self._without = [], [], [], "", without
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        if tag not in self._without:
            self.tags.append((tag, *sorted(name for name, _ in attrs)))
        if tag == "td":
            self.cells.append("")
        self.values += [(name, value) for name, value in attrs]

    def handle_endtag(self, tag):
        if tag not in self._without:
            self.tags.append(("/", tag))

    def handle_data(self, data):
        self.text += data
        if self.cells:
            self.cells[-1] += data

    def handle_comment(self, data):
        self.tags.append(("comment",))

    def handle_decl(self, decl):
        self.tags.append((decl,))

    def unknown_decl(self, data):
        self.tags.append((data,))

    def handle_pi(self, data):
        self.tags.append(("pi",))


@nasty
def test_html(text):
    page = Page(report("html", text))
    plain = Page(harmless("html"))
    assert page.tags == plain.tags
    assert visible(text, lines=True) in page.text
    ours = {"href", "id", "aria-label", "data-id", "data-words"}
    kept = [[pair for pair in one.values if pair[0] not in ours] for one in (page, plain)]
    assert kept[0] == kept[1]
    assert all(value.startswith("#") for name, value in page.values if name == "href")


def test_html_forbids_scripts_and_addresses_whatever_stands_in_it():
    text = harmless("html")
    assert "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'" in text


def shape(node):
    return node.tag, sorted(node.attrib), [shape(child) for child in node]


@nasty
def test_junit(text):
    root = ElementTree.fromstring(report("junit", text))
    assert shape(root) == shape(ElementTree.fromstring(harmless("junit")))
    seen = visible(text, lines=True)
    for case in root.iter("testcase"):
        assert case.get("name") == case.get("classname") == seen
        assert f"again     {seen}" in list(case)[-1].text
        assert "\n" not in list(case)[-1].get("message", "")


def skeleton(value, *, below=""):
    """A JSON value without its texts, and without what is under names that are data."""
    if isinstance(value, dict):
        return {name: skeleton(item, below=name) for name, item in value.items() if below != "witness"}
    return [skeleton(item, below=below) for item in value] if isinstance(value, list) else type(value)


def messages(value):
    if isinstance(value, dict):
        yield from (item for name, item in value.items() if name == "text")
        for item in value.values():
            yield from messages(item)
    elif isinstance(value, list):
        for item in value:
            yield from messages(item)


@nasty
def test_sarif(text):
    written = report("sarif", text)
    found = json.loads(written)
    assert skeleton(found) == skeleton(json.loads(harmless("sarif")))
    assert all(line.isprintable() for line in written.split("\n"))
    assert found["runs"][0]["tool"]["driver"]["rules"][0]["id"] == visible(text)
    for message in messages(found):
        assert message.isprintable()
        assert "](" not in message
        assert not {"{", "}"} & set(re.sub(r"\{\{|\}\}", "", message))


def words(text):
    return " ".join(text.split())


def rendered(source):
    return Page(MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(source), without=("code",))


@nasty
def test_markdown(text):
    written = report("md", text)
    page = rendered(written)
    assert page.tags == harmless_tags("md")
    assert {name for name, _ in page.values} <= {"style"}
    assert " ".join(visible(text).split()) in " ".join(page.text.split())
    # What a service acts upon stands in code only.
    outside = re.sub(r"(?m)^ {4}.*$|`[^`]*`|<code>[^<]*</code>", "", written)
    assert not re.search(r"@|#\w|://|www\.", re.sub(r"&#\d+;", "", outside))


@nasty
def test_the_ledger_in_markdown(text):
    assume(visible(text).strip() not in ("", "-"))  # no text makes no paragraph; a lone dash stands for no number
    page = rendered(table([hostile(text)]))
    assert page.tags == rendered(table([hostile("x")])).tags
    name, claim, relation, *_ = page.cells
    assert words(name) == words(relation) == words(visible(text))
    assert words(visible(text)) in words(claim)
    page = rendered("\n".join(row_section(hostile(text))))
    assert page.tags == rendered("\n".join(row_section(hostile("x")))).tags


def test_markdown_of_rows_that_are_held_against_published_bounds():
    for text in NASTY:
        page = rendered(report("md", text, published=DUE | {"tool": text}))
        assert page.tags == rendered(report("md", "x", published=DUE | {"tool": "x"})).tags


def on_screen(text, *, colours=False):
    """Everything that a terminal is sent, without the colours that are ours."""
    out = io.StringIO()
    console = Console(file=out, width=200, force_terminal=colours, color_system="standard" if colours else None)
    closing_table(rows(text), console)
    ledger_table(rows(text), console)
    ledger_detail(rows(text), console)
    one_result(hostile(text), console, notes=[text])
    benchmark_table([hostile(text, published=DUE | {"tool": text})], console)
    return re.sub(r"\x1b\[[\d;]*m", "", out.getvalue()) if colours else out.getvalue()


@nasty
def test_the_terminal(text):
    for colours in (False, True):
        seen = on_screen(text, colours=colours)
        assert all(line.isprintable() for line in seen.split("\n"))
        folded = "".join(visible(text).split())
        assert folded in "".join(seen.split())


@pytest.mark.parametrize("field", ["bound", "claimed", "tightness", "detectable", "ceiling"])
@pytest.mark.parametrize("text", ["[red]x[/red]", "[/x]", "\x1b[2J", "\x9b2J"])
def test_the_terminal_where_a_text_stands_for_a_number(field, text):
    out = io.StringIO()
    closing_table([hostile("x", **{field: text})], Console(file=out, width=200))
    ledger_table([hostile("x", **{field: text})], Console(file=out, width=200))
    assert visible(text) in out.getvalue()
    assert all(line.isprintable() for line in out.getvalue().split("\n"))


@pytest.mark.parametrize("text", NASTY)
def test_progress(text, capsys):
    with ProgressDisplay(1) as watch:
        watch.start(text)
        watch.step(text, text, 0.5)
        (task,) = watch._progress.tasks
        bar = watch._progress.columns[-1].render(task).plain
        assert bar.isprintable()
        assert bar.startswith(visible(text).strip()[:20])
        watch.finish(SimpleNamespace(id=text, verdict=SimpleNamespace(status="refuted")))
    told = capsys.readouterr().err
    assert "".join(visible(text).split()) in "".join(told.split())
    assert all(line.isprintable() for line in told.split("\n"))


@nasty
def test_json_is_exact_and_prints(text):
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")  # JSON joins two halves of a sign
    written = dump([text, {text: [text]}])
    assert all(line.isprintable() for line in written.split("\n"))
    assert json.loads(written) == [text, {text: [text]}]
