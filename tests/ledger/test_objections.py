"""Every claim that fell has what its authors would say; headlines and the sentence on all of them are counted."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from dpverify.core.ledger_words import LOSSES
from dpverify.core.plugins import registry
from dpverify.reporting.ledger_epsilon import epsilon_text
from dpverify.reporting.ledger_headlines import headlines
from dpverify.reporting.ledger_markdown import examined, is_repair, refuted_originals
from dpverify.reporting.ledger_pages import first_page
from dpverify.reporting.ledger_standing import objection_of, rank
from dpverify.reporting.schema_check import schema_fault
from tests.ledger.committed import placed

README = Path(__file__).parents[2] / "README.md"
SCHEMA = Path(__file__).parents[2] / "dpverify" / "reporting" / "record.schema.json"
OURS = ("AP-THM41.a", "AP-ADAGRAD.d1000", "RS-NSGD.b", "AM-MP-RDP-RUN.large-eta")
"""Rows that fail at numbers of ours, which once stood as headlines at the papers' own."""
EXCLUDED = ("BL-BUDGET.paper", "BL-SENS-OBJ.b", "RS-PERM.b", "BR-METRIC.ndcg-signed")
"""Rows whose reading the paper's own text excludes, which did, too."""


@cache
def records() -> list[dict[str, Any]]:
    return placed()


def test_every_refuted_claim_has_an_objection_and_no_other_claim_has() -> None:
    fell = {item["id"] for item in refuted_originals(records())}
    assert fell == set(registry().objections)


def test_a_computed_epsilon_was_computed() -> None:
    told = [objection_of(item) for item in refuted_originals(records())]
    assert [each["problem"] for each in told if each and each["problem"]] == []


def test_the_first_table_has_printed_numbers_with_their_places_and_none_of_ours() -> None:
    shown = headlines(records()).paper
    assert shown
    for item in shown:
        told = objection_of(item)
        assert told is not None
        assert told["printed"] and all(each["what"] and each["where"] for each in told["printed"]), item["id"]
        assert not told["ours"], item["id"]


def test_every_headline_has_an_objection_what_is_left_and_epsilon_or_why_not() -> None:
    for item in [item for table in headlines(records()) for item in table]:
        told = objection_of(item)
        assert told is not None
        assert told["says"] and told["left"], item["id"]
        assert epsilon_text(item), item["id"]
        assert not told["excluded"], item["id"]


def test_rows_stand_in_the_order_of_what_a_user_loses() -> None:
    for table in headlines(records()):
        ranks = [rank(item) for item in table]
        assert ranks == sorted(ranks)
        assert set(ranks) <= set(range(len(LOSSES)))


def test_what_once_stood_as_a_headline_does_no_more() -> None:
    shown = headlines(records())
    first, second = ({item["id"] for item in table} for table in shown)
    assert not first & {*OURS, *EXCLUDED}
    assert set(OURS) <= second
    assert not second & set(EXCLUDED)


def test_the_run_that_holds_stands_beside_the_theorem_that_does_not() -> None:
    (line,) = (line for line in first_page(records(), {}) if "[`AP-THM41.a`]" in line)
    assert "[`AP-THM41.c`](ledger/ADPSGD.md#ap-thm41-c)" in line
    assert "is not refuted, 0.0362 times what is claimed at the numbers that the row states" in line


def test_the_sentence_on_all_claims_is_counted_from_the_records() -> None:
    own = [item for item in records() if not is_repair(item)]
    sentence = examined(records())
    for verdict, words in (("refuted", "are false as stated"), ("certified", "proved")):
        number = sum(item["verdict"] == verdict for item in own)
        said = "none" if words == "proved" and not number else str(number)
        assert any(f"{said} {be}{words}" in sentence for be in ("", "is ", "are "))
    assert sentence in " ".join(README.read_text(encoding="utf-8").split())
    assert sentence in "\n".join(first_page(records(), {}))


def test_nothing_not_refuted_is_called_decided() -> None:
    text = "\n".join(first_page(records(), {})).replace("nothing is decided", "")
    assert "decided" not in text


def test_records_with_objections_follow_the_schema() -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    assert {item["id"]: fault for item in records() if (fault := schema_fault(item, schema))} == {}
