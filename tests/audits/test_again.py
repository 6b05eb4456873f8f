"""What a user's audit says of how it is made again can be typed, and gives the same numbers."""

from __future__ import annotations

import json
import shlex
import sys

import numpy as np
import pytest

import dpverify as dpv
from dpverify.audits.again import reproduce_command
from tests import forked

CLAIM = "PureDP(epsilon=1)"


def noisy_sum(data, rng):
    return sum(data) + rng.laplace()


def told(function=noisy_sum, d0=(1, 2), d1=(1,), **settings):
    return reproduce_command(function, {"d0": d0, "d1": d1}, claim=CLAIM, settings=settings)


def test_what_can_be_typed_is_a_command():
    module = __name__
    assert told(d0=[1, 2], d1=[1]) == (f"dpverify audit {module}:noisy_sum --claim '{CLAIM}' --d0 '[1, 2]' --d1 '[1]'")
    assert told(d0=[1, 2], d1=[1], seed=3, methods=["event", "histogram"]).endswith("--seed 3 --method event,histogram")


@pytest.mark.parametrize("d0", [np.array([1, 2]), (1, 2), {1, 2}, [float("nan")], list(range(1000))])
def test_data_that_json_does_not_give_back_are_left_to_the_reader(d0):
    assert told(d0=d0, d1=[1]) == f"dpverify.audit(noisy_sum, d0, [1], claim='{CLAIM}')"


def test_an_example_is_typed_as_one():
    given = {"data": [1, 2]}
    line = reproduce_command(noisy_sum, given, claim=CLAIM, settings={"trials": 1000, "bounds": "0:2"})
    assert line == f"dpverify audit {__name__}:noisy_sum --claim '{CLAIM}' --data '[1, 2]' --trials 1000 --bounds 0:2"
    line = reproduce_command(noisy_sum, given, claim=CLAIM, settings={"bounds": (0, 2)})
    assert line == f"dpverify.audit(noisy_sum, data=[1, 2], claim='{CLAIM}', bounds=(0, 2))"


def test_what_cannot_be_imported_is_a_call():
    def inner(data, rng):
        return rng.laplace()

    assert told(inner, [1], [2]).startswith("dpverify.audit(inner, ")
    assert told(lambda data: 1, [1], [2]).startswith("dpverify.audit(mechanism, ")
    assert told(d0=[1], d1=[2], name="mine") == f"dpverify.audit(noisy_sum, [1], [2], claim='{CLAIM}', name='mine')"
    assert told(lambda data: 1, [1], [2], trials=7).endswith(f"[1], [2], claim='{CLAIM}', trials=7)")


def test_a_strict_audit_is_made_again_as_one():
    """The command and Python mean the same by it."""
    asked = {"claim": CLAIM, "trials": 1000, "seed": 4}
    row = dpv.audit(noisy_sum, [1, 2], [1], strict=True, **asked).row
    assert row.reproduce == f"dpverify audit {__name__}:noisy_sum --claim '{CLAIM}' --d0 '[1, 2]' --d1 '[1]'" + (
        " --trials 1000 --seed 4 --strict"
    )


def test_the_line_of_a_result_gives_the_result_back(tmp_path):
    (tmp_path / "mine.py").write_text("def noisy(data, size, rng):\n    return sum(data) + rng.laplace(size=size)\n")
    code = (
        "import dpverify as dpv, mine, json;"
        "r = dpv.audit(mine.noisy, [1, 2, 1], [1, 2], claim='PureDP(epsilon=1)', trials=20000, seed=4);"
        "print(json.dumps([r.row.reproduce, r.epsilon_lower]))"
    )
    ran = forked.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    line, bound = json.loads(ran.stdout)
    assert line.startswith("dpverify audit mine:noisy ")
    again = [sys.executable, "-m", *shlex.split(line), "--json"]
    ran = forked.run(again, cwd=tmp_path, check=True)
    assert json.loads(ran.stdout)[0]["bound"] == bound


@pytest.mark.parametrize("words", [{}, {"sequential": True}, {"methods": ("gate",), "rare": 0.1}])
def test_the_line_of_a_refuted_example_can_be_typed(words, tmp_path):
    (tmp_path / "mine.py").write_text(
        "def noisy(data, size, rng):\n    return sum(data) + rng.laplace(scale=0.2, size=size)\n"
    )
    asked = f"claim='PureDP(epsilon=1)', data=[0.0, 1.0], bounds=(0, 1), **{words}"
    code = f"import dpverify as dpv, mine; print(dpv.audit(mine.noisy, {asked}).row.reproduce)"
    done = forked.run([sys.executable, "-c", code], cwd=tmp_path)
    again = forked.run([sys.executable, "-m", *shlex.split(done.stdout)], cwd=tmp_path)
    assert again.returncode == 1 and "refuted" in again.stdout, (done.stdout, done.stderr, again.stderr)
