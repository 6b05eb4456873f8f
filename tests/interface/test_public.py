"""The public names are those of the committed listing, and no listing breaks what an earlier one promised."""

from __future__ import annotations

import copy
import re
from itertools import pairwise
from pathlib import Path

import pytest

import dpverify
from tests.interface.public import broken, listing, present, versions
from tests.release.__main__ import section

ROOT = Path(dpverify.__file__).parents[1]
PAGE = (ROOT / "docs/reference/promises.md").read_text()
NOW = listing(dpverify.__version__)


def test_what_is_public_is_what_the_listing_says():
    """After a change: a line in the changelog, and `python -m tests.interface.public`."""
    found = present()
    assert {name: entry["has"] for name, entry in NOW.items()} == found


def test_no_version_breaks_what_the_one_before_promised():
    changelog = (ROOT / "CHANGELOG.md").read_text()
    known = versions()
    assert known[-1] == dpverify.__version__
    for before, after in pairwise(known):
        changes = section(changelog, after, dated=False)
        assert broken(listing(before), listing(after), version=after, changes=changes) == []


def test_the_page_names_what_is_provisional_and_stable():
    kinds: dict[str, set[str]] = {}
    for name, entry in NOW.items():
        kinds.setdefault(entry["is"], set()).add(name)
    assert set(kinds) <= {"stable", "provisional", "deprecated"}
    bullets = re.split(r"^- ", PAGE.partition("## Names")[2].partition("## Files")[0], flags=re.MULTILINE)[1:]
    named = [set(re.findall(r"`([\w-]+)`", bullet)) for bullet in bullets]
    commands, users, plugin = named[1], named[2], named[3]
    provisional = kinds["provisional"]
    assert {f"dpverify {each}" for each in commands} == {each for each in provisional if each.startswith("dpverify ")}
    assert {f"dpverify.{each}" for each in users} == {
        each for each in provisional if each.startswith("dpverify.") and each.count(".") == 1
    }
    assert {f"dpverify.plugin.{each}" for each in plugin} == {
        each for each in kinds["stable"] if each.startswith("dpverify.plugin.")
    }
    assert not any(each.startswith("dpverify.testing.") for each in kinds["stable"])


def test_every_promise_of_the_page_has_a_test_that_is_there():
    tests = re.findall(r"^\| .+ \| `(tests/[\w/.]+)` \|$", PAGE, re.MULTILINE)
    assert len(tests) >= 7
    for each in tests:
        assert "def test_" in (ROOT / each).read_text(), each


OLD = {
    "dpverify.audit": {"is": "stable", "has": ["(claim", "(data=", "(mechanism"]},
    "dpverify.Result": {"is": "stable", "has": ["check", "check(strict=", "verdict"]},
    "dpverify audit": {"is": "stable", "has": ["--claim=", "--data="]},
    "dpverify.canaries": {"is": "provisional", "has": ["(count"]},
    "dpverify.old": {"is": "deprecated", "since": "0.2.0", "has": []},
}
ALL = "- `audit`, `Result`, `dpverify audit`, `canaries`, `old`, `new`."


def changed(**entries):
    made = copy.deepcopy(OLD)
    for name, entry in entries.items():
        if entry is None:
            del made[name]
        else:
            made[name] = {**made.get(name, {"is": "provisional"}), **entry}
    return made


def test_an_addition_that_is_named_breaks_nothing():
    more = {
        "dpverify.audit": {"has": ["(claim", "(data=", "(detect=", "(mechanism="]},
        "dpverify.Result": {"has": ["check", "check(strict=", "note", "note(width", "verdict"]},
        "dpverify.new": {"has": ["(name"]},
        "dpverify.canaries": {"has": []},
    }
    assert broken(OLD, changed(**more), version="0.3.0", changes=ALL) == []


@pytest.mark.parametrize(
    ("name", "entry", "said"),
    [
        ("dpverify.audit", None, "gone without having been deprecated"),
        ("dpverify.audit", {"has": ["(claim", "(mechanism"]}, "has lost (data="),
        ("dpverify.audit", {"has": ["(claim", "(data=", "(mechanism", "(unit"]}, "asks for (unit)"),
        ("dpverify.audit", {"is": "provisional"}, "was stable and is provisional"),
        ("dpverify.audit", {"is": "deprecated"}, "since when"),
        ("dpverify.Result", {"has": ["check", "verdict"]}, "has lost check(strict="),
        ("dpverify.Result", {"has": ["check", "check(how", "check(strict=", "verdict"]}, "asks for check(how)"),
        ("dpverify audit", {"has": ["--claim="]}, "has lost --data="),
        ("dpverify.old", None, "after fewer than 2 minor versions"),
    ],
)
def test_a_broken_promise_is_said(name, entry, said):
    told = broken(OLD, changed(**{name: entry}), version="0.3.0", changes=ALL)
    assert [each for each in told if said in each], told


def test_what_was_deprecated_for_two_minor_versions_may_go():
    assert broken(OLD, changed(**{"dpverify.old": None}), version="0.4.0", changes=ALL) == []


@pytest.mark.parametrize("name", sorted(OLD))
def test_a_change_that_the_changelog_does_not_name_is_said(name):
    new = changed(**{name: {"has": [*OLD[name]["has"], "z="]}})
    told = broken(OLD, new, version="0.4.0", changes="- `auditing`, `x.other`.")
    assert any("the changelog of 0.4.0 does not name it" in each for each in told)
