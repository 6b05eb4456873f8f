"""The paired auditor: what it makes of values, that statements flip with their arms, and that records hold together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from auditors.utility.paired import PairedAuditor
from auditors.utility.shortfalls import judged
from dpverify.core.auditing import Task
from dpverify.core.claim import Claim, Source
from dpverify.core.comparing import Grid, Series, series_key
from dpverify.core.errors import InputError
from dpverify.core.evidence import ContradictionError, LackingError
from dpverify.core.verdict import Status, decide, judge
from dpverify.definitions.comparisons import Ordering, Shape
from dpverify.definitions.pure_dp import PureDP
from dpverify.runner.plan import task_streams

AB = Ordering(metric="accuracy", better=("a",), worse=("b",), margin=0.5, unit="own")
BA = replace(AB, better=("b",), worse=("a",))


class Curves:
    """Means by arm; normal numbers around them."""

    statements = 2

    def __init__(self, means, *, runs=12, **more):
        self.means, self.runs, self.more = means, runs, more

    def lacks(self):
        return self.more.get("missing", "")

    def series(self, arms, metrics, task):
        rng = task.stream("s")
        values = {
            series_key("d", arm, metric, x): (self.means[arm] + 0.1 * rng.normal(size=self.runs)).tolist()
            for arm in arms
            for metric in metrics
            for x in (1.0, 2.0)
        }
        return Series(values=values, grid=Grid(data=("d",), xs=(1.0, 2.0)), **self.more)


def task_of(guarantee, subject, **more):
    claim = Claim(id="c", guarantee=guarantee, relation="replace", subject="s", source=Source(paper="p", locus=""))
    settings = {"alpha": 0.05, "trials": 1, "neighbors": None, "stream": task_streams(0, "paired"), **more}
    return Task(claim=claim, build=lambda **_: subject, **settings)


def audited(guarantee, subject):
    return PairedAuditor().audit(task_of(guarantee, subject))


def test_a_difference_beyond_the_margin_refutes_and_the_swapped_statement_holds():
    subject = Curves({"a": 0.0, "b": 1.0})
    fails, holds = audited(AB, subject), audited(BA, subject)
    assert (fails.statistics["outcome"], judge(fails)) == ("refuted", Status.REFUTED)
    assert (holds.statistics["outcome"], judge(holds)) == ("confirmed", Status.NOT_REFUTED)
    assert fails.bound > 0.5
    assert fails.statistics["failing"] == ["a against b on d at 1", "a against b on d at 2"]
    assert fails.confidence == 1 - 0.05 / 2  # a page of two statements


def test_neither_is_undecided_and_says_what_could_have_been_seen():
    found = audited(replace(AB, margin=0.0), Curves({"a": 0.0, "b": 0.0}))
    assert found.statistics["outcome"] == "undecided"
    assert judge(found) is Status.INCONCLUSIVE
    assert "80 % power" in decide(task_of(AB, None).claim, [found]).reason


def test_a_verdict_that_turns_with_a_setting_depends_on_it():
    worse = {series_key("d", "a", "accuracy", x): [0.0, 0.1] * 5 for x in (1.0, 2.0)}
    moved = [{"arm": "a", "setting": "eta", "value": 9, "values": worse}]
    found = audited(AB, Curves({"a": 1.0, "b": 1.0}, moved=moved))
    assert found.statistics["outcome"] == "depends"
    assert judge(found) is Status.INCONCLUSIVE
    assert "eta = 9 of a makes it refuted" in found.statistics["vacuous"]
    assert [each["outcome"] for each in found.statistics["moved"]] == ["refuted"]
    told = [{**each, "outcome": "confirmed"} for each in found.statistics["moved"]]
    with pytest.raises(ContradictionError, match="moved settings"):
        PairedAuditor().recheck(AB, replace(found, statistics={**found.statistics, "moved": told}))
    other = audited(BA, Curves({"a": 2.0, "b": 0.9}, moved=moved))  # refuted, and confirmed with the moved setting
    assert other.statistics["outcome"] == "depends"
    assert judge(other) is Status.INCONCLUSIVE
    assert other.excess <= 0 < other.bound


def moved_by(values, count=10, spread=0.1, arm="a"):
    """A setting with which an arm has these means, at so many repetitions."""
    rows = {
        series_key("d", arm, "accuracy", x): [values + spread * (-1) ** place for place in range(count)]
        for x in (1.0, 2.0)
    }
    return [{"arm": arm, "setting": "eta", "value": 9, "values": rows}]


def outcome_with(moved, means=None, runs=12):
    found = audited(BA, Curves(means or {"a": 0.0, "b": 1.0}, moved=moved, runs=runs))
    return found.statistics["outcome"], found.statistics["moved"][0]["outcome"]


def test_a_verdict_that_a_moved_setting_takes_away_depends_on_it():
    """BA holds for a = 0, b = 1: with a at 1.45 it is within the spread of the margin 0.5, with 1 it still holds."""
    assert outcome_with(moved_by(0.0)) == ("confirmed", "confirmed")
    assert outcome_with(moved_by(1.0)) == ("confirmed", "confirmed")
    assert outcome_with(moved_by(1.45, spread=0.3)) == ("depends", "undecided")
    assert outcome_with(moved_by(3.0)) == ("depends", "refuted")
    refuted = audited(AB, Curves({"a": 0.0, "b": 1.0}, moved=moved_by(0.5, spread=0.3)))
    assert refuted.statistics["outcome"] == "depends"
    assert judge(refuted) is Status.INCONCLUSIVE


def test_too_few_repetitions_take_no_verdict_away():
    """At five repetitions the used settings would not decide either; nor does a change that chance explains."""
    assert outcome_with(moved_by(1.45, count=5, spread=0.3)) == ("confirmed", "undecided")
    close = {"a": 1.3, "b": 1.0}
    assert outcome_with(moved_by(1.35, spread=0.9), close, runs=40) == ("confirmed", "undecided")


def test_a_setting_that_ruins_training_without_noise_counts_for_nothing():
    ruined = [{**each, "ruined": True} for each in moved_by(3.0)]
    assert outcome_with(ruined) == ("confirmed", "ruined")


def test_an_arm_that_learns_nothing_with_a_moved_setting_takes_no_verdict_away():
    claim = Shape(kind="flat", metric="accuracy", of=("a",), margin=0.5, unit="own")
    means = {"a": 1.0}
    idle = audited(claim, Curves(means, moved=moved_by(0.1, spread=0.01), levels={"d|accuracy": 0.5}))
    assert (idle.statistics["outcome"], idle.statistics["moved"][0]["outcome"]) == ("confirmed", "undecided")


def test_the_level_of_a_verdict_is_where_it_would_just_be_reached():
    found = audited(AB, Curves({"a": 0.0, "b": 0.6}))
    said = found.statistics
    assert said["outcome"] == "refuted" and 1e-15 < said["p"] < 0.025
    for factor, outcome in ((0.98, "undecided"), (1.02, "refuted")):
        assert judged(AB, said, alpha=factor * said["p"]).outcome == outcome
    assert audited(replace(AB, margin=0.0), Curves({"a": 0.0, "b": 0.0})).statistics["p"] == 1.0
    with pytest.raises(ContradictionError, match="level of the verdict"):
        PairedAuditor().recheck(AB, replace(found, statistics={**said, "p": said["p"] / 2}))


def test_the_corrected_resampled_t_allows_for_shared_records():
    """With a fifth in the test part, twelve splits have the error of 1/12 + 1/4 in place of 1/12: twice as large."""
    plain, split = (audited(AB, Curves({"a": 0.0, "b": 0.6}, resampled=ratio)) for ratio in (0.0, 0.25))
    assert plain.statistics["corrected"] == ""
    assert (split.statistics["outcome"], split.statistics["corrected"]) == ("refuted", "undecided")
    assert split.bound == plain.bound  # the verdict does not rest on it
    clear = audited(AB, Curves({"a": 0.0, "b": 2.0}, resampled=0.25))
    assert clear.statistics["corrected"] == "refuted"


def test_the_worst_comparison_is_told_with_its_means():
    values = {series_key("d", arm, "accuracy", x): [mean] * 9 + [mean + 0.1] for arm, mean, x in
              (("a", 0.5, 1.0), ("b", 0.6, 1.0), ("a", 0.2, 2.0), ("b", 0.9, 2.0))}  # fmt: skip
    subject = Curves({})
    subject.series = lambda arms, metrics, task: Series(values=values, grid=Grid(data=("d",), xs=(1.0, 2.0)))
    found = audited(AB, subject)
    assert found.statistics["worst"] == "a against b on d at 2: a 0.21, b 0.91"
    with pytest.raises(ContradictionError, match="worst comparison is printed as a rose"):
        PairedAuditor().recheck(AB, replace(found, statistics={**found.statistics, "worst": "a rose"}))
    flat = Shape(kind="flat", metric="accuracy", of=("a",), margin=0.5, unit="own")
    assert audited(flat, subject).statistics["worst"].endswith(": a 0.21 (at 2), a 0.51 (at 1)")


def test_data_that_are_missing_are_an_outcome():
    claim = replace(AB, data=("elsewhere",))
    other = Curves({"a": 0.0, "b": 1.0})
    other.more["missing"] = {"elsewhere": "a file"}
    other.lacks = lambda: ""
    found = audited(claim, other)
    assert found.statistics["outcome"] == "missing"
    assert "data sets that are not here (elsewhere)" in found.statistics["vacuous"]
    assert PairedAuditor().recheck(claim, found).bound == found.bound


def test_margins_are_shares_of_the_range():
    subject = Curves({"a": 0.0, "b": 1.0}, ranges={"d|accuracy": 10.0})
    assert audited(replace(AB, unit="range"), subject).statistics["outcome"] == "confirmed"
    assert audited(replace(AB, unit="range", margin=0.05), subject).statistics["outcome"] == "refuted"
    with pytest.raises(LackingError, match="range of accuracy on d"):
        audited(replace(AB, unit="range"), Curves({"a": 0.0, "b": 1.0}))


def test_a_share_of_a_narrow_range_is_no_unit():
    """Bank's accuracy without privacy is half a point above the majority's: 5 % of that is nothing."""
    claim = replace(AB, unit="range")
    found = audited(claim, Curves({"a": 0.0, "b": 1.0}, ranges={"d|accuracy": 0.019}))
    assert (found.statistics["outcome"], found.trials) == ("undecided", 0)
    said = "nothing to compare: the recoverable range of accuracy on d is 0.019, below 0.02"
    assert said in found.statistics["vacuous"]
    assert found.statistics["narrow"] == ["the recoverable range of accuracy on d is 0.019, below 0.02"]
    assert PairedAuditor().recheck(claim, found).bound == found.bound
    wide = audited(claim, Curves({"a": 0.0, "b": 1.0}, ranges={"d|accuracy": 0.021}))
    assert (wide.statistics["outcome"], wide.statistics["narrow"]) == ("refuted", [])
    own = audited(AB, Curves({"a": 0.0, "b": 1.0}, ranges={"d|accuracy": 0.019}))
    assert (own.statistics["outcome"], own.statistics["narrow"]) == ("refuted", [])
    objective = replace(claim, metric="objective", better=("b",), worse=("a",))
    assert audited(objective, Curves({"a": 0.0, "b": 1.0}, ranges={"d|objective": 0.001})).trials == 12


def test_data_that_are_not_here_leave_nothing_to_compare():
    found = audited(replace(AB, data=("elsewhere",)), Curves({"a": 0.0, "b": 1.0}))
    assert found.statistics["outcome"] == "undecided"
    assert "none of the data sets and places" in found.statistics["vacuous"]


def test_ratios():
    slow = replace(AB, unit="log", metric="seconds", margin=float(np.log(2.5)))
    assert audited(slow, Curves({"a": 4.0, "b": 2.0})).statistics["outcome"] == "confirmed"
    assert audited(slow, Curves({"a": 6.0, "b": 2.0})).statistics["outcome"] == "refuted"
    with pytest.raises(InputError, match="above 0"):
        audited(slow, Curves({"a": -1.0, "b": 2.0}))


def test_computed_numbers_are_exact_evidence():
    subject = Curves({"a": 1.0, "b": 0.0}, runs=1, exact=True)
    found = audited(AB, subject)
    assert (found.confidence, found.error, found.proved) == (None, 0.0, False)
    assert judge(found) is Status.NOT_REFUTED
    with pytest.raises(InputError, match="1 repetitions"):
        audited(AB, Curves({"a": 1.0, "b": 0.0}, runs=1))


def test_what_it_refuses():
    assert "compares no means" in str(PairedAuditor().refuses(task_of(PureDP(epsilon=1.0), Curves({}))))
    assert "in pairs" in str(PairedAuditor().refuses(task_of(AB, object())))
    assert PairedAuditor().refuses(task_of(AB, Curves({}))) is None
    said = PairedAuditor().refuses(task_of(AB, Curves({}, missing="ipums (a file)")))
    assert said == "no data set is here: ipums (a file)"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"outcome": "confirmed"}, "outcome is printed as confirmed"),
        ({"failing": []}, "failing comparisons"),
        ({"values": {}}, "values of"),
    ],
)
def test_a_changed_record_is_noticed(change, said):
    found = audited(AB, Curves({"a": 0.0, "b": 1.0}))
    again = PairedAuditor().recheck(AB, found)
    assert (again.bound, again.excess) == (found.bound, found.excess)
    with pytest.raises((ContradictionError, LackingError), match=said):
        PairedAuditor().recheck(AB, replace(found, statistics={**found.statistics, **change}))


def test_an_undecided_record_must_say_so():
    found = audited(replace(AB, margin=0.0), Curves({"a": 0.0, "b": 0.0}))
    without = {name: value for name, value in found.statistics.items() if name != "vacuous"}
    with pytest.raises(ContradictionError, match="undecided"):
        PairedAuditor().recheck(replace(AB, margin=0.0), replace(found, statistics=without))


def test_a_shape_is_judged_alike():
    up = Shape(kind="increasing", metric="accuracy", of=("a",), unit="own")
    said = {
        "grid": {"data": ["d"], "xs": [1.0, 2.0]},
        "values": {"d|a|accuracy|1": [0.0, 0.1] * 5, "d|a|accuracy|2": [5.0, 5.2] * 5},
    }
    assert judged(up, said, alpha=0.05).outcome == "confirmed"
    assert judged(replace(up, kind="decreasing"), said, alpha=0.05).outcome == "refuted"


def test_arms_at_prices_of_their_own_must_cost_the_same():
    def priced(one, two):
        said = {"a": {"kind": "own", "d": {"1": one, "2": one}}, "b": {"kind": "own", "d": {"1": two, "2": two}}}
        return Curves({"a": 1.0, "b": 1.0}, prices=said)

    assert audited(AB, priced([1.0, "x"], [1.01, "x"])).statistics["outcome"] == "confirmed"
    for one, two in ((1.0, 1.1), (1.0, None), (None, None)):
        found = audited(AB, priced([one, "x"], [two, "x"]))
        assert (found.statistics["outcome"], judge(found)) == ("unequal", Status.INCONCLUSIVE)
    assert "not at one price on d at 1: epsilon of a unknown, b unknown" in found.statistics["vacuous"]
    assert PairedAuditor().recheck(AB, found).excess == found.excess
    forged = replace(found, statistics={**found.statistics, "outcome": "confirmed"})
    with pytest.raises(ContradictionError, match="the values say unequal"):
        PairedAuditor().recheck(AB, forged)


@pytest.mark.parametrize(
    ("one", "two", "outcome"),
    [
        (("one", 0.2), ("one", 1.0), "unequal"),
        (("own", 5.0), ("one", 1.0), "unequal"),
        (("one", 1.0), ("one", 0.998), "confirmed"),  # what a calibration leaves
        (("none", None), ("one", 1.0), "confirmed"),  # a reference beside any price
    ],
)
def test_arms_of_any_kind_that_pay_must_cost_the_same(one, two, outcome):
    prices = {
        arm: {"kind": kind, "d": {"1": [cost, "x"], "2": [cost, "x"]}}
        for arm, (kind, cost) in zip("ab", (one, two), strict=True)
    }
    assert audited(AB, Curves({"a": 1.0, "b": 1.0}, prices=prices)).statistics["outcome"] == outcome


def test_prices_are_looked_at_where_the_statement_speaks():
    prices = {arm: {"kind": "own", "d": {"1": [cost, "x"], "2": [1.0, "x"]}} for arm, cost in (("a", 1.0), ("b", 2.0))}
    subject = Curves({"a": 1.0, "b": 1.0}, prices=prices)
    assert audited(replace(AB, low=2.0), subject).statistics["outcome"] == "confirmed"
    assert audited(AB, subject).statistics["outcome"] == "unequal"
    rising = Shape(kind="increasing", metric="accuracy", of=("b",), margin=0.5, unit="own")
    assert audited(rising, subject).statistics["outcome"] == "confirmed"  # one arm at two prices


@pytest.mark.parametrize(("level", "outcome"), [(0.35, "confirmed"), (0.9, "undecided")])
def test_an_arm_that_learns_nothing_is_not_robust(level, outcome):
    """The lead narrows since one arm stands still at chance: that says nothing of it."""
    narrows = Shape(kind="narrowing", metric="accuracy", of=("a", "b"), margin=-0.1, unit="own")
    rng = np.random.default_rng(4)
    means = {("a", 1): 0.5, ("a", 2): 0.5, ("b", 1): 0.3, ("b", 2): 0.95}
    values = {f"d|{arm}|accuracy|{x}": (mean + 0.01 * rng.normal(size=12)).tolist() for (arm, x), mean in means.items()}
    said = {"grid": {"data": ["d"], "xs": [1.0, 2.0]}, "values": values, "levels": {"d|accuracy": level}}
    found = judged(narrows, said, alpha=0.05)
    assert found.outcome == outcome
    assert ("a learns nothing on d: its accuracy is 0.5 at best" in found.why) is (outcome == "undecided")
    against = judged(replace(narrows, kind="widening"), said, alpha=0.05)
    assert (against.outcome == "refuted", against.excess > 0) == (outcome == "confirmed",) * 2
    below = Ordering(metric="accuracy", better=("b",), worse=("a",), margin=0.0, unit="own", low=2.0)
    assert judged(below, said, alpha=0.05).outcome == "confirmed"  # orderings need no level


def at_one_place(a, b):
    values = {"d|a|accuracy|1": list(a), "d|b|accuracy|1": list(b)}
    return {"grid": {"data": ["d"], "xs": [1.0]}, "values": values}


@pytest.mark.parametrize("runs", [2, 12])
def test_equal_draws_are_no_evidence(runs):
    said = at_one_place([0.7] * runs, [0.7] * runs)
    for margin in (0.0, 0.5):
        assert judged(replace(AB, margin=margin), said, alpha=0.05).outcome == "undecided"
        assert judged(replace(AB, margin=margin), {**said, "exact": True}, alpha=0.05).outcome == "confirmed"
    lower = at_one_place([0.15, 0.20] * (runs // 2), [0.25, 0.30] * (runs // 2))  # 0.1 each, up to rounding
    assert judged(replace(AB, margin=0.0), lower, alpha=1e-6).outcome == "undecided"


def test_few_repetitions_give_no_verdict():
    rng = np.random.default_rng(1)
    for runs, outcome in ((9, "undecided"), (10, "refuted")):
        found = judged(AB, at_one_place(0.1 * rng.normal(size=runs), 5 + 0.1 * rng.normal(size=runs)), alpha=0.05)
        assert (found.outcome, found.excess > 0, bool(found.failing)) == (outcome, runs == 10, runs == 10)
    few = audited(AB, Curves({"a": 0.0, "b": 9.0}, runs=3))
    assert (judge(few), few.statistics["vacuous"]) == (
        Status.INCONCLUSIVE,
        "undecided: too few repetitions: 3, and a verdict needs 10",
    )


@pytest.mark.parametrize("runs", [2, 3, 10, 20])
def test_two_thousand_null_pages_of_coins(runs):
    """Differences of 0 or 1 with mean a half, at the margin: a false alarm of a valid method is rarer than 1e-9."""
    rng, alpha, pages = np.random.default_rng(runs), 0.05 / 6, 2_000
    coins = rng.integers(0, 2, size=(pages, runs)).astype(float)
    found = [judged(AB, at_one_place(np.zeros(runs), row), alpha=alpha).outcome for row in coins]
    for wrong in ("refuted", "confirmed"):  # the margin is where each of the two is an error
        assert stats.binom.sf(found.count(wrong) - 1, pages, alpha) > 1e-9, found.count(wrong)
