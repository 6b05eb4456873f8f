"""Stale statements of experiments: what is trained again must give the record's digits."""

from __future__ import annotations

import json

import pytest

import auditors.utility.paired
from dpverify.core.plugins import registry
from dpverify.ledger import committed_records, measured_replays
from dpverify.ledger.decide import Rerun
from dpverify.ledger.rows import Wanted, ledger_records, ledger_rows
from dpverify.ledger.stale import code_of
from dpverify.ledger.utility_records import is_measured
from dpverify.utility.measured import all_statements

ROW = "U-AP-FIG-1"
OLD = "0" * 12


def claim_of(name):
    return next(each for each in registry().claims.get(name).single() if each.id == name)


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A committed record that another code has made; its arms are computed in a moment."""
    item = committed_records.read_record(ROW)
    item["code"]["digest"] = OLD
    item["code"].pop("replayed", None)
    path = tmp_path / f"{ROW}.json"
    path.write_text(json.dumps(item))
    monkeypatch.setattr(committed_records, "records_folder", lambda: tmp_path)
    return path


def refreshed(path):
    return ledger_rows(registry(), Wanted(id=ROW), rerun=Rerun(out=path.parent, profile="quick"), refreshing=True)


def test_what_gives_the_digits_of_the_record_is_replayed_and_never_fresh(kept):
    (before,) = ledger_records(registry(), Wanted(id=ROW))
    assert before["ledger"]["stale"]
    found = refreshed(kept)
    assert found.refreshed.startswith("0 measured rows were up to date, 1 replayed now")
    (item,) = found.records
    assert item["ledger"]["stale"] == "" and "one repetition of" in item["ledger"]["replayed"]
    assert json.loads(kept.read_text())["code"]["digest"] == OLD
    assert "1 were replayed before, 0 replayed now" in refreshed(kept).refreshed


def test_another_digit_stays_stale_and_is_named(kept):
    item = json.loads(kept.read_text())
    values = item["evidence"][0]["statistics"]["values"]
    x = f"{item['evidence'][0]['statistics']['grid']['xs'][-1]:.6g}"
    key = next(key for key in values if key.endswith(f"|{x}"))
    values[key][0] *= 1.000001
    item["environment"]["cpu"] = "z80"
    kept.write_text(json.dumps(item))
    found = refreshed(kept)
    assert "0 replayed now" in found.refreshed
    assert f"`dpverify reproduce {item['subject']} --profile full`: {ROW}: " in found.refreshed
    assert "(measured on another processor, z80; " in found.refreshed
    assert found.records[0]["ledger"]["stale"]


def test_an_arm_that_fails_is_named(kept, monkeypatch):
    def broken(self):
        raise ValueError("no such luck")

    monkeypatch.setattr(measured_replays.Training, "metrics", broken)
    found = refreshed(kept)
    assert "ValueError: no such luck" in found.refreshed and found.records[0]["ledger"]["stale"]


def test_a_fresh_record_is_left_alone(kept):
    item = json.loads(kept.read_text())
    item["code"] |= code_of(registry(), claim_of(ROW), [part["auditor"] for part in item["evidence"]])
    kept.write_text(json.dumps(item))
    assert refreshed(kept).refreshed.startswith("1 measured rows were up to date, 0 replayed now")
    assert json.loads(kept.read_text()) == item


def test_a_record_is_judged_again_by_today_s_rules_from_its_numbers(kept):
    """An earlier level and an outcome that the rules no longer give are mended; what was measured is not touched."""
    before = json.loads(kept.read_text())
    item = json.loads(kept.read_text())
    said = item["evidence"][0]["statistics"]
    item["verdict"], said["outcome"], said["alpha"] = "refuted", "refuted", 0.5
    item["code"] |= code_of(registry(), claim_of(ROW), [part["auditor"] for part in item["evidence"]])
    kept.write_text(json.dumps(item))
    refreshed(kept)
    found = json.loads(kept.read_text())
    again = found["evidence"][0]["statistics"]
    assert (found["verdict"], again["outcome"]) == ("not_refuted", "confirmed")
    assert again["alpha"] == pytest.approx(0.05 / all_statements(registry()))
    for name in ("values", "ranges", "prices", "settings", "grid"):
        assert again[name] == before["evidence"][0]["statistics"][name]
    for name in ("environment", "seed", "seconds", "trials", "reproduce", "id", "statement"):
        assert found[name] == before[name], name


def test_committed_statements_are_judged_by_today_s_rules():
    """No record of an experiment says what its numbers no longer give."""
    known = registry()
    for name, claim in known.claims.items():
        item = committed_records.read_record(name) if is_measured(known, claim) else None
        if item is not None:
            assert measured_replays.rejudged(known, claim, item)["evidence"] == item["evidence"], name


def test_settings_that_were_chosen_are_those_of_the_record():
    """A training has the tuning's choice in it, so that nothing is tuned again; times are not compared."""
    for name in ("U-RS-FIG-1-ACC", "U-BL-FIG-1A-BEST"):
        item = committed_records.read_record(name)
        compared = measured_replays._compared(claim_of(name), item)
        said = item["evidence"][0]["statistics"]
        for training, numbers in compared:
            chosen = said["settings"].get(training.arm, {}).get(training.data, {}).get(f"{training.x:.6g}", {})
            assert json.loads(training.given) == chosen
            assert numbers and "seconds" not in numbers


def test_times_are_not_compared_and_what_has_nothing_else_stays_stale(tmp_path, monkeypatch):
    name = "U-RS-FIG-3-FASTEST"
    item = committed_records.read_record(name)
    item["code"]["digest"] = OLD
    (tmp_path / f"{name}.json").write_text(json.dumps(item))
    assert measured_replays._compared(claim_of(name), item) == []
    monkeypatch.setattr(committed_records, "records_folder", lambda: tmp_path)
    found = measured_replays.refresh_measured(registry(), [claim_of(name)], Rerun(out=tmp_path))
    assert found.replayed == () and "nothing that can be repeated" in found.differ["rsgd-fig-3"]


def test_digits_are_those_that_records_are_written_with():
    assert measured_replays.DIGITS == auditors.utility.paired.DIGITS


def test_a_statement_is_repeated_at_the_last_place_that_it_compares(kept):
    item = json.loads(kept.read_text())
    said = item["evidence"][0]["statistics"]
    compared = [f"{x:.6g}" for x in said["grid"]["xs"] if any(key.endswith(f"|{x:.6g}") for key in said["values"])]
    before, last = compared[-2:]
    said["values"] = {key: each for key, each in said["values"].items() if not key.endswith(f"|{last}")}
    kept.write_text(json.dumps(item))
    assert "1 replayed now" in refreshed(kept).refreshed
    assert f" at {before}, " in json.loads(kept.read_text())["code"]["replayed"]["compared"]


def test_without_any_numbers_a_record_is_replayed_while_the_same_data_are_missing(kept):
    item = json.loads(kept.read_text())
    said = item["evidence"][0]["statistics"]
    said["values"] = {}
    said["grid"]["data"] = [*said["grid"]["data"], "adult"]
    kept.write_text(json.dumps(item))
    assert f"{ROW}: the record has nothing that can be repeated" in refreshed(kept).refreshed
    said["grid"]["data"] = said["grid"]["data"][:-1]
    kept.write_text(json.dumps(item))
    assert "1 replayed now" in refreshed(kept).refreshed
    assert json.loads(kept.read_text())["code"]["replayed"]["compared"].startswith("nothing: ")
