"""The ledger's pages: made of records alone, linked, with what fell first, and remarks only while they hold."""

from __future__ import annotations

import re
from typing import Any

import pytest

from dpverify.core.ledger_words import Curve, Figure
from dpverify.core.registry import Registry
from dpverify.reporting.ledger_markdown import anchor, row_section, table
from dpverify.reporting.ledger_pages import FELL, FOLDER, REPAIRED, ROWS, first_page, refuted_page, write_pages
from tests.reporting.test_writers import made

REMARK = {"breaks": "It breaks.", "means": "It means.", "instead": "Do this.", "numbers": [], "holds": True}
PART = {"from": 0.0, "to": 1.0, "points": 3, "failed": 1, "worst": 2.0}
HELD = {"from": 1.0, "to": 2.0, "points": 3, "failed": 0, "worst": 0.5}


def row(id: str, paper: str = "BLSGD", **changes: Any) -> dict[str, Any]:
    place = {"ledger": {"paper": paper, "row": id.partition(".")[0].removesuffix("-R"), "stale": "", "replayed": ""}}
    return made() | place | {"id": id, "source": f"{paper} Thm 1", "remark": None} | changes


def searched(id: str, own: float, **changes: Any) -> dict[str, Any]:
    (part,) = made()["evidence"]
    at = {"parameters": {"eta": 1.0}, "printed": 1.0, "truth": own, "ratio": own}
    worst = at | {"parameters": {"eta": 0.5}, "truth": 2.0, "ratio": 2.0}
    found = {"own": at, "worst": worst, "smallest": worst, "map": {"eta": [PART, HELD]}, "evaluations": 6, "failed": 1}
    space = {"parameters": {"eta": [0.0, 2.0]}}
    return row(id, verdict="refuted", evidence=[part | {"statistics": found}], space=space, **changes)


OBJECTION = {
    "loses": "privacy",
    "says": "They object.",
    "left": "This is left.",
    "printed": [{"what": "n = 3", "where": "Table 1"}],
    "beside": [],
    "epsilon": None,
    "delta": None,
    **dict.fromkeys(("ours", "scale", "excluded", "factor", "law", "no_epsilon", "problem"), ""),
}


