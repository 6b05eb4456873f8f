"""Sequential audits on the command line: statuses, the evidence file, and options that contradict one another."""

import json
import sys

import pytest

from tests.unwatched import unwatched

SUBJECTS = """
def loud(data, size, rng):
    return data[0] + 0.5 * rng.laplace(size=size)

def quiet(data, size, rng):
    return data[0] + rng.laplace(size=size)
"""
AUDIT = ("--claim", "PureDP(epsilon=1)", "--d0", "[0]", "--d1", "[1]", "--confidence", 1 - 1e-9)


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """``call(function, *options)``: audit it; returns (status, out, err)."""
    (tmp_path / "sequential_subjects_for_cli.py").write_text(SUBJECTS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("COLUMNS", "200")

    def run(function, *options):
        sys.modules.pop("sequential_subjects_for_cli", None)
        words = ["dpverify", "audit", f"sequential_subjects_for_cli:{function}", *map(str, AUDIT), *map(str, options)]
        monkeypatch.setattr(sys, "argv", words)
        with pytest.raises(SystemExit) as caught:
            unwatched()
        out, err = capsys.readouterr()
        return caught.value.code, out, err

    return run


def test_stops_early_and_exits_with_one_when_the_claim_falls(call):
    status, out, _ = call("loud", "--sequential", "--json", "-")
    (item,) = json.loads(out)
    assert (status, item["verdict"], item["method"]) == (1, "refuted", "sequential")
    assert item["trials"] < 20_000
    assert item["evidence"][0]["statistics"]["stop"] == "refuted"


def test_stops_when_enough_was_seen_and_exits_with_zero(call):
    status, out, _ = call("quiet", "--sequential", "--detect", 3, "--json", "-")
    (item,) = json.loads(out)
    assert (status, item["evidence"][0]["statistics"]["stop"]) == (0, "power")


def test_sessions_are_kept_in_the_file(call, tmp_path):
    for seed in (1, 2):
        status, _, _ = call("quiet", "--sequential", "--evidence", "e.json", "--trials", 500, "--seed", seed)
        assert status in (0, 3)  # so few draws could not refute at this confidence, nor can two sessions of them
    assert [one["seed"] for one in json.loads((tmp_path / "e.json").read_text())["sessions"]] == [1, 2]
    status, _, err = call("quiet", "--sequential", "--evidence", "e.json", "--trials", 500, "--seed", 2)
    assert (status, err.count("\n")) == (2, 1)
    assert "pass --seed 3" in err


@pytest.mark.parametrize(
    "options",
    [
        ("--detect", 2),
        ("--evidence", "e.json"),
        ("--sequential", "--method", "event"),
        ("--sequential", "--detect", 0.5),
    ],
)
def test_contradictions_are_one_line(call, options):
    status, out, err = call("quiet", *options)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "allowed" in err
