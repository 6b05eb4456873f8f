"""Suite files as they are read, and every fault with its line; the checker beside a general one."""

from __future__ import annotations

import datetime
import json
import re

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.audits.asked import Asked, asked_for
from dpverify.suite_file.entry import Accepted
from dpverify.suite_file.faults import faults, schema
from dpverify.suite_file.read import SuiteFileError, read

GOOD = """
profile = "quick"
seed = 3
python-path = ["src"]

[[audit]]
name = "sum"
mechanism = "package.sums:noisy_sum"
claim = "PureDP(epsilon=1)"
data = [0.0, 1.0]
bounds = [0, 1]
domain = "type"
max-seconds = 4
on-error = "output"
parameters = { scale = 2.0 }
accept = { verdict = "refuted", reason = "old", until = 2027-01-31 }

[[audit]]
mechanism = "package:Class.method"
claim = "PureDP(epsilon=1)"
d0 = [1]
d1 = "other.csv"
"""


def written(tmp_path, text, name="dpverify.toml"):
    path = tmp_path / name
    path.write_text(text)
    return path


def lines(tmp_path, text, name="dpverify.toml"):
    with pytest.raises(SuiteFileError) as caught:
        read(written(tmp_path, text, name))
    return caught.value.lines


def test_what_is_declared_is_read(tmp_path):
    found = read(written(tmp_path, GOOD))
    assert found.asked == Asked(profile="quick", seed=3)
    one, two = found.entries
    assert (one.name, one.line, two.name, two.line) == ("sum", 6, "method", 18)
    assert one.words == {"data": [0.0, 1.0], "bounds": [0, 1], "domain": "type", "on_error": "output"}
    assert one.asked == Asked(seconds=4)
    assert one.parameters == {"scale": 2.0}
    assert one.python_path == (tmp_path, tmp_path / "src")
    assert one.accept == Accepted(verdict="refuted", reason="old", until=datetime.date(2027, 1, 31))
    assert two.words == {"d0": [1], "d1": "other.csv"}


def test_the_same_in_a_pyproject(tmp_path):
    inside = GOOD.replace("[[audit]]", "[[tool.dpverify.audit]]")
    found = read(written(tmp_path, f"[project]\nname = 'x'\n[tool.dpverify]{inside}", "pyproject.toml"))
    assert [(each.name, each.line) for each in found.entries] == [("sum", 8), ("method", 20)]


AUDIT = '[[audit]]\nmechanism = "m:f"\nclaim = "PureDP(epsilon=1)"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sead = 1\n" + AUDIT + "data = [1]", "dpverify.toml:1: unknown key 'sead' of the suite file; .*mean seed"),
        (
            AUDIT + "data = [1]\nmax_seconds = 1",
            r"dpverify.toml:5: unknown key 'max_seconds' of \[\[audit\]\]; .*mean max-",
        ),
        ("seed = -1\n" + AUDIT + "data = [1]", "dpverify.toml:1: seed = -1; allowed: an integer >= 0"),
        ("seed = true\n" + AUDIT + "data = [1]", "dpverify.toml:1: seed = True; allowed: an integer"),
        ("detect = inf\n" + AUDIT + "data = [1]", "dpverify.toml:1: detect = inf; allowed: a number above 1"),
        ('profile = "fast"\n' + AUDIT + "data = [1]", "dpverify.toml:1: profile = 'fast'; allowed: quick or full"),
        ("", "dpverify.toml:1: no audit is declared; allowed"),
        ("audit = []", "dpverify.toml:1: audit = .*not empty"),
        ("audit = [1]", "dpverify.toml:1: entry 0 = 1; allowed: a table"),
        ("[[audit]]\nclaim = 'x'\ndata = [1]", r"dpverify.toml:1: \[\[audit\]\] without mechanism"),
        ("[[audit]]\nmechanism = 'm.f'\nclaim = 'x'\ndata = [1]", "dpverify.toml:2: mechanism = 'm.f'; .*CALLABLE"),
        (AUDIT, "dpverify.toml:1: the audit 'f' has no data; allowed: data"),
        (AUDIT + "d0 = [1]", "dpverify.toml:1: the audit 'f' has d0; allowed"),
        (
            AUDIT + "data = [1]\n" + AUDIT + "data = [1]",
            "dpverify.toml:5: two audits are called 'f', the 1st and the 2nd",
        ),
        (AUDIT + "data = [1]\nbounds = [2, 1]", "dpverify.toml:5: bounds = "),
        (AUDIT + "data = [1]\nbounds = { age = 3 }", "dpverify.toml:5: bounds = "),
        (
            AUDIT + "data = [1]\n[audit.accept]\nverdict = 'refuted'",
            r"dpverify.toml:5: \[audit.accept\] without reason",
        ),
        (AUDIT + "data = [1]\naccept.until = 'soon'", "dpverify.toml:5: until = 'soon'; allowed: a date"),
        (AUDIT + "data = [1]\naccept.until = 2027-01-31T00:00:00", "dpverify.toml:5: until = .*a date"),
        (AUDIT + "data = [1]\nexpect = 'refuted'", "dpverify.toml:5: expect = 'refuted'; allowed: stands or broken"),
        (
            AUDIT + "data = [1]\nexpect = 'broken'\naccept = { verdict = 'refuted', reason = 'x', until = 2027-01-31 }",
            'dpverify.toml:6: the audit .* has accept and expect = "broken"; .*delete one of them',
        ),
        (AUDIT + "data = [1]\naccept.reason = ' '", "dpverify.toml:5: reason = ' '; .*not empty"),
        ("x = = 1", "dpverify.toml:1: Invalid value; allowed: a text file in TOML"),
        ("x = [", "dpverify.toml: .*; allowed: a text file in TOML"),
    ],
)
def test_a_fault_is_one_line_with_its_place(tmp_path, text, said):
    first, *_ = lines(tmp_path, text)
    assert re.match(said, first), first
    assert "\n" not in first


