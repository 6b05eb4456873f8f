"""The command line, in process: results, exit statuses, and one line for bad input."""

import hashlib
import json
import re
import shlex
import sys
from importlib.resources import files

import jsonschema
import pytest

from dpverify.core.listing import SECTIONS
from dpverify.core.plugins import registry

SCHEMA = json.loads(files("dpverify.reporting").joinpath("record.schema.json").read_text())
SUBJECTS = """
def noisy_sum(data, size, rng):
    return sum(data) + rng.laplace(scale=1.0, size=size)

def half_the_noise(data, size, rng):
    return sum(data) + rng.laplace(scale=0.5, size=size)

def by_a_filter(data, size, rng):
    return sum(filter(None, data)) + rng.laplace(scale=1.0, size=size)

def reused(data, size, rng):
    return sum(data) + rng.laplace(size=(size + 1) // 2).repeat(2)[:size]

def slow_sum(data, rng):
    return sum(data) + rng.laplace(scale=0.5)

def own_noise(data):
    import random
    return sum(data) + random.expovariate(1.0) - random.expovariate(1.0)

def raises(data, rng):
    raise KeyError("no")

def not_a_number(data, size, rng):
    return rng.normal(size=size) * float("nan")

def needs(data, scale, rng):
    return 0.0

def chatty(data, size, rng):
    print("hello")
    return rng.laplace(size=size) + sum(data)

def leaves(data, rng):
    raise SystemExit(0)

def typed_by_the_data(data, rng):
    return 1 if len(data) == 1 else 1.0

def true_or_one(data, rng):
    return True if len(data) == 1 else 1

def single_or_double(data, rng):
    import numpy
    return rng.laplace() if len(data) == 1 else numpy.float32(rng.laplace())

def sometimes_whole(data, rng):
    return 1 if rng.random() < 0.5 else 1.0

def label(data, rng):
    return "many" if sum(data) + rng.laplace() > 2 else "few"

class LaplaceSum:
    def __init__(self, epsilon):
        self.epsilon = epsilon

    def __call__(self, data, size, rng):
        return sum(data) + rng.laplace(scale=1 / self.epsilon, size=size)

def scaled(data, size, rng, epsilon):
    return LaplaceSum(epsilon)(data, size, rng)
"""
PAIR = ("--d0", "[1,1]", "--d1", "[1]")
CLAIM = ("--claim", "PureDP(epsilon=1)")


@pytest.fixture
def call(call, tmp_path):
    """Run the command line in a folder with the module `subjects_for_cli`; returns (status, out, err)."""
    (tmp_path / "subjects_for_cli.py").write_text(SUBJECTS)

    def run(*words):
        sys.modules.pop("subjects_for_cli", None)
        return call(*words)

    return run


def test_a_claim_that_stands_is_not_refuted(call):
    # False alarm of the audit: 1e-9.
    status, out, _ = call("audit", "subjects_for_cli:noisy_sum", *CLAIM, *PAIR, "--confidence", 1 - 1e-9)
    assert status == 0
    assert out.startswith("not refuted: PureDP(epsilon=1")
    assert "add-remove was read off the pair" in out
    assert "would have detected" in out
    assert "private" not in out


PASSES = [
    ("by_a_filter", ["--detect", "1.02", "--trials", "5000"], "weak, not refuted: "),
    ("reused", ["--trials", "20000"], "by single calls only (draws of a batch depend on one another), not"),
    ("by_a_filter", ["--trials", "100000"], "not refuted: "),
    ("noisy_sum", [], "certified: "),
]


@pytest.mark.parametrize(("name", "options", "first"), PASSES)
def test_a_pass_says_first_what_it_lacks_and_fails_where_power_is_required(call, name, options, first):
    words = [f"subjects_for_cli:{name}", *CLAIM, "--data", "[0.2, 0.9, 1.0, 0.0]", "--bounds", "0:1", *options]
    status, out, _ = call("audit", *words)
    assert status == 0
    assert " ".join(out.split()).startswith(first)
    assert call("audit", *words, "--require-power")[0] == (0 if first in ("not refuted: ", "certified: ") else 3)


def test_half_the_noise_is_refuted(call):
    status, out, _ = call("audit", "subjects_for_cli:half_the_noise", *CLAIM, *PAIR)
    assert status == 1
    assert out.startswith("refuted")


