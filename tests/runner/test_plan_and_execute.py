"""Planning and executing with stand-in parts: the runner knows only the Protocols."""

import json
from importlib.resources import files

import jsonschema
import numpy as np
import pytest
import sklearn.ensemble  # noqa: F401 - brings an OpenMP
from threadpoolctl import threadpool_info, threadpool_limits

from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.errors import AuditError, InputError
from dpverify.core.evidence import Evidence
from dpverify.core.measure import Measure
from dpverify.core.protocols import Pair
from dpverify.core.registry import Registry
from dpverify.core.suite import SuiteEntry
from dpverify.definitions.pure_dp import PureDP
from dpverify.runner.cross_check import lightened
from dpverify.runner.execute import execute
from dpverify.runner.plan import check_trials, make_plan, select_entries
from dpverify.runner.record import dump, plain, record
from dpverify.runner.row import exit_status
from dpverify.stats.power import detectable_epsilon

SCHEMA = json.loads(files("dpverify.reporting").joinpath("record.schema.json").read_text())


class Promise:
    def text(self):
        return "Promise()"

    def measures(self):
        return (Measure(kind="epsilon", argument=0.0, claimed=1.0),)


class Generator:
    name = relation = "replace"

    def count(self, space):
        return None

    def check(self, d0, d1):
        return None

    def candidates(self, space, *, limit, rng):
        return [Pair(d0=0, d1=1)]

    def box(self, space):
        return None

    def decode(self, space, vector):
        return Pair(d0=0, d1=1)


class Noise:
    def __init__(self, shift=0.0):
        self.shift = shift

    def sample(self, dataset, size, *, rng):
        return rng.normal(size=size) + self.shift


class Mean:
    """Reports a mean of named draws: enough to see whose numbers depend on what."""

    name, version, statistical = "mean", "1", True

    def __init__(self, problem=None):
        self.problem = problem

    def refuses(self, task):
        return None

    def audit(self, task):
        if self.problem:
            raise self.problem
        value = float(np.mean(task.build().sample(0, task.trials, rng=task.stream("certify", 0))))
        return Evidence(
            claim=task.claim.id,
            auditor=self.name,
            version="1",
            measure=task.claim.guarantee.measures()[0],
            bound=abs(value),
            excess=abs(value) - 1,
            confidence=1 - task.alpha,
            trials=task.trials,
        )


def entry(name, expectation=None, *, subject="noise", profile="quick", guarantee=None, **parameters):
    claim = Claim(
        id=name,
        guarantee=guarantee or Promise(),
        relation="replace",
        subject=subject,
        source=Source(paper="test", locus=""),
        parameters=parameters,
        space=SearchSpace(),
    )
    return SuiteEntry(claim=claim, expectation=expectation, suites=("core",), profile=profile)


def house(*entries, auditors=None):
    registry = Registry()
    registry.mechanisms.add("noise", Noise)
    registry.neighbors.add("replace", Generator())
    for auditor in auditors or [Mean()]:
        registry.auditors.add(f"{auditor.name}{len(registry.auditors)}", auditor)
    for item in entries:
        registry.add_entry(item)
    return registry


def rows(registry, *, jobs=1, **given):
    chosen = select_entries(registry, suite="core", profile=given.get("profile", "quick"))
    return execute(make_plan(registry, chosen, trials=1000, **given), jobs=jobs)


def test_alpha_is_split_over_every_statistical_audit():
    registry = house(entry("a"), entry("b"), auditors=[Mean(), Mean()])
    plan = make_plan(registry, select_entries(registry, suite="core", profile="quick"), confidence=0.99)
    assert plan.statistical == 4
    assert plan.alpha == pytest.approx(0.01 / 4)
    assert {unit.task.alpha for unit in plan.units} == {plan.alpha}


def test_only_keeps_the_share_of_the_whole_plan():
    registry = house(entry("a1"), entry("a2"), entry("b"))
    plan = make_plan(registry, select_entries(registry, suite="core", profile="quick"))
    assert plan.only("a*").alpha == plan.alpha
    assert [unit.entry.claim.id for unit in plan.only("a*").units] == ["a1", "a2"]
    with pytest.raises(InputError, match="matches no claim"):
        plan.only("z*")


