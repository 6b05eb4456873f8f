"""Processes and threads give the same bits, for any number of workers."""

import pytest

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.runner.execute import execute
from dpverify.runner.plan import suite_plan
from dpverify.runner.record import record

LOOSE = {"seconds", "evidence", "environment"}


def numbers(rows):
    found = []
    for row in rows:
        item = record(row)
        parts = [{name: part[name] for name in part if name != "seconds"} for part in item["evidence"]]
        found.append({name: item[name] for name in item if name not in LOOSE} | {"parts": parts})
    return found


@pytest.fixture(scope="module")
def plan():
    return suite_plan(registry(), suite="core", profile="quick", seed=5, confidence=0.999, trials=20_000).only("*max*")


def test_processes_and_threads_give_the_same_bits(plan):
    assert len(plan.units) >= 4
    alone = numbers(execute(plan, jobs=1, backend="threads"))
    assert numbers(execute(plan, jobs=3, backend="threads")) == alone
    assert numbers(execute(plan, jobs=2, backend="processes")) == alone


def test_an_unknown_backend_is_bad_input(plan):
    with pytest.raises(InputError, match="backend 'cloud'"):
        execute(plan, backend="cloud")