def test_all_faults_are_said_at_once_and_no_data_are_shown(tmp_path):
    found = lines(tmp_path, "sead = 1\n" + AUDIT + "data = 4711\ntrials = 0\n")
    assert [each.split(":")[1] for each in found] == ["1", "5", "6"]
    assert "4711" not in "".join(found)


def test_a_file_that_is_not_there_or_no_text(tmp_path):
    with pytest.raises(SuiteFileError, match=r"no file dpverify.toml; allowed: a suite file"):
        read(tmp_path / "dpverify.toml")
    (tmp_path / "dpverify.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SuiteFileError, match=r"dpverify.toml: .*allowed: a text file in TOML"):
        read(tmp_path / "dpverify.toml")


SCALARS = st.none() | st.booleans() | st.integers(-2, 3) | st.floats(-1, 2) | st.sampled_from(["", " ", "quick", "m:f"])
NAMES = st.sampled_from([*schema()["properties"], *schema()["$defs"]["audit"]["properties"], "other"])
VALUES = st.recursive(SCALARS, lambda each: st.lists(each, max_size=2) | st.dictionaries(NAMES, each, max_size=4))
TABLES = st.fixed_dictionaries(
    {"mechanism": st.just("m:f"), "claim": st.just("x")}, optional={"data": VALUES, "accept": VALUES, "seed": VALUES}
)
FILES = st.dictionaries(NAMES, VALUES, max_size=4) | st.fixed_dictionaries({"audit": st.lists(TABLES, max_size=2)})


@given(FILES)
def test_the_checker_agrees_with_a_general_one(value):
    """But for texts of blanks, which only ours refuses, and for null, which TOML does not have."""
    text = json.dumps(value)
    if "null" in text or '" "' in text:
        return
    known = jsonschema.Draft202012Validator(schema(), format_checker=jsonschema.FormatChecker())
    assert bool([*faults(value)]) == (not known.is_valid(value))


def test_the_schema_is_a_schema_that_describes_every_key():
    jsonschema.Draft202012Validator.check_schema(schema())
    tables = [schema(), schema()["$defs"]["audit"], schema()["$defs"]["accept"]]
    keys = [each for table in tables for each in table["properties"].values()]
    assert all("$ref" in each or each.get("description") for each in keys)
    assert all(each.get("description") or name == "audit" for name, each in schema()["$defs"].items())


def test_what_is_asked_goes_from_the_command_line_to_the_entry_to_the_file():
    typed, entry, file = Asked(seed=7), Asked(seed=5, detect=3.0), Asked(seed=3, detect=4.0, profile="full")
    found = typed.over(entry.over(file))
    assert found == Asked(seed=7, detect=3.0, profile="full")
    whole = found.complete()
    assert (whole.seed, whole.seconds, whole.detect, whole.false_alarm_rate) == (7, 300.0, 3.0, 1e-9)
    assert Asked().complete().seconds == 30.0


@pytest.mark.parametrize(
    "words",
    [{"confidence": 1.0}, {"profile": "fast"}, {"seed": -1}, {"seconds": 0.0}, {"detect": 1.0}, {"trials": 0}],
)
def test_what_a_command_line_may_not_ask_for(words):
    with pytest.raises(ValueError, match="allowed"):
        asked_for(**{"confidence": None, **words})


@pytest.mark.parametrize("above", [True, False])
def test_both_names_of_seconds_are_refused(tmp_path, above):
    both = "seconds = 1\nmax-seconds = 1\n"
    with pytest.raises(SuiteFileError, match="seconds and max-seconds, its older name; allowed: seconds alone"):
        read(written(tmp_path, f"{both}{AUDIT}data = [1]" if above else f"{AUDIT}data = [1]\n{both}"))


def test_the_older_name_of_seconds_is_told(tmp_path):
    found = read(written(tmp_path, f"max-seconds = 3\n{AUDIT}data = [1]"))
    assert found.asked.seconds == 3 and "is called seconds now" in found.told
    assert read(written(tmp_path, f"seconds = 3\n{AUDIT}data = [1]")).told == ""
