"""The gallery's files are complete, their records are of these files, and the page is what the records say."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest

from dpverify.core.plugins import registry
from dpverify.gallery import bug as module
from dpverify.gallery.measure import FALSE_ALARM, as_expected
from dpverify.gallery.result import entries, read_record
from dpverify.reporting.gallery_lines import picture_of
from tests.gallery.page import FOLDER as PICTURES
from tests.gallery.page import PAGE, gallery_page
from tests.gallery.reproduce import RENDERED, SUMMARY, summary

BUGS = registry().bugs


@pytest.mark.parametrize("name", BUGS)
def test_each_file_is_complete_and_its_record_is_of_it(name: str) -> None:
    one = BUGS.get(name)
    functions = {node.name for node in ast.parse(one.code.read_text()).body if isinstance(node, ast.FunctionDef)}
    assert ({"claimed"} if one.look == "account" else {"claimed", "draw"}) <= functions
    item = read_record(name)
    assert item is not None, f"make its record: python -m tests.gallery.reproduce --only {name}"
    assert item["digest"] == one.digest(), f"made of other texts: python -m tests.gallery.reproduce --only {name}"
    assert as_expected(item), item.get("reason")
    assert json.dumps(item).count("/home/") == 0 and str(Path.home()) not in json.dumps(item)


def test_at_least_eight_run_the_release_itself() -> None:
    assert sum(one.kind == "release" for one in BUGS.in_order()) >= 8


def test_no_file_is_left_over() -> None:
    assert {path.stem for path in Path(module.__file__).parent.glob("bugs/*.py")} == set(BUGS)
    assert {path.stem for path in SUMMARY.parent.glob("*.json")} == set(BUGS)


def test_the_page_its_pictures_and_the_summary_are_what_the_records_say() -> None:
    found = entries()
    assert (RENDERED / PAGE).read_text() == "\n".join(gallery_page(found, alarm=FALSE_ALARM)) + "\n"
    assert SUMMARY.read_text() == summary([item for _, item in found if item is not None])
    pictures = {f"{one['name']}.svg": picture_of(item) for one, item in found if item is not None}
    drawn = {name: text for name, text in pictures.items() if text is not None}
    assert all(fromstring(text).tag.endswith("svg") for text in drawn.values())
    assert {path.name: path.read_text() for path in (RENDERED / PICTURES).glob("*.svg")} == drawn