def test_the_quick_profile_leaves_out_what_only_the_full_one_audits():
    registry = house(entry("a"), entry("b", profile="full"))
    assert len(select_entries(registry, suite="core", profile="quick")) == 1
    assert len(select_entries(registry, suite="core", profile="full")) == 2
    with pytest.raises(InputError, match="profile 'huge'"):
        select_entries(registry, suite="core", profile="huge")
    with pytest.raises(InputError, match="suite 'nope'"):
        select_entries(registry, suite="nope", profile="quick")


def test_numbers_do_not_depend_on_workers_order_or_company():
    many = house(*[entry(name) for name in "abcdefg"])
    one = [row.verdict.leading.bound for row in rows(many, jobs=1)]
    assert one == [row.verdict.leading.bound for row in rows(many, jobs=3)]
    alone = rows(house(entry("c")))
    assert alone[0].verdict.leading.bound == one[2]
    assert len(set(one)) == len(one)
    assert [row.verdict.leading.bound for row in rows(many, seed=1)] != one


def test_parameters_reach_the_subject():
    assert rows(house(entry("a", shift=5.0)))[0].verdict.leading.bound == pytest.approx(5, abs=0.5)


@pytest.mark.parametrize(
    ("expectation", "shift", "status"),
    [("stands", 0.0, 0), ("stands", 5.0, 1), ("broken", 5.0, 0), ("broken", 0.0, 1), (None, 5.0, 0), (None, 0.0, 0)],
)
def test_exit_status_compares_with_the_expectation(expectation, shift, status):
    assert exit_status(rows(house(entry("a", expectation, shift=shift)))) == status


@pytest.mark.parametrize("problem", [AuditError("it broke"), RuntimeError("a subject\nraised")])
def test_a_failing_audit_is_an_error_row_and_the_others_go_on(problem):
    found = rows(house(entry("a", "stands"), auditors=[Mean(problem)]))
    assert found[0].verdict.status == "error"
    assert "\n" not in found[0].verdict.reason
    assert exit_status(found) == 3


def test_records_fit_the_schema_and_json():
    found = [record(row) for row in rows(house(entry("a", "stands"), entry("b", "broken", shift=9.0)))]
    jsonschema.validate(found[0], SCHEMA)
    jsonschema.validate(found[1], SCHEMA)
    assert json.loads(dump(found)) == found
    assert found[1]["verdict"] == "refuted"
    assert found[1]["reproduce"].startswith("dpverify run core")


def test_a_wrong_record_does_not_fit_the_schema():
    found = record(rows(house(entry("a")))[0]) | {"verdict": "private"}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(found, SCHEMA)


def test_plain_values():
    assert plain({"a": np.float64(1.5), "b": np.array([1, 2]), "c": float("inf"), "d": float("nan")}) == {
        "a": 1.5,
        "b": [1, 2],
        "c": "inf",
        "d": None,
    }


class Refuses(Mean):
    name = "refuses"

    def refuses(self, task):
        return "it looks at other claims"


def test_an_expected_verdict_that_nobody_gave_is_not_a_pass():
    found = rows(house(entry("a", "stands"), auditors=[Refuses()]))
    assert found[0].verdict.status == "unsupported"
    assert exit_status(found) == 3
    assert exit_status(rows(house(entry("a"), auditors=[Refuses()]))) == 0


def test_the_command_that_reproduces_a_row_names_what_was_asked():
    (row,) = rows(house(entry("a")), seed=7)
    assert row.reproduce == "dpverify run core --profile quick --seed 7 --confidence 0.999 --trials 1000 --only a"


def test_a_subject_that_exits_is_an_error_row():
    assert rows(house(entry("a", "stands"), auditors=[Mean(SystemExit(0))]))[0].verdict.status == "error"


