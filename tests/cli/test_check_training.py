"""`dpverify check-training`: lines, JSON, exit statuses."""

import json
import sys

import pytest

STEPS = """
import numpy as np

X = np.random.default_rng(0).normal(size=(8, 3))
Y = np.arange(8) % 2


def step(weights, batch, rng, clip=1.0):
    x, y = batch
    gradients = (1 / (1 + np.exp(-x @ weights)) - y)[:, None] * x
    norms = np.linalg.norm(gradients, axis=1, keepdims=True)
    total = (gradients * np.minimum(1, clip / np.maximum(norms, 1e-12))).sum(0)
    return total + rng.normal(scale=1.0, size=3)


def right():
    return without() | {"clip": 1.0, "noise_multiplier": 1, "batch_size": 8}


def wrong():
    return right() | {"step": lambda w, b, rng: step(w, b, rng, clip=2.0)}


def without():
    return {"step": step, "parameters": np.ones(3), "batch": (X, Y)}


def other():
    return 3


def unknown():
    return right() | {"epsilon": 1}
"""


@pytest.fixture
def checked(call, tmp_path, monkeypatch):
    """Run `dpverify check-training own:NAME` in a folder that has the steps."""
    (tmp_path / "own.py").write_text(STEPS)
    monkeypatch.syspath_prepend(tmp_path)
    yield lambda name, *words: call("check-training", f"own:{name}", *words)
    sys.modules.pop("own", None)


def test_a_right_step_is_status_0(checked):
    status, out, err = checked("right")
    assert status == 0, err
    assert out.startswith("not refuted: own:right as a step with clip 1, noise multiplier 1 and expected")
    assert max(map(len, out.splitlines())) <= 80


def test_a_wrong_one_is_status_1_with_json(checked):
    status, out, _ = checked("wrong", "--json")
    found = json.loads(out)
    assert (status, found["verdict"]) == (1, "refuted")
    assert [row["name"] for row in found["rows"] if row["verdict"] == "refuted"] == ["norm"]
    assert found["reproduce"] == "dpverify check-training own:wrong"


def test_options_say_what_the_setup_does_not(checked):
    words = ("--clip", "1", "--noise-multiplier", "1", "--batch-size", "8")
    assert checked("without", *words)[0] == 0
    status, out, _ = checked("without", "--clip", "1", "--noise-multiplier", "2", "--batch-size", "8")
    assert (status, "times the claimed scale" in " ".join(out.split())) == (1, True)
    assert checked("right", "--scales", "0.000001", "--clip", "100", "--noise-multiplier", "0.01")[0] == 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("without",), "own:without does not say clip; allowed: --clip, or a function of nothing"),
        (("other",), "own:other returned a int"),
        (("unknown",), "own:unknown returned 'epsilon'; allowed: step, parameters"),
        (("step",), "own:step raised TypeError"),
        (("missing",), "has no 'missing'"),
        (("right", "--scales", "a"), "--scales 'a'; allowed: numbers with commas"),
        (("right", "--returns", "gradient"), "returns = 'gradient'"),
    ],
)
def test_bad_input_is_one_line_and_status_2(checked, words, said):
    status, out, err = checked(*words)
    assert (status, out) == (2, "")
    assert said in err and "Traceback" not in err
