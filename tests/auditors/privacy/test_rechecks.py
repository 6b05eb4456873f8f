"""Every method's record gives its bound back from its counts, and no number behind a bound can be changed unseen.

The bounds are computed again by other code than printed them only where choosing was involved (which look, which rule,
which point, the bets' wealths); the regions themselves are tested beside them.
"""

import random

import pytest

from tests.auditors.privacy.recheck_cases import CASES, fresh, look

COUNTS = {"k1", "k2", "n1", "n2", "counts", "canaries", "correct", "pairs_bet", "pairs", "looks", "sizes", "values"}
"""Under these names stand the numbers that bounds are computed from."""

OWN = (
    ("loss", "pairs"),
    ("one-run", "rules", "correct"),
    ("one-run of mu", "rules", "correct"),
    ("paired", "moved"),
    ("paired that gains", "moved"),
)
"""Told only: how many pairs of data sets were tried, counts of rules that did not lead, and values with a moved setting
(behind an outcome, not behind the bound)."""

TRIED = 6
"""Numbers changed in each record; all of them where they are fewer."""


def numbers(value, path=()):
    """Paths to all numbers in a JSON value."""
    if isinstance(value, dict | list):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        return [found for key, part in parts for found in numbers(part, (*path, key))]
    return [path] if isinstance(value, int | float) and not isinstance(value, bool) else []


def counts_in(name):
    """Paths to the counts behind the bound; a fixed sample of them where there are many."""
    paths = [path for path in numbers(fresh(name)["evidence"][0]["statistics"]) if COUNTS & set(path)]
    paths = [path for path in paths if not any(name == own[0] and set(own[1:]) <= {*path} for own in OWN)]
    paths = [path for path in paths if "fixed_event" not in path and not {"instalments", "pairs_bet"} <= {*path}]
    return paths if len(paths) <= TRIED else random.Random(0).sample(paths, TRIED)


def changed(name, path, change):
    """The record with one number of its statistics changed."""
    item = fresh(name)
    inside = item["evidence"][0]["statistics"]
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = change(inside[path[-1]])
    return item