@pytest.mark.parametrize("confidence", [0.0, 1.0, 1e-300, -1.0, float("nan")])
def test_confidence_is_checked(confidence):
    with pytest.raises(InputError, match="confidence"):
        rows(house(entry("a")), confidence=confidence)


@pytest.mark.parametrize("jobs", [1, 2])
def test_subjects_are_built_and_audited_at_one_thread(jobs):
    """In plans too: a subject may remember what it computed there, and hold it against an audit elsewhere."""
    seen = []

    def look(what):
        seen.append((what, {library["num_threads"] for library in threadpool_info()}))

    class Looking(Noise):
        def __init__(self):
            super().__init__()
            look("built")

        def sample(self, dataset, size, *, rng):
            look("sampled")
            return super().sample(dataset, size, rng=rng)

    registry = house(entry("a", subject="looking"), entry("b", subject="looking"))
    registry.mechanisms.add("looking", Looking)
    with threadpool_limits(limits=2):
        plan = make_plan(registry, select_entries(registry, suite="core", profile="quick"))
        assert [what for what, _ in seen] == ["built", "built"]
        execute(plan, jobs=jobs)
    assert sorted(what for what, _ in seen) == ["built"] * 4 + ["sampled"] * 2
    assert all(threads == {1} for _, threads in seen)


class Exact:
    """Says of the law what it is told to."""

    name, version, statistical = "exact", "1", False

    def __init__(self, **says):
        self.says = {"bound": 1.0, "excess": 0.0, "error": 0.0, **says}

    def refuses(self, task):
        return None

    def audit(self, task):
        return Evidence(
            claim=task.claim.id,
            auditor=self.name,
            version="1",
            measure=task.claim.guarantee.measures()[0],
            **self.says,
        )


PROOF = {"proved": True, "coverage": "enumeration"}
ALL = 2_000_000


def settled_row(says, *, epsilon=1.0, auditor=None, **given):
    registry = house(entry("a", guarantee=PureDP(epsilon=epsilon)), auditors=[auditor or Glance(), Exact(**says)])
    chosen = select_entries(registry, suite="core", profile=given.get("profile", "quick"))
    (row,) = execute(make_plan(registry, chosen, **given))
    return {item.auditor: item.trials for item in row.verdict.evidence}


class Glance(Mean):
    """Says what it was asked to draw, and draws nothing."""

    def audit(self, task):
        measure = task.claim.guarantee.measures()[0]
        said = {"measure": measure, "bound": 0.0, "excess": -1.0, "confidence": 1 - task.alpha, "trials": task.trials}
        return Evidence(claim=task.claim.id, auditor=self.name, version="1", **said)


@pytest.mark.parametrize(
    ("says", "drawn"),
    [
        ({}, 50_000),
        ({"bound": 0.991}, 50_000),
        ({"bound": 0.7} | PROOF, 50_000),
        ({"bound": 2.0, "excess": 1.0, "proved": True}, 50_000),
        ({"bound": 0.98}, ALL),
        ({"bound": 2.0, "excess": 1.0}, ALL),
    ],
    ids=["reached", "as good as reached", "certified", "refuted", "not reached", "exceeded without a proof"],
)
def test_what_an_exact_method_settled_is_still_sampled_at_a_small_budget(says, drawn):
    assert settled_row(says) == {"exact": 0, "mean": drawn}
    assert settled_row(says, profile="full") == {"exact": 0, "mean": 40_000_000}


@pytest.mark.parametrize("trials", [1, 3900, 4000, 50_000, 3_000_000])
def test_draws_asked_for_by_number_are_drawn(trials):
    assert settled_row({}, trials=trials) == {"exact": 0, "mean": trials}


def test_small_claims_are_checked_with_more_draws():
    drawn = [settled_row(PROOF, epsilon=epsilon)["mean"] for epsilon in (3.0, 1.0, 0.2, 0.1, 0.002)]
    assert drawn == sorted(drawn)
    assert (drawn[0], drawn[-1]) == (50_000, ALL)
    assert 50_000 < drawn[3] < ALL


