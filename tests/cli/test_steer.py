"""`dpverify run --steer`: what it says, what it keeps, and options that contradict one another."""

import json

import jsonschema
import pytest

from tests.cli.test_cli import SCHEMA

RUN = ("run", "core", "--only", "randomised-response", "--backend", "threads", "--jobs", 1)
STEER = (*RUN, "--steer", "--trials-total", 4000)


def test_a_steered_run_says_what_it_spent_and_is_resumed_to_the_same_bits(call):
    """False alarm: 1e-5 or so, the row's share; and the seed is fixed."""
    status, out, err = call(*STEER)
    assert status == 0
    assert "4000 draws in all: false-alarm probability 1." in err
    assert "steered" in out
    assert "all draws spent" in " ".join(out.split())
    kept = []
    for _ in range(2):
        status, out, _ = call(*STEER, "--resume", "--quiet", "--json")
        (item,) = json.loads(out)
        jsonschema.validate(item, SCHEMA)
        assert (status, item["method"], item["verdict"]) == (0, "sequential", "not_refuted")
        assert "--steer --trials-total 4000 --only randomised-response" in item["reproduce"]
        kept.append(item)  # its seconds too: nothing was made again
    assert kept[0] == kept[1]
    assert 3000 < kept[0]["trials"] <= 4000
    status, _, err = call(*STEER, "--detect", 1.5, "--resume")
    assert (status, err.count("\n")) == (2, 2)  # what is fixed before the run, and that no such run was begun
    assert "--resume" in err


@pytest.mark.parametrize(
    "words",
    [
        (*RUN, "--trials-total", 4000),
        (*RUN, "--detect", 2),
        (*STEER, "--method", "event"),
        (*STEER, "--detect", 1),
        (*STEER, "--detect", "nan"),
        (*RUN, "--steer", "--trials-total", 3),
        (*RUN, "--steer", "--trials-total", -1),
    ],
)
def test_options_that_contradict_one_another_are_one_line(call, tmp_path, words):
    status, out, err = call(*words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert not (tmp_path / "reports").exists()


def test_a_series_that_goes_on_keeps_its_direction(call, tmp_path):
    """Another direction in a later instalment would be another bet, of which the record's chain says nothing."""
    words = ("run", "core", "--only", "laplace-as-gaussian", "--steer", "--detect", 1.5, "--trials-total", 100_000)
    assert call(*words, "--jobs", 1, "--quiet")[0] == 0
    status, out, _ = call("recheck", tmp_path / "reports/local")
    assert (status, "DIFFERS" in out) == (0, False)