def test_json_alone_goes_to_standard_output_and_nothing_else(call):
    words = ("audit", "subjects_for_cli:half_the_noise", *CLAIM, *PAIR, "--trials", 20000)
    status, out, _ = call(*words, "--json")
    (item,) = json.loads(out)
    jsonschema.validate(item, SCHEMA)
    assert (status, item["verdict"], item["relation"], item["trials"]) == (1, "refuted", "add-remove", 20000)
    again = json.loads(call(*words, "--json", "-")[1])[0]
    assert again["bound"] == item["bound"]


def test_what_a_mechanism_prints_does_not_stand_among_results(call):
    words = ("audit", "subjects_for_cli:chatty", *CLAIM, *PAIR, "--trials", 2000, "--json")
    _, out, err = call(*words)
    assert json.loads(out)[0]["subject"] == "chatty"
    first, rest, _ = err.split("\n", 2)
    assert first == "hello"
    assert re.fullmatch(r"dpverify: \d+ more lines were printed, and not shown", rest)
    assert "hello" not in rest


def test_the_same_seed_gives_the_same_bits(call):
    words = ("audit", "subjects_for_cli:half_the_noise", *CLAIM, *PAIR, "--trials", 20000, "--json")
    first, second, other = (json.loads(call(*words, "--seed", seed)[1])[0] for seed in (3, 3, 4))
    same = ("bound", "excess", "witness", "estimate")
    assert [first[name] for name in same] == [second[name] for name in same]
    assert first["evidence"][0]["statistics"] == second["evidence"][0]["statistics"]
    assert first["bound"] != other["bound"]
    assert first["files"] == {"subjects_for_cli.py": hashlib.sha256(SUBJECTS.encode()).hexdigest()}


def test_scalar_and_plain_and_label_callables_work(call):
    # False alarm 1e-9 each, of two that stand.
    stands = (*CLAIM, *PAIR, "--confidence", 1 - 1e-9)
    assert call("audit", "subjects_for_cli:slow_sum", *CLAIM, *PAIR, "--trials", 20000)[0] == 1
    status, out, _ = call("audit", "subjects_for_cli:own_noise", *stands, "--trials", 2000, "--verbose")
    assert status == 0
    assert "draws its own randomness" in out
    assert call("audit", "subjects_for_cli:label", *stands, "--trials", 5000)[0] == 0


@pytest.mark.parametrize(
    ("name", "typed", "options"),
    [
        ("LaplaceSum", "LaplaceSum(epsilon=2.0)", ()),
        ("LaplaceSum", "LaplaceSum", ("--parameters", "epsilon=2.0")),
        ("scaled", "scaled", ("--parameters", "epsilon=2.0")),
    ],
)
def test_an_instance_and_parameters_that_are_named(call, name, typed, options):
    words = (*CLAIM, *PAIR, "--trials", 20000, "--json")
    status, out, _ = call("audit", f"subjects_for_cli:{typed}", *options, *words)
    (item,) = json.loads(out)
    assert (status, item["subject"], item["id"]) == (1, name, f"subjects_for_cli:{name}")
    assert shlex.split(item["reproduce"])[2] == f"subjects_for_cli:{typed}"
    bound = item["bound"]
    # A true claim is refuted with probability 1e-9.
    stands = ("audit", f"subjects_for_cli:{typed.replace('2.0', '1.0')}", *CLAIM, *PAIR, "--confidence", 1 - 1e-9)
    assert call(*stands, *(word.replace("2.0", "1.0") for word in options), "--trials", 20000)[0] == 0
    assert json.loads(call(*shlex.split(item["reproduce"])[1:], "--json")[1])[0]["bound"] == bound


