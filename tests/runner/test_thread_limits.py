"""BLAS and OpenMP at one thread: nested, overlapping in two threads, loaded late."""

import os
import subprocess
import sys
import threading

import pytest
import sklearn.ensemble  # noqa: F401 - brings an OpenMP
from threadpoolctl import threadpool_info, threadpool_limits

from dpverify.runner import thread_limits
from dpverify.runner.thread_limits import VARIABLES, one_thread


def sizes():
    """{"blas": ..., "openmp": ...}: the sizes of the thread pools that the calling thread sees."""
    seen = {}
    for library in threadpool_info():
        seen.setdefault(library["user_api"], set()).add(library["num_threads"])
    return seen


ONE, TWO = {"blas": {1}, "openmp": {1}}, {"blas": {2}, "openmp": {2}}


@pytest.fixture(autouse=True)
def _two_threads():
    with threadpool_limits(limits=2):
        assert sizes() == TWO
        yield


def test_it_holds_one_thread_and_gives_back_what_was(monkeypatch):
    monkeypatch.setenv(VARIABLES[0], "7")
    monkeypatch.delenv(VARIABLES[1], raising=False)
    with one_thread():
        with one_thread():
            assert sizes() == ONE
        assert sizes() == ONE
        assert {os.environ[name] for name in VARIABLES} == {"1"}
    assert sizes() == TWO
    assert os.environ[VARIABLES[0]] == "7"
    assert VARIABLES[1] not in os.environ


def test_libraries_are_sought_again_after_an_import_alone(monkeypatch):
    found = []
    controller = thread_limits.ThreadpoolController
    monkeypatch.setattr(thread_limits, "ThreadpoolController", lambda: found.append(1) or controller())
    monkeypatch.setitem(sys.modules, "brings_a_library", sys)
    for _ in range(3):
        with one_thread():
            assert sizes() == ONE
    assert len(found) == 1
    monkeypatch.setitem(sys.modules, "brings_another", sys)
    with one_thread():
        assert len(found) == 2


def test_it_gives_back_after_an_error():
    with pytest.raises(KeyError), one_thread():
        raise KeyError
    assert sizes() == TWO


def test_the_first_of_two_threads_to_end_takes_nothing_from_the_other():
    begun, ended, seen = threading.Event(), threading.Event(), []

    def other():
        with one_thread():
            begun.set()
            assert ended.wait(60)
            seen.append(sizes())

    thread = threading.Thread(target=other)
    with one_thread():
        thread.start()
        assert begun.wait(60)
    ended.set()
    thread.join()
    assert seen == [ONE]


def test_a_library_that_is_loaded_late_has_one_thread_too():
    code = (
        "from dpverify.runner.thread_limits import one_thread\n"
        "from threadpoolctl import threadpool_info\n"
        "with one_thread():\n"
        "    import sklearn.ensemble\n"
        "    sizes = {pool['num_threads'] for pool in threadpool_info() if pool['user_api'] in ('blas', 'openmp')}\n"
        "assert sizes == {1}, threadpool_info()\n"
    )
    environment = {**os.environ, **dict.fromkeys(VARIABLES, "2")}
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300, env=environment)