def objected(item: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The row with an objection beside it."""
    return item | {"ledger": item["ledger"] | {"objection": OBJECTION | changes}}


RECORDS = [
    objected(searched("A-MATERIAL", 1.5, remark=REMARK)),
    searched("A-ELSEWHERE", 0.5, remark=REMARK | {"means": "Elsewhere.", "holds": False}),
    row("A-STANDS.a"),
    row("A-MATERIAL-R"),
    row("B-OPEN", "RSGD", verdict="unsupported", method=None, evidence=[], reason="no claim in code yet"),
]


def known() -> Registry:
    found = Registry()
    curve = Curve(label="c", points=((0.0, 1.0), (1.0, 2.0)))
    for name, claim in (("here", "A-STANDS.a"), ("nowhere", "Z")):
        figure = Figure(title="Seen", claims=(claim,), x="x", y="y", curves=lambda: (curve,), note="A note.")
        found.figures.add(name, figure)
    return found


@pytest.fixture
def pages(tmp_path):
    written = write_pages(RECORDS, known(), tmp_path, titles={"BLSGD": "The first paper"})
    return {path.relative_to(tmp_path).as_posix(): path.read_text() for path in written}, tmp_path


def test_there_is_a_first_page_and_one_a_paper(pages):
    texts, folder = pages
    tail = [f"{FOLDER}/{name}" for name in (FELL, REPAIRED, ROWS)]
    assert list(texts) == ["ledger.md", *tail, f"{FOLDER}/BLSGD.md", f"{FOLDER}/RSGD.md"]
    assert {path.name for path in (folder / FOLDER).glob("*.svg")} == {
        "here.svg",
        "map-A-MATERIAL.svg",
        "map-A-ELSEWHERE.svg",
    }


def test_every_link_leads_somewhere(pages):
    texts, folder = pages
    for name, text in texts.items():
        for target in re.findall(r"\]\(([^)]+)\)", text):
            file, _, place = target.partition("#")
            path = (folder / name).parent / file
            assert path.is_file(), target
            assert not place or f'<a id="{place}"></a>' in path.read_text()


def test_what_fell_at_the_papers_numbers_comes_first_with_its_objection(pages):
    text = pages[0]["ledger.md"]
    (line,) = (each for each in text.splitlines() if "[`A-MATERIAL`](ledger/BLSGD.md#a-material)" in each)
    numbers = "**1.5 times in epsilon**, attained in draws; epsilon 1.5 for 1 at delta = 0. *At* n = 3 (Table 1)."
    assert line.endswith(f"| {numbers} | They object. | This is left. |")
    assert "A-ELSEWHERE" not in text  # nobody objected: on the page of all refuted claims
    assert (
        "[All 2 refuted claims](ledger/all-that-fell.md), 1 of them above: 1 at their stated parameters, 1 only" in text
    )
    assert "| [BLSGD](ledger/BLSGD.md) | The first paper | 3 | 2 | 1 | 1 | 0 |" in text
    assert "1 of them not examined" in text


def test_the_tail_has_the_rest(pages):
    fell, repaired, rows = (pages[0][f"{FOLDER}/{name}"] for name in (FELL, REPAIRED, ROWS))
    assert (
        fell.index("by 1.5 times in epsilon, attained in draws")
        < fell.index("elsewhere in its range by 2 times in epsilon, searched")
        < fell.index("## Claims that fail only away")
    )
    assert "It means. *Instead:* Do this." in fell
    assert "*The authors' strongest objection:* They object." in fell
    assert "*At:* n = 3 (Table 1)." in fell
    assert "eta &#91;0, 1]" in fell  # where the other fails
    assert "`A-MATERIAL-R`" in repaired
    assert "`A-STANDS.a`" not in repaired
    assert rows.index("## Not examined") < rows.index("`B-OPEN`") < rows.index("## All")
    assert rows.count("| [`") == len(RECORDS)


def test_what_the_papers_text_excludes_is_listed_behind_the_first_page():
    item = objected(searched("A-SAID", 1.5), excluded="section 2", factor="unbounded, {factor} after 3")
    assert "A-SAID" not in "\n".join(first_page([item], {}))
    text = "\n".join(refuted_page([item]))
    assert "| [`A-SAID`](BLSGD.md#a-said) | unbounded, 1.5 after 3 (epsilon) | section 2 |" in text


def test_statements_about_figures_have_pages_of_their_own(tmp_path):
    known_to_all = known()
    known_to_all.experiments.add("a-figure", object())
    write_pages([*RECORDS, row("U-ONE", subject="a-figure")], known_to_all, tmp_path, titles={})
    assert not any("U-ONE" in path.read_text() for path in tmp_path.rglob("*.md"))


def test_one_instead_is_said_once_for_all_that_it_mends():
    rows = [searched(f"A.{key}", 1.5, remark=REMARK | {"means": f"Means {key}."}) for key in "ab"]
    text = "\n".join(refuted_page(rows))
    assert "Means a. Means b. *Instead:* Do this." in text


def test_a_rate_or_a_printed_number_is_nobodys_privacy():
    def said(guarantee):
        return "\n".join(refuted_page([searched("A", 1.5, guarantee=guarantee)]))

    for guarantee in ("PureDP(epsilon=1)", 'SensitivityBound(bound=1, norm="l2")', 'UpperBound(quantity="renyi")'):
        assert "## Refuted privacy claims" in said(guarantee)
    for guarantee in ('UpperBound(quantity="number")', 'UpperBound(quantity="difference")', "Expectation(bound=1)"):
        text = said(guarantee)
        assert "## Refuted privacy claims" not in text
        assert "## Other refuted statements" in text


def test_a_remark_that_does_not_hold_is_nowhere(pages):
    texts, _ = pages
    assert not any("Elsewhere." in text for text in texts.values())
    assert "is not shown" in texts[f"{FOLDER}/BLSGD.md"]


def test_a_figure_stands_beside_its_claim_and_a_map_beside_its_row(pages):
    text = pages[0][f"{FOLDER}/BLSGD.md"]
    assert text.index("A-STANDS.a") < text.index("![Seen](here.svg)") < text.index('id="a-material-r"')
    assert text.index("map-A-MATERIAL.svg") < text.index('id="a-elsewhere"')
    assert "A note." in text


def test_the_table_has_a_line_a_row_by_paper():
    text = table(RECORDS)
    assert text.count("| `") == len(RECORDS)
    assert text.startswith("**BLSGD**")
    assert "**RSGD**" in text


def test_anchors_are_different():
    assert len({anchor(item) for item in RECORDS}) == len(RECORDS)
    assert f'<a id="{anchor(RECORDS[0])}"></a>' in next(iter(row_section(RECORDS[0])))
