"""The dossier's pages: links that lead to their rows, no script, nothing fetched, strangers' texts shown as texts."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from dpverify.dossier.page import MOST_FACTS, MOST_ROWS, html, lines, markdown, shown_facts
from tests.dossier.made import REFUTED, SIGNED, VACUOUS, found, question, record
from tests.reporting.hostile import NASTY


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.links, self.texts = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.tags.append((tag, sorted(given)))
        self.ids += [given["id"]] if "id" in given else []
        self.links += [given["href"]] if "href" in given else []

    def handle_data(self, data):
        self.texts.append(data)


@pytest.fixture
def made(tmp_path):
    text = SIGNED + "[[claim]]\nid = 'sum'\nrelation = 'replace'\n[answers]\ntrust-model = 'Central.'\n"
    return found(tmp_path, [record(), record(id="b", **REFUTED), record(id="c", **VACUOUS)], text)


def test_each_link_leads_to_a_place_of_its_own(made):
    page = Page(html(made))
    assert len(set(page.ids)) == len(page.ids)
    inside = {link[1:] for link in page.links if link.startswith("#")}
    assert inside <= set(page.ids)
    assert {row["anchor"] for row in made["rows"]} <= set(page.ids)
    assert {link for link in page.links if not link.startswith("#")} == {text["address"] for text in made["texts"]}


def test_the_page_fetches_nothing_and_runs_nothing(made):
    page = html(made)
    assert "default-src 'none'" in page
    assert not {"script", "link", "img", "iframe", "object", "form"} & {tag for tag, _ in Page(page).tags}
    assert "url(" not in page


def test_it_says_what_it_does_not_know(made):
    for text in (html(made), markdown(made)):
        assert "Not refuted is no proof" in text
        assert "nothing was detectable" in text
        assert "is not checked" in text
        assert "Ada, engineer, 2026-11-25" in text
        asked = sum(len(each["contradictions"]) for one in made["texts"] for each in one["questions"])
        assert text.count("the audited neighbours are those of add-remove") == 1 + asked
    assert "not answered" in html(made)


def test_markdown_links_lead_to_rows(made):
    text = markdown(made)
    assert set(re.findall(r"\(#([^)]*)\)", text)) <= set(re.findall(r'<a id="([^"]*)">', text))


def test_the_terminal_says_the_worst_first_within_eighty_columns(made):
    told = list(lines(made))
    assert told[0].startswith("CONTRADICTED: relation of sum: declared replace")
    assert "b: refuted: epsilon is at least 1.4, claimed 1." in told
    assert max(map(len, told)) < 80


def test_many_rows_are_counted_and_not_all_shown(tmp_path):
    same = [record(id=f"s{n}") for n in range(MOST_ROWS + 3)]
    apart = [record(id=f"d{n}", detectable=1.5 + n / 10) for n in range(MOST_FACTS + 2)]
    made = found(tmp_path, [*same, *apart, record(id="bad", **REFUTED)])
    for text in (html(made), markdown(made)):
        assert "and 4 more" in text  # the first of the others says the same
        assert "more like these: dossier.json has all" in text
    first = shown_facts(question(made, "auditing"))
    assert len(first) == MOST_FACTS
    assert first[0]["rows"] == ["bad"]


@pytest.mark.parametrize("text", NASTY)
def test_a_strangers_text_is_shown_and_does_nothing(tmp_path, text):
    def pages(said):
        plain = found(tmp_path, [record(), record(id="b", **VACUOUS)], SIGNED + "[answers]\naccess = 'x'\n")
        for row in plain["rows"]:
            row |= {"subject": said, "words": said, "reproduce": said, "relation": said}
        for asked in (each for one in plain["texts"] for each in one["questions"]):
            for fact in asked["facts"]:
                fact["text"] = said
            if asked["declaration"]:
                asked["declaration"] |= {"answer": said, "name": said, "role": said}
        return html(plain), markdown(plain)

    (page, told), (plain_page, plain_told) = pages(text), pages("x")
    assert Page(page).tags == Page(plain_page).tags
    assert kinds(told) == kinds(plain_told)


def kinds(text):
    """What a text in Markdown consists of, within its paragraphs, too."""
    blocks = MarkdownIt("gfm-like", {"linkify": False}).parse(text)
    inside = {child.type for block in blocks for child in block.children or ()} - {"code_inline"}
    return [block.type for block in blocks], inside
