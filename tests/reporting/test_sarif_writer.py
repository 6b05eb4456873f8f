"""SARIF: the properties that the standard requires, findings where a build must fail, and fingerprints that stay."""

import json
import re
from pathlib import Path

import pytest

import dpverify
from dpverify.core.plugins import registry
from dpverify.reporting import sarif_writer
from dpverify.reporting.sarif_location import Place, place
from dpverify.reporting.sarif_writer import SarifWriter, fingerprint, plain_text
from tests.reporting.test_junit_writer import ALL, FAILED, MISSED, OPEN, WRONG
from tests.reporting.test_writers import made

HOME = Path(dpverify.__file__).parents[1]
NOBODY = made(id="wanted", verdict="unsupported", method=None, bound=None, expectation="stands")


def written(records, folder, title="dpverify run core (quick)"):
    return json.loads(SarifWriter().write(records, folder, title=title).read_text())


def check(log):
    """What SARIF 2.1.0 requires of the objects that we write (its § 3, in order of their numbers)."""
    assert log["version"] == "2.1.0"
    assert set(log) <= {"$schema", "version", "runs"}
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"]
    assert set(run) <= {"tool", "automationDetails", "columnKind", "originalUriBaseIds", "results", "properties"}
    assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(set(ids)) == len(ids)
    for rule in driver["rules"]:
        assert all(rule[name]["text"] for name in ("shortDescription", "fullDescription", "help"))
        assert rule["defaultConfiguration"]["level"] in ("none", "note", "warning", "error")
    for result in run["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["kind"] == "fail"  # any other kind forbids a level
        assert result["level"] in ("note", "warning", "error")
        assert result["message"]["text"]
        assert all(isinstance(value, str) for value in result["partialFingerprints"].values())
        for location in result["locations"]:
            assert location["logicalLocations"][0]["name"]
            physical = location.get("physicalLocation")
            if physical is not None:
                address = physical["artifactLocation"]
                assert re.fullmatch(r"[\w.~%-]+(/[\w.~%-]+)*", address["uri"])
                assert address["uriBaseId"] in run["originalUriBaseIds"]
                assert physical.get("region", {"startLine": 1})["startLine"] >= 1


def test_the_log_has_what_the_standard_requires(tmp_path):
    check(written([*ALL, NOBODY], tmp_path))
    check(written([], tmp_path))
    with pytest.raises(AssertionError):
        check(written([made()], tmp_path) | {"version": "2.0.0"})


def test_one_rule_a_claim_and_one_result_a_finding(tmp_path):
    (run,) = written([*ALL, NOBODY], tmp_path)["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == [item["id"] for item in [*ALL, NOBODY]]
    assert {result["ruleId"]: result["level"] for result in run["results"]} == {
        "wrong": "error",
        "missed": "error",
        "also": "error",
        "failed": "warning",
        "open": "warning",
        "wanted": "warning",
    }


def test_a_finding_says_what_was_measured(tmp_path):
    (run,) = written([WRONG, FAILED], tmp_path)["runs"]
    wrong, failed = run["results"]
    assert wrong["message"]["text"].startswith("wrong: a claim that was expected to stand is refuted: epsilon ≥ 0.98")
    assert failed["message"]["text"].startswith("failed: error: event: ValueError: no (epsilon ≥ 0.98, claimed 1")
    assert wrong["properties"]["confidence"] == 0.99999
    assert wrong["properties"]["witness"]["event"] == "output >= 1"
    assert run["properties"]["verdicts"] == "2 claims: 1 refuted, 1 error"


def test_fingerprints_hold_over_seeds_numbers_and_time_and_tell_findings_apart():
    other = WRONG | {"seed": 5, "seconds": 9.0, "bound": 3.0, "confidence": 0.9, "reproduce": "again", "reason": "why"}
    assert fingerprint(other) == fingerprint(WRONG)
    assert len({fingerprint(item) for item in (WRONG, MISSED, FAILED, OPEN, WRONG | {"verdict": "error"})}) == 5


def test_the_file_is_the_same_whatever_the_time(tmp_path):
    slow = [item | {"seconds": item["seconds"] + 1} for item in ALL]
    assert written(ALL, tmp_path / "1") == written(slow, tmp_path / "2")


def test_a_subject_of_the_working_directory_has_a_place_and_no_other_has(tmp_path, monkeypatch):
    monkeypatch.chdir(HOME)
    found = place("laplace")
    if "site-packages" not in HOME.parts:
        file = HOME / found.uri
        assert file.suffix == ".py"
        named = registry().subject("laplace")
        assert f"class {named.__name__}" in "".join(file.read_text().splitlines()[found.line - 1 :][:2])
        (result,) = written([WRONG], tmp_path)["runs"][0]["results"]
        assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == found.uri
    monkeypatch.chdir(tmp_path)
    assert place("laplace") is None
    (result,) = written([WRONG], tmp_path)["runs"][0]["results"]
    assert "physicalLocation" not in result["locations"][0]
    assert place("no-such-subject") is None


def test_every_subject_of_ours_has_a_relative_place_in_a_clone(monkeypatch):
    monkeypatch.chdir(HOME)
    known = registry()
    for name in [*known.mechanisms, *known.known_broken]:
        found = place(name)
        if "site-packages" in HOME.parts:
            assert found is None
        else:
            assert (HOME / found.uri).is_file(), name
            assert found.line >= 1


def test_what_is_installed_below_the_working_directory_has_no_place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    places = {}
    for folder in ("a folder", "site-packages"):
        file = tmp_path / folder / f"module{len(places)}.py"
        file.parent.mkdir()
        file.write_text("\n\ndef subject():\n    pass\n")
        space = {}
        exec(compile(file.read_text(), str(file), "exec"), space)  # noqa: S102  # our own lines
        monkeypatch.setattr(registry(), "subject", lambda name, made=space["subject"]: made)
        places[folder] = place("anything")
    assert places == {"a folder": Place(uri="a%20folder/module0.py", line=3), "site-packages": None}


def test_messages_hold_no_placeholder_and_no_link():
    assert plain_text("{0} [a](b) [0, 1]") == "{{0}} [a] (b) [0, 1]"


def test_no_machine_path_stands_in_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(HOME)
    assert str(HOME) not in json.dumps(written(ALL, tmp_path))


def test_the_log_stays_within_what_services_take(tmp_path, monkeypatch):
    monkeypatch.setattr(sarif_writer, "MOST_RESULTS", 2)
    monkeypatch.setattr(sarif_writer, "MOST_BYTES", 10)
    log = written([FAILED, WRONG, WRONG | {"id": "another"}], tmp_path)
    check(log)
    (run,) = log["runs"]
    assert [result["level"] for result in run["results"]] == ["error", "error"]  # the warning is left out
    assert run["properties"]["resultsLeftOut"] == 1
    assert not any("witness" in result["properties"] for result in run["results"])
