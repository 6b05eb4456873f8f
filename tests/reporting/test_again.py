"""The command on the pair of a record: it can be typed as it stands, and is left out where the pair is not shown."""

import json
import shlex
import sys

import pytest

from dpverify.reporting.again import on_this_pair
from tests import forked

COMMAND = "dpverify audit m:f --claim 'PureDP(epsilon=1)' --data EXAMPLE --bounds 0:1 --seed 3 --quiet --json out.json"
PAIR = {"d0": [{"age": 3, "name": "it's"}], "d1": []}


def item(command=COMMAND, witness=PAIR):
    return {"reproduce": command, "witness": witness, "relation": "add-remove"}


def test_the_pair_takes_the_place_of_the_hidden_example():
    assert shlex.split(on_this_pair(item())) == [
        *shlex.split("dpverify audit m:f --claim 'PureDP(epsilon=1)' --seed 3 --relation add-remove"),
        *["--d0", json.dumps(PAIR["d0"]), "--d1", "[]"],
    ]
    assert "--relation replace --d0" in on_this_pair(item(COMMAND + " --relation replace"))


@pytest.mark.parametrize(
    ("command", "witness"),
    [
        (COMMAND, None),
        (COMMAND, {"d0": "records of the example are not shown (show_records)", "d1": "the same"}),
        (COMMAND, {"d0": [0.5] * 1000, "d1": []}),
        (COMMAND.replace("EXAMPLE", "data.csv"), PAIR),
        ("dpverify.audit(f, data=data, claim='PureDP(epsilon=1)')", PAIR),
        ("dpverify run core --only EXAMPLE", PAIR),
        ("dpverify audit 'unbalanced", PAIR),
    ],
)
def test_there_is_none_where_the_pair_or_the_command_is_of_another_kind(command, witness):
    assert on_this_pair(item(command, witness)) == ""


def test_it_refutes_again_in_a_shell(tmp_path):
    (tmp_path / "m.py").write_text("def f(data, rng, size):\n    return sum(data) + rng.laplace(0, 0.4, size)\n")

    def dpverify(words):
        command = [sys.executable, "-m", "dpverify", *words]
        return forked.run(command, cwd=tmp_path)

    asked = ["audit", "m:f", "--claim", "PureDP(epsilon=1)", "--data", "[0.25, 1.0]", "--trials", "4000"]
    first = dpverify([*asked, "--json", "out.json"])
    assert first.returncode == 1, first.stderr
    (found,) = json.loads((tmp_path / "out.json").read_text())
    assert "--data EXAMPLE" in found["reproduce"]
    again = dpverify(shlex.split(on_this_pair(found))[1:])
    assert again.returncode == 1, again.stderr
    assert again.stdout.startswith("refuted: ")
