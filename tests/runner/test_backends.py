"""Processes and threads give the same bits, for any number of workers: of sampled rows, and of real records."""

import dataclasses
import fnmatch

import pytest
from threadpoolctl import threadpool_limits

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.datasets import files
from dpverify.runner.execute import execute
from dpverify.runner.plan import suite_plan
from dpverify.runner.pool import end_workers
from dpverify.runner.record import record

LOOSE = {"seconds", "evidence", "environment"}
SAMPLED = "*noisy-max-[3w]*"
"""One row of few numbers and those of wide outputs."""
SEARCHED = "BL-SENS-OBJ-LOGISTIC"
"""A sensitivity claim on real records, which hypothesis searches."""


def numbers(rows):
    found = []
    for row in rows:
        item = record(row)
        parts = [{name: part[name] for name in part if name != "seconds"} for part in item["evidence"]]
        found.append({name: item[name] for name in item if name not in LOOSE} | {"parts": parts})
    return found


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    """A plan on the real records that are always here, made while BLAS has two threads; new workers see the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(files.VARIABLE, str(tmp_path_factory.mktemp("data")))
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        end_workers()
        with threadpool_limits(limits=2):
            whole = suite_plan(registry(), suite="core", profile="quick", seed=5, confidence=0.999, trials=5_000)
            units = tuple(
                unit
                for unit in whole.units
                if any(fnmatch.fnmatchcase(unit.entry.claim.id, pattern) for pattern in (SAMPLED, SEARCHED))
            )
            yield dataclasses.replace(whole, units=units)
        end_workers()


@pytest.fixture(scope="module")
def alone(plan):
    return numbers(execute(plan, jobs=1, backend="threads"))


def test_the_plan_has_sampled_rows_and_real_records(alone):
    assert sum(any(part["trials"] > 0 for part in item["parts"]) for item in alone) >= 2
    names = [str(item["witness"]["d1"].get("name")) for item in alone if item["id"] == SEARCHED]
    assert len(names) == 1
    assert "breast-cancer" in names[0]


@pytest.mark.parametrize(("backend", "jobs"), [("threads", 3), ("processes", 1), ("processes", 2)])
def test_the_same_bits(plan, alone, backend, jobs):
    assert numbers(execute(plan, jobs=jobs, backend=backend)) == alone


def test_an_unknown_backend_is_bad_input():
    with pytest.raises(InputError, match="backend 'cloud'"):
        execute(None, backend="cloud")  # refused before the plan is looked at
