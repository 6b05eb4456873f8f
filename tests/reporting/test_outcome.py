"""What a record means to a build is what its row means to the exit status."""

import itertools
import json
import shlex
import sys

import pytest

from dpverify.core.claim import Claim, Source
from dpverify.core.suite import SuiteEntry
from dpverify.core.verdict import Status, Verdict
from dpverify.definitions.pure_dp import PureDP
from dpverify.reporting.outcome import details, headline, on_this_pair, outcome
from dpverify.runner.record import record
from dpverify.runner.row import Row, rows_status
from tests import forked
from tests.reporting.test_writers import made

CLAIM = Claim(
    id="a", guarantee=PureDP(epsilon=1.0), relation="replace", subject="s", source=Source(paper="P", locus="Thm 1")
)


@pytest.mark.parametrize(("status", "expectation"), list(itertools.product(Status, ["stands", "broken", None])))
def test_it_sorts_as_the_row_does(status, expectation):
    verdict = Verdict(claim=CLAIM, status=status, reason="why")
    row = Row(
        entry=SuiteEntry(claim=CLAIM, expectation=expectation), verdict=verdict, seconds=0.0, seed=0, reproduce="again"
    )
    found = outcome(record(row))
    assert (found == "surprise") == (rows_status([row]) == 1)
    assert (found == "incomplete" or (found == "unsupported" and expectation is not None)) == (rows_status([row]) == 3)
    assert (found == "unsupported") == (status is Status.UNSUPPORTED)


def test_headlines_are_one_line_and_say_what_is_wrong():
    assert headline(made()) == "not refuted: epsilon ≥ 0.98, claimed 1 (confidence 1 - 1e-05, by event)"
    wrong = made(verdict="refuted", surprise="it should stand", bound=1.2)
    assert headline(wrong) == "it should stand: epsilon ≥ 1.2, claimed 1 (confidence 1 - 1e-05, by event)"
    assert headline(made(verdict="error", reason="event:\n ValueError")) == "error: event: ValueError"
    assert headline(made(verdict="inconclusive")) == "inconclusive: nothing was decided"
    assert headline(made(verdict="refuted", surprise="missed", method=None)) == "missed"


def test_details_end_with_the_command_whole():
    command = "dpverify run core --only " + "x" * 200
    lines = details(made(reproduce=command, reason="why", witness={"event": "y" * 3000}))
    assert lines[-1] == f"again     {command}"
    assert "note      why" in lines
    whole = "if all of the violation shows at the tested event"
    whole += " (for this pair and the family of events that was searched)"
    assert f"limits    would have detected epsilon ≥ 1.02 with 80 % power, {whole}; could certify at most 12" in lines
    assert any("characters in all: the JSON record has the whole" in line for line in lines)
    assert "trials    1M a side" in lines
    bare = details(made(verdict="unsupported", method=None, witness=None, trials=0, evidence=[], reason="nobody can"))
    assert [line.split()[0] for line in bare] == ["claim", "says", "source", "note", "again"]


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