@pytest.mark.parametrize("name", CASES)
def test_what_was_printed_is_what_the_counts_give(name):
    found = look(fresh(name))
    assert found.says == "agrees", (found.looked, found.faults)
    assert found.looked[0].again == pytest.approx(fresh(name)["bound"], rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("name", CASES)
def test_a_count_changed_by_one_is_caught(name):
    paths = counts_in(name)
    assert paths
    unseen = [
        (path, by)
        for path in paths
        for by in (1, -1)
        if look(changed(name, path, lambda n, by=by: n + by)).says == "agrees"
    ]
    assert unseen == []


@pytest.mark.parametrize("name", CASES)
def test_a_bound_raised_by_next_to_nothing_is_caught(name):
    for both in (True, False):
        item = fresh(name)
        item["evidence"][0]["bound"] += 1e-9
        if both:
            item["bound"] += 1e-9
            item["tightness"] = item["bound"] / item["claimed"] if item["claimed"] else item["tightness"]
        found = look(item)
        assert found.says == "differs"
        assert "printed bound" in found.looked[0].told


@pytest.mark.parametrize("name", ["event", "event that stands", "sequential", "one-run of mu"])
def test_a_verdict_turned_round_is_caught(name):
    other = "not_refuted" if fresh(name)["verdict"] == "refuted" else "refuted"
    item = fresh(name) | {"verdict": other}
    assert any("verdict" in fault for fault in look(item).faults)
    item["evidence"][0]["says"] = other
    item["excess"] = item["evidence"][0]["excess"] = -item["excess"]
    found = look(item)
    assert "the counts say" in found.looked[0].told


@pytest.mark.parametrize("name", ["event", "scores", "tradeoff", "one-run", "renyi", "sequential", "transcript"])
def test_a_confidence_that_was_not_paid_for_is_caught(name):
    item = fresh(name)
    item["confidence"] = item["evidence"][0]["confidence"] = 0.9999
    assert "confidence" in look(item).looked[0].told
    item["evidence"][0]["statistics"]["alpha"] = 1e-4  # then the parts, or the bound, are those of another one
    assert look(item).says == "differs"


@pytest.mark.parametrize("name", ["event", "scores", "tradeoff", "one-run", "renyi", "sequential", "transcript"])
def test_a_record_without_its_numbers_is_said_to_lack_them(name):
    item = fresh(name)
    item["evidence"][0]["statistics"] = {"alpha": item["evidence"][0]["statistics"]["alpha"]}
    found = look(item)
    assert found.says == "lacks"
    assert "the record has no" in found.looked[0].told


@pytest.mark.parametrize("name", ["event", "scores", "one-run", "renyi", "renyi as one event", "sequential"])
@pytest.mark.parametrize("junk", [None, "1", -1, 1e300, float("inf"), [], {}, True], ids=repr)
def test_no_junk_in_a_record_does_more_than_differ(name, junk):
    for path in counts_in(name)[:4]:
        assert look(changed(name, path, lambda _was: junk)).says in ("differs", "lacks")
    for key in fresh(name)["evidence"][0]["statistics"]:
        item = fresh(name)
        item["evidence"][0]["statistics"][key] = junk
        assert look(item).says in ("agrees", "differs", "lacks")


def test_bets_that_do_not_follow_from_what_was_counted_before_are_caught():
    """A better line, or more weight on the better stake, would be a bet made with the block's own counts in mind."""
    for key in ("slope", "delta"):
        item = changed("sequential", ("blocks", 0, "slots", 0, key), lambda value: value * 1.01 + 1e-6)
        assert "do not follow" in look(item).looked[0].told
    item = changed("sequential", ("blocks", 0, "slots", 0, "weights", 0), lambda value: value + 0.01)
    assert "do not follow" in look(item).looked[0].told


def test_stakes_of_instalments_come_to_one_at_most():
    told = fresh("sequential in instalments")["evidence"][0]["statistics"]["instalments"]
    assert [each["goes_on"] for each in told].count(True) > 0
    item = changed("sequential in instalments", ("instalments", 0, "stake"), lambda value: value + 0.5)
    assert "the instalments spend" in look(item).looked[0].told
    item = changed("sequential in instalments", ("instalments", 0, "stake"), lambda value: value + 0.01)
    assert "the e-value against the claim is printed" in look(item).looked[0].told
    item = changed("sequential in instalments", ("instalments", 1, "blocks"), lambda value: value + 1)
    assert "the number of blocks" in look(item).looked[0].told


def test_counts_inside_a_block_are_part_of_it():
    moments = fresh("sequential")["evidence"][0]["statistics"]["blocks"][0]["moments"]
    assert moments
    item = changed("sequential", ("blocks", 0, "moments", 0, 0, 2), lambda value: value + 10**6)
    assert "no part of it" in look(item).looked[0].told


def test_a_look_that_was_not_planned_is_caught():
    item = changed("scores", ("k2",), lambda value: value + 2 if value else 4)
    assert "no planned look leaves" in look(item).looked[0].told
    item = changed("scores", ("looks",), lambda value: value - 1)
    assert "the number of looks" in look(item).looked[0].told
    item = changed("scores", ("region", "share"), lambda value: value + 0.1)
    assert "the region's share" in look(item).looked[0].told


def test_a_rule_or_a_point_that_does_not_lead_is_not_taken_for_the_one_that_does():
    item = changed("one-run", ("called_in",), lambda value: value + 1)
    assert "the rule is" in look(item).looked[0].told
    item = changed("tradeoff refuted", ("decisive",), lambda value: value + 1)
    assert "the decisive point is" in look(item).looked[0].told


def test_a_direction_that_is_another_one_in_the_witness_is_caught():
    for name in ("event", "renyi", "scores"):
        item = fresh(name)
        words = item["evidence"][0]["witness"]["direction"].split(" against ")
        item["witness"]["direction"] = item["evidence"][0]["witness"]["direction"] = " against ".join(words[::-1])
        assert "the direction is" in look(item).looked[0].told


def test_draws_are_as_many_as_their_bins_hold():
    for name in ("n1", "n2"):
        item = changed("renyi", (name,), lambda value: value + 1)
        assert "the number of draws" in look(item).looked[0].told


def test_earlier_sessions_are_not_in_the_record():
    found = look(changed("sequential", ("nights",), lambda value: value + 1))
    assert found.says == "lacks"
    assert "earlier" in found.looked[0].told


def test_error_spent_twice_is_caught():
    item = changed("tradeoff", ("points", 1, "alpha"), lambda value: value * 40)
    assert "spend" in look(item).looked[0].told
    item = changed("scores", ("alpha_of_this_look",), lambda value: value * 2)
    assert "part of the error" in look(item).looked[0].told
    item = changed("one-run", ("alpha_of_this_rule",), lambda value: value * 2)
    assert "part of the error" in look(item).looked[0].told
    item = changed("transcript", ("assumption_free", "events", 1, "alpha"), lambda value: value * 2)
    assert "spend" in look(item).looked[0].told