def test_data_sets_come_from_files(call, tmp_path):
    (tmp_path / "d.json").write_text("[1, 1]")
    assert call("audit", "subjects_for_cli:half_the_noise", *CLAIM, "--d0", "d.json", "--d1", "[1]")[0] == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("audit", "subjects_for_cli:gone", *CLAIM, *PAIR), "has no 'gone'"),
        (("audit", "no_module_of_that_name:f", *CLAIM, *PAIR), "no module called"),
        (("audit", "subjects_for_cli:raises", *CLAIM, *PAIR), "raised KeyError"),
        (("audit", "subjects_for_cli:leaves", *CLAIM, *PAIR), "raised SystemExit"),
        (
            ("audit", "subjects_for_cli:noisy_sum", *CLAIM, "--d0", "[1]", "--d1", "[1]", "--relation", "replace"),
            "same",
        ),
        (("audit", "subjects_for_cli:noisy_sum", *CLAIM, *PAIR, "--json", "/"), "cannot write"),
        (("audit", "subjects_for_cli:noisy_sum", *CLAIM, "--d0", "[NaN]", "--d1", "[1]"), "--d0 holds nan"),
        (("audit", "subjects_for_cli:noisy_sum", *CLAIM, "--d0", "[1]", "--d1", "Infinity"), "--d1 holds inf"),
        (("audit", "subjects_for_cli:needs", *CLAIM, *PAIR), "--parameters 'scale=...'"),
        (("audit", "subjects_for_cli:needs", *CLAIM, *PAIR, "--parameters", "scale=x"), "--parameters with scale=x"),
        (("audit", "subjects_for_cli:needs", *CLAIM, *PAIR, "--parameters", "data=1"), "parameters with 'data'"),
        (("audit", "--command", "true", *CLAIM, *PAIR, "--parameters", "a=1"), "parameters with a command"),
        (("audit", "subjects_for_cli:LaplaceSum", *CLAIM, *PAIR), "subjects_for_cli:LaplaceSum(epsilon=1.0)"),
        (("audit", "subjects_for_cli.py:needs", *CLAIM, *PAIR), "did you mean subjects_for_cli:needs?"),
        (("audit", "subjects_for_cli:noisy_sun", *CLAIM, *PAIR), "did you mean noisy_sum?"),
        (("audit", "subject_for_cli:needs", *CLAIM, *PAIR), "did you mean subjects_for_cli:needs?"),
        (("audit", "subjects_for_cli:noisy_sum", "--claim", "PureDP(epsilon=-1)", *PAIR), "epsilon"),
        (("audit", "subjects_for_cli:noisy_sum", "--claim", "PureDP(epsilon=1", *PAIR), "PureDP(epsilon=1"),
        (("audit", "subjects_for_cli:noisy_sum", "--claim", "__import__('os')", *PAIR), "__import__"),
        (("audit", "subjects_for_cli:noisy_sum", "--claim", "ApproxDP(epsilon=1, delta=2)", *PAIR), "delta"),
        (("audit", "subjects_for_cli:noisy_sum", *CLAIM, "--d0", "[1,1]", "--d1", "[2,3]"), "not neighbours"),
        (("audit", "subjects_for_cli:noisy_sum", *CLAIM, *PAIR, "--relation", "replace"), "not neighbours"),
        (("audit", "subjects_for_cli:noisy_sum", *CLAIM, *PAIR, "--relation", "cousins"), "cousins"),
        (("audit", "subjects_for_cli:noisy_sum", *CLAIM, *PAIR, "--trials", "2"), "trials"),
        (("audit", "subjects_for_cli:noisy_sum", *CLAIM, *PAIR, "--trials", "0"), "trials"),
        (("audit", "subjects_for_cli:noisy_sum", *CLAIM, *PAIR, "--confidence", "1"), "confidence"),
        (("audit", "subjects_for_cli:noisy_sum", *CLAIM, *PAIR, "--call", "loop"), "loop"),
        (("audit", "subjects_for_cli:noisy_sum", *CLAIM, "--d0", "[1,", "--d1", "[1]"), "neither JSON"),
        (("audit", "subjects_for_cli:noisy_sum"), "Missing option"),
        (("run", "no-such-suite"), "no-such-suite"),
        (("run", "core", "--profile", "huge"), "huge"),
        (("run", "core", "--only", "zzz*"), "zzz"),
        (("run", "core", "--format", "docx"), "docx"),
        (("run", "core", "--trials", "10"), "cannot refute"),
        (("run", "core", "--trials", "99", "--only", "laplace"), "cannot refute laplace"),
        (("run", "core", "--trials", "0"), "trials = 0"),
        (("run", "core", "--out", "subjects_for_cli.py"), "cannot write to the folder subjects_for_cli.py"),
        (("run", "core", "--out", "subjects_for_cli.py/below"), "cannot write to the folder"),
        (("run", "core", "--out", "/proc/none"), "cannot write to the folder"),
        (("run", "core", "--jobs", "-1"), "jobs"),
        (("ledger", "--id", "NOPE"), "NOPE"),
        (("ledger", "--paper", "NOPE"), "NOPE"),
        (("list", "nothing"), "writers, suites"),
        (("dance",), "dance"),
    ],
)
def test_bad_input_is_one_clear_line_and_two(call, words, said, monkeypatch):
    for way in ("in_threads.Threads", "in_processes.Processes"):  # whatever is wrong is found before the run
        monkeypatch.setattr(f"dpverify.runner.{way}.units", None)
    status, out, err = call(*words)
    assert status == 2, (out, err)
    assert out == ""
    assert err.startswith("dpverify: ")
    assert err.count("\n") == 1
    assert said in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("subject", "status", "said"),
    [
        ("typed_by_the_data", 1, "0: float; 1: int"),
        ("true_or_one", 1, "0: int; 1: bool"),
        ("single_or_double", 1, "0: float32; 1: float"),
        ("sometimes_whole", 3, "0: float; 1: int"),  # refuted with probability 1e-9: the type is a fair coin
        ("not_a_number", 3, "was nan: a constant"),
    ],
)
def test_types_that_change_and_nan_are_outputs(call, subject, status, said):
    words = ("audit", f"subjects_for_cli:{subject}", *CLAIM, *PAIR, "--trials", 2000, "--confidence", 1 - 1e-9)
    found, out, _ = call(*words, "--verbose")
    assert found == status
    assert said in " ".join(out.split())