def test_what_a_proof_has_refuted_is_sampled_at_the_floor_whatever_the_claim():
    refuted = {"bound": 2.0, "excess": 1.0, "proved": True}
    assert [settled_row(refuted, epsilon=epsilon)["mean"] for epsilon in (1.0, 0.1)] == [50_000, 50_000]


@pytest.mark.parametrize("trials", [1, 100, 49_999, 50_000, 50_001, 10**6])
def test_the_check_never_draws_more_than_there_are_nor_fewer_than_the_floor(trials):
    registry = house(entry("a", guarantee=PureDP(epsilon=0.05)))
    plan = make_plan(registry, select_entries(registry, suite="core", profile="quick"), trials=trials)
    assert min(trials, 50_000) <= lightened(plan.units[0].task).trials <= trials


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 2.0])
def test_the_draws_of_the_check_would_catch_half_as_much_again(epsilon):
    registry = house(entry("a", guarantee=PureDP(epsilon=epsilon)))
    task = make_plan(registry, select_entries(registry, suite="core", profile="quick")).units[0].task
    n = lightened(task).trials
    given = {"epsilon_claim": epsilon, "alpha": task.alpha}
    assert min(detectable_epsilon(q, n, n, **given) for q in (0.1, 0.01, 0.001)) <= 1.5 * epsilon * 1.001
    assert n == 50_000 or detectable_epsilon(0.1, n // 2, n // 2, **given) > 1.5 * epsilon


class Counting(Mean):
    """Needs so many draws for its claim, and must never be run."""

    name = "counting"

    def __init__(self, **least):
        super().__init__(AssertionError("it was run"))
        self.least = least

    def lacks(self, task):
        least = self.least[task.claim.id]
        return least if task.trials < least else None


@pytest.mark.parametrize(("trials", "named"), [(10, "b"), (150, "c"), (299, "c"), (300, None), (None, None)])
def test_draws_that_could_refute_nothing_are_refused_before_the_run(trials, named):
    registry = house(entry("a"), entry("b"), entry("c"), auditors=[Counting(a=1, b=100, c=300)])
    plan = make_plan(registry, select_entries(registry, suite="core", profile="quick"), trials=trials)
    if named is None:
        return check_trials(plan)
    with pytest.raises(InputError, match=f"--trials {trials}: .*cannot refute {named}, .* 300 for every claim"):
        check_trials(plan)
    return check_trials(plan.only("a"))  # only what is run is asked


def test_the_small_budget_does_not_change_the_share_of_the_false_alarms():
    registry = house(entry("a"), entry("b"), auditors=[Mean(), Exact()])
    plan = make_plan(registry, select_entries(registry, suite="core", profile="quick"))
    assert plan.statistical == 2
    sampled = [item for row in execute(plan) for item in row.verdict.evidence if item.auditor == "mean"]
    assert [item.confidence for item in sampled] == [1 - plan.alpha] * 2


@pytest.mark.parametrize("says", [{}, PROOF], ids=["reached", "certified"])
@pytest.mark.parametrize("profile", ["quick", "full"])
def test_a_sampler_that_leaks_more_than_its_law_is_refuted(says, profile):
    (row,) = rows(house(entry("a", "stands", shift=5.0), auditors=[Mean(), Exact(**says)]), profile=profile)
    assert row.verdict.status == "refuted"
    assert row.verdict.leading.auditor == "mean"
    assert exit_status([row]) == 1
    assert [part["auditor"] for part in record(row)["evidence"]] == ["mean", "exact"]


class Needs(Glance):
    """Refuses fewer draws than it needs, as an auditor does that could say nothing with them."""

    def __init__(self, least):
        self.problem, self.least = None, least

    def audit(self, task):
        if task.trials < self.least:
            raise InputError(f"{task.trials} trials", allowed=f"at least {self.least}")
        return super().audit(task)


@pytest.mark.parametrize(("least", "drawn"), [(50_000, 50_000), (50_001, ALL), (ALL + 1, None)])
def test_where_few_draws_can_show_nothing_all_are_drawn(least, drawn):
    assert settled_row({}, auditor=Needs(least)).get("mean") == drawn
