"""`dpverify scores`, in process: results, exit statuses, and one line for bad input."""

import json
import sys
from importlib.resources import files

import jsonschema
import numpy as np
import pytest

from dpverify.reporting.read_records import read_records
from tests.unwatched import unwatched

SCHEMA = json.loads(files("dpverify.reporting").joinpath("record.schema.json").read_text())
CLAIM = ("--claim", "ApproxDP(epsilon=1, delta=1e-5)")


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Run the command line in a folder with score files; returns (status, out, err)."""
    rng = np.random.default_rng(13)
    included = rng.integers(0, 2, 800)
    np.savez(tmp_path / "leak.npz", **{"in": rng.normal(3.0, size=900), "out": rng.normal(size=700)})
    np.savez(tmp_path / "blind.npz", **{"in": rng.normal(size=900), "out": rng.normal(size=700)})
    np.save(tmp_path / "run.npy", np.column_stack([3.0 * included + rng.normal(size=800), included]))
    (tmp_path / "bad.csv").write_text("in,out\n1,nan\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("COLUMNS", "100")

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["dpverify", "scores", *map(str, words)])
        with pytest.raises(SystemExit) as caught:
            unwatched()
        out, err = capsys.readouterr()
        return caught.value.code, out, err

    return run


def test_a_leak_is_refuted(call):
    status, out, _ = call("leak.npz", *CLAIM)
    assert status == 1
    assert out.startswith("refuted: ApproxDP(epsilon=1")
    for words in ("confidence 1 - 0.001", "upper half of all", "no bound)", "training of its own"):
        assert words in out


def test_its_record_is_read_back_and_says_how_good_the_attack_is(call, tmp_path):
    call("leak.npz", *CLAIM, "--json", tmp_path / "kept.json")
    (item,) = read_records(tmp_path / "kept.json")
    low, seen, high = item["attack"]["power"]["0.01"]
    assert item["attack"]["members"] == "high" and 0.0 <= low <= seen <= high <= 1.0
    assert 0.3 < item["risk"]["shown"]["advantage"] < item["attack"]["advantage"][2]


def test_a_blind_attack_refutes_nothing(call):
    # False alarm of the audit: 1e-9.
    status, out, err = call("blind.npz", *CLAIM, "--confidence", 1 - 1e-9)
    assert (status, err) == (0, ""), f"{out}{err}"
    assert out.startswith("not refuted")
    assert "would have detected" in out
    assert "private" not in out


def test_one_run_and_its_lines_as_trainings(call):
    status, out, _ = call("run.npy", *CLAIM, "--guesses", "50+50,20+0")
    assert status == 1
    assert "one training, 800 canaries" in out
    status, out, _ = call("run.npy", *CLAIM, "--trainings")
    assert status == 1
    included = np.load("run.npy")[:, 1]
    assert included.sum() != 400  # so that the sides can be told apart
    assert f"{included.sum():.0f} with, {800 - included.sum():.0f} without" in " ".join(out.split())
    assert "training of its own" in out


def test_json_alone_is_a_record_of_the_schema(call):
    for name in ("leak.npz", "run.npy"):
        status, out, _ = call(name, *CLAIM, "--json")
        (item,) = json.loads(out)
        jsonschema.validate(item, SCHEMA)
        assert (status, item["verdict"], item["id"]) == (1, "refuted", name)
        assert item["notes"]
        assert item["reproduce"].startswith("dpverify scores")


def test_too_few_scores_are_inconclusive(call, tmp_path):
    (tmp_path / "few.csv").write_text("in,out\n1,0\n1,0\n1,0\n")
    status, out, _ = call("few.csv", *CLAIM)
    assert status == 3
    assert out.startswith("inconclusive")
    assert "was not tested" in " ".join(out.split())


def test_quiet_says_it_by_the_status(call):
    assert call("leak.npz", *CLAIM, "--quiet") == (1, "", "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("bad.csv", *CLAIM), "NaN"),
        (("none.csv", *CLAIM), "no file"),
        (("leak.npz", "--claim", "Secret(1)"), "Secret"),
        (("leak.npz", *CLAIM, "--choose", "best"), "--choose"),
        (("leak.npz", *CLAIM, "--guesses", "5+5"), "--guesses"),
        (("leak.npz", *CLAIM, "--trainings"), "--trainings"),
        (("run.npy", *CLAIM, "--threshold", "1"), "--threshold"),
        (("run.npy", *CLAIM, "--guesses", "many"), "--guesses"),
        (("run.npy", *CLAIM, "--guesses", "500+500"), "guesses"),
        (("leak.npz", *CLAIM, "--relation", "cousins"), "relation 'cousins'"),
        (("run.npy", *CLAIM, "--relation", "replace"), "add-remove"),
        (("leak.npz", *CLAIM, "--confidence", "2"), "confidence"),
        (("leak.npz",), "claim"),
    ],
)
def test_bad_input_is_one_line_and_status_two(call, words, said):
    status, out, err = call(*words)
    assert status == 2
    assert out == ""
    assert said in err
    assert err.count("\n") == 1
