"""The checkpoint: parts in order for any number of threads, none made twice, and what a kill leaves is enough to go
on."""

from __future__ import annotations

import threading
import time
import tracemalloc

import pytest
import sklearn.ensemble  # noqa: F401 - brings an OpenMP
from threadpoolctl import threadpool_info, threadpool_limits

from dpverify.runner.store import checkpoint
from dpverify.runner.store.checkpoint import Checkpoint, WorkSaver, made
from dpverify.runner.store.schema import StoreError
from dpverify.runner.store.store import Store
from dpverify.runner.thread_limits import one_thread


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "dpverify.sqlite", make=True) as store:
        store.begin("core", {}, {})
        yield store


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("count", [0, 1, 2, 97])
def test_parts_come_in_order(store, threads, count):
    for keeps in (Checkpoint(store, 1, threads=threads), WorkSaver(threads=threads)):
        assert list(keeps.chunks("a", "event")("certify", count, lambda place: place * 3)) == [
            3 * p for p in range(count)
        ]


@pytest.mark.parametrize("threads", [1, 3])
def test_what_is_kept_is_not_made_again(store, threads):
    asked, lock = [], threading.Lock()

    def work(place):
        with lock:
            asked.append(place)
        return place

    first = Checkpoint(store, 1, threads=threads).chunks("a", "event")("certify", 50, work)
    for _ in range(20):
        next(first)
    first.close()  # as an interrupted audit leaves it
    kept = store.chunks(1, "a", "event", "certify")
    assert kept == {place: place for place in range(20)}
    asked.clear()
    assert list(Checkpoint(store, 1, threads=threads).chunks("a", "event")("certify", 50, work)) == list(range(50))
    assert sorted(asked) == list(range(20, 50))
    assert list(Checkpoint(store, 1).chunks("a", "other")("certify", 1, lambda _: "its own")) == ["its own"]


def test_a_part_that_fails_leaves_those_before_it(store):
    def work(place):
        if place == 3:
            raise ZeroDivisionError
        return place

    with pytest.raises(ZeroDivisionError):
        list(Checkpoint(store, 1).chunks("a", "event")("certify", 9, work))
    assert store.chunks(1, "a", "event", "certify") == {0: 0, 1: 1, 2: 2}


def test_parts_are_written_while_it_goes_on(store, monkeypatch):
    monkeypatch.setattr(checkpoint, "EVERY", 0.0)
    going = Checkpoint(store, 1).chunks("a", "event")("certify", 9, lambda place: place)
    next(going), next(going)
    assert len(store.chunks(1, "a", "event", "certify")) == 2
    going.close()


def test_a_worker_opens_the_store_for_itself(store):
    with Checkpoint(store, 1, threads=2).there()() as keeps:
        list(keeps.chunks("a", "event")("certify", 3, lambda place: place))
    assert store.chunks(1, "a", "event", "certify") == {0: 0, 1: 1, 2: 2}
    with WorkSaver(threads=2).there()() as keeps:
        assert keeps.evidence("a") == {}


def test_a_store_that_is_gone_in_the_worker_is_the_runs_trouble(store, tmp_path):
    there = Checkpoint(store, 1).there()
    (tmp_path / "dpverify.sqlite").rename(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="no store at"), there():
        pass


def test_parts_are_made_at_one_thread_of_blas_and_openmp():
    """Another number of threads would add in another order: other last bits than where parts are made one by one."""
    seen = set()

    def work(place):
        time.sleep(0.002)
        seen.add((threading.get_ident(), *sorted({pool["num_threads"] for pool in threadpool_info()})))
        return place

    with threadpool_limits(limits=2), one_thread():
        assert list(made(range(40), work, threads=3)) == [(place, place) for place in range(40)]
    assert len({thread for thread, *_ in seen}) > 1
    assert {tuple(sizes) for _, *sizes in seen} == {(1,)}


@pytest.mark.parametrize("threads", [1, 2])
def test_memory_is_flat(threads):
    tracemalloc.start()
    for _, part in made(range(20_000), lambda place: [place] * 50, threads=threads):
        assert len(part) == 50
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * 2**20  # all of them together would be 8 MB and more
