"""Plans executed, with stand-in parts: the same numbers in any company, and a row for whatever happens."""

import gc

import pytest
import sklearn.ensemble  # noqa: F401 - brings an OpenMP
from threadpoolctl import threadpool_info, threadpool_limits

from dpverify.core.errors import AuditError
from dpverify.runner.execute import execute, longest_first
from dpverify.runner.limits import Limits
from dpverify.runner.plan import make_plan, select_entries
from dpverify.runner.row import rows_status
from dpverify.runner.store.schema import StoreError
from dpverify.runner.store.store import Store
from dpverify.runner.watcher import Silent


def test_numbers_do_not_depend_on_workers_order_or_company(rows, house, entry):
    many = house(*[entry(name) for name in "abcdefg"])
    one = [row.verdict.leading.bound for row in rows(many, jobs=1)]
    assert one == [row.verdict.leading.bound for row in rows(many, jobs=3)]
    alone = rows(house(entry("c")))
    assert alone[0].verdict.leading.bound == one[2]
    assert len(set(one)) == len(one)
    assert [row.verdict.leading.bound for row in rows(many, seed=1)] != one


def test_what_nobody_has_timed_begins_first_then_what_took_longest(house, entry):
    known = house(*[entry(name) for name in "abcd"])
    units = make_plan(known, select_entries(known, suite="core", profile="quick"), trials=1000).units
    ordered = longest_first(units, {"a": 1.0, "b": 3.0, "d": 2.0})
    assert [unit.entry.claim.id for unit in ordered] == ["c", "b", "d", "a"]
    assert longest_first(units, {}) == units


def test_a_run_begins_with_what_took_longest_last_time_and_says_the_same(house, entry, tmp_path):
    class Watch(Silent):
        def start(self, claim):
            begun.append(claim)

    known, begun = house(*[entry(name) for name in "abc"]), []
    plan = make_plan(known, select_entries(known, suite="core", profile="quick"), trials=1000)
    with Store(tmp_path / "store.sqlite", make=True) as store:
        for state in ("done", "open"):
            run = store.begin(plan.suite, {}, {})
            for name, seconds in (("a", 1.0), ("b", 3.0), ("c", 2.0)):
                store.put_record(run, {"id": name, "seconds": seconds})
            if state == "done":
                store.end(run, state)
        rows = execute(plan, jobs=1, backend="threads", watcher=Watch(), store=store, run=run)
        assert begun == ["b", "c", "a"]
        begun.clear()
        execute(plan, jobs=1, backend="threads", watcher=Watch(), store=store, run=run, limits=Limits(seconds=600))
        assert begun == ["a", "b", "c"], "where time is short, the plan's own order"
    plain = execute(plan, jobs=1, backend="threads")
    assert [(row.id, row.verdict.leading.bound) for row in rows] == [
        (row.id, row.verdict.leading.bound) for row in plain
    ]


def test_parameters_reach_the_subject(rows, house, entry):
    assert rows(house(entry("a", shift=5.0)))[0].verdict.leading.bound == pytest.approx(5, abs=0.5)


@pytest.mark.parametrize("problem", [AuditError("it broke"), RuntimeError("a subject\nraised")])
def test_a_failing_audit_is_an_error_row_and_the_others_go_on(mean, rows, house, entry, problem):
    found = rows(house(entry("a", "stands"), auditors=[mean(problem)]))
    assert found[0].verdict.status == "error"
    assert "\n" not in found[0].verdict.reason
    assert rows_status(found) == 3


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_that_ends_early_says_so_once(house, entry, recwarn, jobs):
    """A full disk, say: its one line is not to stand beside what a library says of tasks that were cancelled."""
    known = house(*[entry(name) for name in "abcdefg"])
    plan = make_plan(known, select_entries(known, suite="core", profile="quick"), trials=1000)

    def full(row):
        raise StoreError("no room for the store")

    with pytest.raises(StoreError, match="no room"):
        execute(plan, jobs=jobs, keep=full)
    gc.collect()
    assert [str(each.message) for each in recwarn] == []


def test_a_subject_that_exits_is_an_error_row(mean, rows, house, entry):
    assert rows(house(entry("a", "stands"), auditors=[mean(SystemExit(0))]))[0].verdict.status == "error"


def test_the_command_that_reproduces_a_row_names_what_was_asked(rows, house, entry):
    (row,) = rows(house(entry("a")), seed=7)
    assert row.reproduce == "dpverify run core --profile quick --seed 7 --confidence 0.999 --trials 1000 --only a"


@pytest.mark.parametrize("jobs", [1, 2])
def test_subjects_are_built_and_audited_at_one_thread(noise, house, entry, jobs):
    """In plans too: a subject may remember what it computed there, and hold it against an audit elsewhere."""
    seen = []

    def look(what):
        seen.append((what, {library["num_threads"] for library in threadpool_info()}))

    class Looking(noise):
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
