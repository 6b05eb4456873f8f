"""The list of what a reader must believe: what a recheck really calls stands in it, and it stays short."""

from __future__ import annotations

import json
import sys
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from auditors.privacy.sampled_evidence import one_event
from dpverify.core.verdict import judge
from dpverify.definitions.grammar import parse_guarantee
from dpverify.proofs import certificate
from dpverify.runner.recheck_printed import printed_evidence
from dpverify.runner.row_sources import Sources

ROOT = Path(__file__).parents[2]
if not (ROOT / "docs").is_dir():
    pytest.skip("an installed package has no pages beside it", allow_module_level=True)
FORMATS = ROOT / "tests" / "formats"
MOST = {
    "Refuted, by counts of one event": 1_000,
    "Refuted, by bets on draws as they come": 1_550,
    "Refuted, by replayed runs": 1_500,
    "Refuted or certified, by an exact law of finitely many outcomes": 500,
    "Proved from the code: the proof alone": 2_000,
    "Proved from the code: the proof beside the code": 2_775,
}
"""Lines of code; more is a change that somebody should mean."""


@cache
def made():
    """The module that makes the page; it stands beside the pages."""
    spec = spec_from_file_location("made_trusted", ROOT / "docs" / "made" / "trusted.py")
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@cache
def listed():
    trusted = made()
    sources = Sources(packages=trusted.PACKAGES)
    return {kind.title: trusted.lines_of(sources, kind.roots) for kind in trusted.KINDS}


def called(work):
    """The definitions of ours that run: (file, name of the function or of its class)."""
    found = set()

    def look(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(ROOT)):
            file = Path(code.co_filename).relative_to(ROOT).as_posix()
            name = code.co_qualname.partition(".")[0]
            if file.startswith(("dpverify/", "auditors/")) and not name.startswith("<"):
                found.add((file, name))

    sys.setprofile(look)
    try:
        work()
    finally:
        sys.setprofile(None)
    return found


def missing(title, work):
    known = {(file, name) for file, each in listed()[title].items() for name in each}
    return sorted(called(work) - known)


def evidence_of(path):
    item = json.loads(path.read_text())
    item = item[0] if isinstance(item, list) else item
    return parse_guarantee(item["guarantee"]), printed_evidence(item["id"], item["evidence"][0])


def test_what_runs_for_a_count_is_listed():
    guarantee, evidence = evidence_of(FORMATS / "record-1.json")
    assert missing("Refuted, by counts of one event", lambda: (one_event(guarantee, evidence), judge(evidence))) == []


def test_what_runs_for_a_proof_is_listed():
    told = certificate.read(FORMATS / "certificate-1.json")
    assert missing("Proved from the code: the proof alone", lambda: certificate.checked(told)) == []


def test_what_is_not_listed_would_be_found():
    guarantee, evidence = evidence_of(FORMATS / "record-1.json")
    assert missing("Proved from the code: the proof alone", lambda: one_event(guarantee, evidence))
    assert missing("Refuted, by counts of one event", lambda: evidence_of(FORMATS / "record-1.json"))


@pytest.mark.parametrize("title", sorted(MOST))
def test_the_list_is_short(title):
    assert listed().keys() == MOST.keys()
    assert 0 < made().total(listed()[title]) <= MOST[title]


def test_the_page_has_each_kind_with_its_sum():
    page = made().pages()["trusted.md"]
    for title, files in listed().items():
        assert f"| {made().total(files)} |" in page.partition(f"[{title}]")[2].partition("\n")[0]
        assert f"## {title}\n" in page
