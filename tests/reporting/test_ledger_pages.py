"""The ledger's pages: made of records alone, linked, with what fell first, and remarks only while they hold."""

from __future__ import annotations

import re
from typing import Any

import pytest

from dpverify.core.figure import Curve, Figure
from dpverify.core.registry import Registry
from dpverify.reporting.ledger_markdown import anchor, table, whole
from dpverify.reporting.ledger_pages import FOLDER, first_page, write_pages
from tests.reporting.test_writers import made

REMARK = {"breaks": "It breaks.", "means": "It means.", "instead": "Do this.", "numbers": [], "holds": True}
PART = {"from": 0.0, "to": 1.0, "points": 3, "failed": 1, "worst": 2.0}
HELD = {"from": 1.0, "to": 2.0, "points": 3, "failed": 0, "worst": 0.5}


def row(id: str, paper: str = "BLSGD", **changes: Any) -> dict[str, Any]:
    place = {"ledger": {"paper": paper, "row": id.partition(".")[0].removesuffix("-R"), "stale": ""}}
    return made() | place | {"id": id, "source": f"{paper} Thm 1", "remark": None} | changes


def searched(id: str, own: float, **changes: Any) -> dict[str, Any]:
    (part,) = made()["evidence"]
    at = {"parameters": {"eta": 1.0}, "printed": 1.0, "truth": own, "ratio": own}
    worst = at | {"parameters": {"eta": 0.5}, "truth": 2.0, "ratio": 2.0}
    found = {"own": at, "worst": worst, "smallest": worst, "map": {"eta": [PART, HELD]}, "evaluations": 6, "failed": 1}
    space = {"parameters": {"eta": [0.0, 2.0]}}
    return row(id, verdict="refuted", evidence=[part | {"statistics": found}], space=space, **changes)


RECORDS = [
    searched("A-MATERIAL", 1.5, remark=REMARK),
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
    assert list(texts) == ["ledger.md", f"{FOLDER}/BLSGD.md", f"{FOLDER}/RSGD.md"]
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


def test_what_fell_at_the_own_parameters_comes_first_with_what_to_do(pages):
    text = pages[0]["ledger.md"]
    material = text.index("by a factor 1.5")
    assert text.index("## Privacy that is not there") < material < text.index("elsewhere in its range")
    assert text.index("## Where those fail") < text.index("## The same, repaired")
    assert "It means. *Instead:* Do this." in text
    assert "eta &#91;0, 1]" in text  # where the other fails
    assert "The first paper" in text
    assert "## Not decided" in text


def test_a_rate_or_a_printed_number_is_nobodys_privacy():
    def said(guarantee):
        return "\n".join(first_page([searched("A", 1.5, guarantee=guarantee)], {}))

    for guarantee in ("PureDP(epsilon=1)", 'SensitivityBound(bound=1, norm="l2")', 'UpperBound(quantity="renyi")'):
        assert "## Privacy that is not there" in said(guarantee)
    for guarantee in ('UpperBound(quantity="number")', 'UpperBound(quantity="difference")', "Expectation(bound=1)"):
        assert "## Privacy that is not there" not in said(guarantee)
        assert "## Other statements" in said(guarantee)


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
    assert f'<a id="{anchor(RECORDS[0])}"></a>' in next(iter(whole(RECORDS[0])))