def test_a_foreign_json_place_loses_nothing(call, tmp_path):
    (tmp_path / "file").write_text("")
    status, _, err = call("list", "auditors", "--json", "file/x.json")
    assert status == 2
    assert "cannot write" in err


def test_run_writes_reports_and_a_table(call, tmp_path):
    status, out, _ = call(
        "run", "core", "--only", "laplace*", "--trials", 50000, "--out", "reports", "--confidence", 1 - 1e-9
    )
    assert status == 0
    assert "False-alarm probability of these rows together" in out
    assert max(len(line) for line in out.splitlines() if "reports:" not in line) <= 100
    records = json.loads((tmp_path / "reports" / "results.json").read_text())
    for item in records:
        jsonschema.validate(item, SCHEMA)
    assert (tmp_path / "reports" / "report.html").stat().st_size > 5000


@pytest.mark.parametrize("kind", SECTIONS)
def test_lists(call, kind):
    status, out, _ = call("list", kind)
    assert status == 0
    assert out.strip()
    assert json.loads(call("list", kind, "--json")[1])


def test_the_ledger_shows_every_row(call):
    status, out, _ = call("ledger", "--json")
    records = json.loads(out)
    assert status == 0
    valid = jsonschema.validators.validator_for(SCHEMA)(SCHEMA)
    for item in records:
        valid.validate(item)
    found = {item["id"].partition(".")[0] for item in records}
    assert {"ACC-RDP-COMP", "BL-SVT-GAUSS-RDP", "BR-LISTMLE"} <= found
    status, out, _ = call("ledger", "--id", "BL-SVT-LAP-PURE")
    assert (status, "BL-SVT-LAP-PURE.a" in out) == (0, True)
    assert call("ledger", "--paper", "BLSGD", "--format", "md")[1].startswith("**BLSGD**")


def test_version_and_help(call):
    assert call("--version")[1].startswith("dpverify 0.")
    status, out, _ = call("--help")
    assert status == 0
    assert "ledger" in out


def test_the_help_of_run_names_every_suite(call, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    status, out, _ = call("run", "--help")
    told = " ".join(out.split())
    known = registry()
    names = {suite for _, entry in known.entries.items() for suite in entry.suites}
    assert {"core", "papers", "standard"} <= names
    for name in names:
        assert f" {name} {known.suite(name).about} (" in told
    assert status == 0
    assert max(map(len, out.splitlines())) <= 80
    assert "Suites:" not in call("audit", "--help")[1]
