"""Whole files for workers: each test once, no file at two workers, the longest first, neighbours together."""

from __future__ import annotations

import json
import random
from itertools import pairwise
from types import SimpleNamespace

import pytest

from tests import by_file
from tests.by_file import ByFile

FILES = {f"tests/test_{place:02}.py": 1 + place % 4 for place in range(60)}
TESTS = [f"{file}::test_{number}" for file, size in FILES.items() for number in range(size)]
LONG = {"tests/test_40.py::test_0": 12.0, "tests/test_07.py::test_1": 9.0, "tests/test_07.py::test_2": 9.0}
LONG |= {"tests/test_05.py::test_0": 9.9, "tests/test_gone.py::test_0": 99.0}


class Worker:
    """It runs the first of its tests only when it knows the next one, or that there is none."""

    def __init__(self):
        self.gateway = SimpleNamespace(id="worker")
        self.shutting_down = False
        self.queue, self.ran = [], []

    def send_runtest_some(self, tests):
        assert not self.shutting_down
        self.queue += tests

    def shutdown(self):
        self.shutting_down = True

    def ready(self):
        return len(self.queue) > (0 if self.shutting_down else 1)


@pytest.fixture
def scheduled(monkeypatch, tmp_path):
    """A scheduler of `TESTS` with three workers that have their first files."""
    (tmp_path / "long.json").write_text(json.dumps(LONG))
    monkeypatch.setattr(by_file, "LISTED", tmp_path / "long.json")
    workers = [Worker() for _ in range(3)]
    made = ByFile(SimpleNamespace(getvalue=lambda name: ["popen"] * 3, option=SimpleNamespace(tx=["3*popen"])))
    made.numnodes = len(workers)
    for each in workers:
        made.add_node(each)
        made.add_node_collection(each, TESTS)
    made.schedule()
    return made, workers


def play(made, workers, seed):
    """Let workers, in a random order, run tests to the end."""
    rng = random.Random(seed)
    while ready := [each for each in workers if each.ready()]:
        worker = rng.choice(ready)
        test = worker.queue.pop(0)
        worker.ran.append(test)
        made.mark_test_complete(worker, test)
    assert made.tests_finished
    assert not made.has_pending
    assert all(each.shutting_down for each in workers)


def files(tests):
    return [TESTS[each].partition("::")[0] for each in tests]


@pytest.mark.parametrize("seed", range(20))
def test_each_test_runs_once_and_no_file_at_two_workers(scheduled, seed):
    made, workers = scheduled
    play(made, workers, seed)
    assert sorted(test for each in workers for test in each.ran) == list(range(len(TESTS)))
    assert sum(len(set(files(each.ran))) for each in workers) == len(FILES)
    for each in workers:
        seen = files(each.ran)
        assert len([one for one, other in pairwise(seen) if one != other]) == len(set(seen)) - 1


def test_the_longest_files_begin_first(scheduled):
    _, workers = scheduled
    assert [files(each.queue)[0] for each in workers[:2]] == ["tests/test_07.py", "tests/test_40.py"]
    assert all(file not in ("tests/test_07.py", "tests/test_40.py") for file in files(workers[2].queue))


@pytest.mark.parametrize("seed", range(20))
def test_most_files_follow_their_neighbour(scheduled, seed):
    made, workers = scheduled
    play(made, workers, seed)
    order = list(FILES)
    for each in workers:
        seen = list(dict.fromkeys(files(each.ran)))
        after = sum(order.index(other) == order.index(one) + 1 for one, other in pairwise(seen))
        assert after >= len(seen) / 2


@pytest.mark.parametrize("seed", range(20))
def test_what_a_dead_worker_had_runs_elsewhere(scheduled, seed):
    made, workers = scheduled
    rng, (dead, *others) = random.Random(seed), workers
    for _ in range(rng.randrange(30)):
        worker = rng.choice([each for each in workers if each.ready()])
        test = worker.queue.pop(0)
        worker.ran.append(test)
        made.mark_test_complete(worker, test)
    crashed = made.remove_node(dead)
    assert crashed == TESTS[dead.queue[0]]
    play(made, others, seed)
    ran = sorted(test for each in workers for test in each.ran)
    assert sorted([*ran, TESTS.index(crashed)]) == list(range(len(TESTS)))
