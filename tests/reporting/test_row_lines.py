"""One row at length: a lemma's lines come first, with the witness among them; an exact search has it apart."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from dpverify.reporting.findings import finding_lines
from dpverify.reporting.row_lines import found_lines, replay_lines, row_lines, transcript_lines, witness_lines
from dpverify.reporting.terminal import one_result
from tests.reporting.test_writers import made


def _point(ratio: float) -> dict[str, Any]:
    return {"parameters": {}, "printed": 1.0, "truth": ratio, "ratio": ratio}


LEMMA: dict[str, Any] = {
    "parameters": {"x": 1.0},
    "space": {},
    "evidence": [{"statistics": {"own": _point(2.5), "worst": _point(2.5), "smallest": None, "failed": 1, "map": {}}}],
    "witness": _point(2.5),
}
BARE: dict[str, Any] = {"parameters": {}, "evidence": [], "witness": {"outputs": [0, 1]}}


def test_a_witness_that_says_more_than_the_worst_point_is_shown_beside_it():
    lines = row_lines(LEMMA | {"witness": {**_point(2.5), "d0": [0.0]}})
    assert "witness" in "\n".join(lines)


def test_a_lemmas_row_is_its_lines_with_and_without_the_witness():
    assert finding_lines(LEMMA)
    assert row_lines(LEMMA) == found_lines(LEMMA) == finding_lines(LEMMA)
    assert "ratio 2.5" in "\n".join(found_lines(LEMMA))


def test_a_row_with_a_witness_alone_shows_it_where_there_is_no_other_place():
    assert found_lines(BARE) == []
    assert "witness" in row_lines(BARE)[0]
    assert "[0, 1]" in row_lines(BARE)[0]
    assert row_lines(BARE | {"witness": None}) == []


def test_each_name_has_its_line_and_nothing_stands_twice():
    witness = {
        "event": "output > 3",
        "pair": "1 by 0",
        "d0": [1.0],
        "d1": [0.0],
        "direction": "d0 against d1",
        "parameters": {},
        "values": list(range(200)),
        "at": {"step": 3, "ends": True},
    }
    assert witness_lines(witness) == [
        "  witness   direction: d0 against d1",
        "            values: [0, 1, 2, ... (200 in all)]",
        "            at, step: 3",
        "            at, ends: yes",
    ]


def test_a_pair_without_a_name_is_shown():
    assert witness_lines({"d0": [1.0], "d1": []}) == ["  witness   d0: [1.0]", "            d1: []"]


def test_parameters_are_shown_where_no_other_line_has_them():
    witness = {"parameters": {"sigma": 2.0}}
    assert witness_lines(witness) == ["  witness   parameters, sigma: 2"]
    assert witness_lines(witness, {"sigma": 2.0}) == []


def test_no_line_is_a_python_dict_or_too_long():
    lines = witness_lines({"deep": [{"a": [0.5] * 100, "b": "x" * 1000}] * 9})
    assert all(len(line) < 80 and "{" not in line for line in lines)


COIN = {"compared": 2, "hidden_coin": "a noisy value was compared at mechanism.py:7"}


def item(**statistics: Any) -> dict[str, Any]:
    return made(evidence=[{"statistics": {"compared": 2, "hidden_coin": None, **statistics}}])


def test_a_hidden_coin_is_told_on_the_terminal_and_in_reports():
    out = io.StringIO()
    one_result(item(**COIN), Console(file=out, width=80))
    told = " ".join(out.getvalue().split())
    assert "hidden a noisy value was compared at mechanism.py:7: what is released after it was not examined" in told
    assert any("hidden" in line for line in found_lines(item(**COIN)))


@pytest.mark.parametrize("name", ["unseen", "plain_numbers", "no_proof", "assumed"])
def test_what_the_evidence_rests_on_is_told(name):
    lines = replay_lines(item(**{name: "word " * 40}))
    assert " ".join(" ".join(lines).split()).count("word") == 40
    assert max(map(len, lines)) <= 79


def test_nothing_hidden_and_other_methods_have_no_lines():
    assert replay_lines(item()) == []
    assert replay_lines(made(evidence=[{"statistics": {"hidden_coin": "x"}}])) == []
    assert replay_lines({"evidence": []}) == []


EVENT = {
    "k1": 30,
    "n1": 100,
    "k2": 2,
    "n2": 100,
    "direction": "d1 against d0",
    "event": {"score": {"kind": "likelihood ratio"}, "threshold": 2.5, "above": True},
}
FAMILY = {
    "label": "within the subsampled-Gaussian family",
    "claimed_sigma": 5.5,
    "claimed_epsilon": [3.99, 4.0],
    "refuted_sigma": 5.6,
    "epsilon": 3.9,
    "delta": 1e-5,
    "detectable_sigma": 5.3,
    "detectable_epsilon": 4.2,
}
FREE = {"label": "assumption-free, from the event's rectangle", "epsilon": 2.6, "delta": 1e-5, "events": [EVENT]}


def transcript_item(**changes):
    statistics = {"assumption_free": FREE, "family": {**FAMILY, **changes}, "basis": "the claim's own law"}
    return {"evidence": [{"statistics": statistics}], "witness": {}}


def test_both_results_stand_with_their_labels():
    text = " ".join(" ".join(line.split()) for line in transcript_lines(transcript_item()))
    assert ">= 2.6 (65% of the claim's 4) at delta 1e-05: assumption-free" in text
    assert ">= 3.9 (98% of the claim's 4) at delta 1e-05, within the subsampled-Gaussian family" in text
    assert "every sigma from 5.6 on is refuted, 5.5 is claimed" in text
    assert "sigma = 5.3, which is epsilon = 4.2" in text
    assert "likelihood ratio > 2.5 in 30 and 2 of 100 (d1 against d0)" in text
    assert all(len(line) <= 79 for line in transcript_lines(transcript_item()))
    assert found_lines(transcript_item()) == row_lines(transcript_item()) == transcript_lines(transcript_item())


def test_what_was_not_found_is_not_printed():
    text = " ".join(
        " ".join(line.split()) for line in transcript_lines(transcript_item(refuted_sigma=None, detectable_sigma=None))
    )
    assert "no member refuted, within the subsampled-Gaussian family" in text
    assert "80 %" not in text


def test_other_rows_have_no_such_lines():
    assert transcript_lines({"evidence": [], "witness": {}}) == []
    assert transcript_lines({"evidence": [{"statistics": {"k1": 1}}], "witness": {}}) == []
