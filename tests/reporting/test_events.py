"""Events of a run: every line follows the schema, steps are few, and the numbers are those of the message."""

from __future__ import annotations

import json
import math
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from dpverify.core.errors import InputError
from dpverify.core.evidence import Evidence, Measure
from dpverify.reporting.events import EventFile, event_file
from dpverify.reporting.progress import progress_numbers
from tests.runner.saved import row

SCHEMA = json.loads((files("dpverify.reporting") / "events.schema.json").read_text())


FOUND = Evidence(
    claim="moves",
    auditor="looker",
    version="1",
    measure=Measure(kind="epsilon", argument=0.0, claimed=1.0),
    bound=0.5,
    excess=-0.5,
    confidence=0.999,
    detectable=math.inf,
)


def lines(path):
    found = [json.loads(line) for line in path.read_text().splitlines()]
    for each in found:
        jsonschema.validate(each, SCHEMA)
    return found


def test_a_run_is_written_line_by_line(tmp_path):
    path = tmp_path / "events.jsonl"
    with event_file(path, claims=1, title="a run") as events:
        events.claim_started("moves")
        assert [each["event"] for each in lines(path)] == ["run_started", "claim_started"]  # while it goes on
        events.progress("moves", "betting, 300 of 4000 draws, wealth 12.5; epsilon >= 0.25 so far", 0.075)
        events.progress("moves", "at once again", 0.08)
        events.claim_finished(row(FOUND))
    found = lines(path)
    assert [each["event"] for each in found[2:]] == ["progress", "claim_finished", "run_finished"]
    told = {name: found[2][name] for name in ("draws", "of", "wealth", "measure", "bound", "share")}
    assert told == {"draws": 300, "of": 4000, "wealth": 12.5, "measure": "epsilon", "bound": 0.25, "share": 0.075}
    assert sum(found[-1]["verdicts"].values()) == 1


def test_a_run_that_is_broken_off_has_no_end(tmp_path):
    path = tmp_path / "events.jsonl"
    with pytest.raises(ValueError, match="stop"), event_file(path, claims=1, title="a run"):
        raise ValueError("stop")
    assert [each["event"] for each in lines(path)] == ["run_started"]


def test_workers_that_tell_no_start_are_started_by_their_first_step(tmp_path):
    with event_file(tmp_path / "e", claims=1, title="a run") as events:
        events.progress("moves", "drawing", 0.0)
        events.claim_finished(row(FOUND))
    told = [each["event"] for each in lines(tmp_path / "e")]
    assert told == ["run_started", "claim_started", "progress", "claim_finished", "run_finished"]


def test_without_a_file_nothing_is_written():
    EventFile(None).claim_started("moves")


def test_a_file_that_cannot_be_written_is_bad_input(tmp_path):
    with pytest.raises(InputError, match="cannot be written"):
        EventFile(tmp_path / "nowhere" / "events.jsonl")


@pytest.mark.parametrize(
    ("message", "numbers"),
    [
        ("choosing the event", {}),
        ("counting, 12 of 40 draws", {"draws": 12, "of": 40}),
        ("betting, 1 of 2 draws, wealth inf; epsilon >= inf so far", {"wealth": "inf", "bound": "inf"}),
        ("betting, 1 of 2 draws, wealth 1.2e+07", {"wealth": 1.2e7}),
    ],
)
def test_numbers_of_a_message(message, numbers):
    assert numbers.items() <= progress_numbers(message).items()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_ends_the_events_and_not_the_run(capsys):
    with event_file(Path("/dev/full"), claims=1, title="a run") as events:
        events.claim_started("moves")
    assert capsys.readouterr().err == "dpverify: --events cannot be written any more (No space left on device)\n"
