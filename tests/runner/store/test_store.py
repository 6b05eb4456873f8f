"""The store: what was committed is there, whatever happened; files that are none are one line, and stay as they are."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from dpverify.core.errors import InputError
from dpverify.core.evidence import Evidence, Measure
from dpverify.runner.store.schema import APPLICATION, VERSION, StoreError, locked
from dpverify.runner.store.store import Store

WORDS, CODE = {"suite": "core", "seed": 0, "methods": ("event",)}, {"code": "abc", "numpy": "2.0"}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "dpverify.sqlite"


def evidence(bound=0.5):
    return Evidence(
        claim="a",
        auditor="event",
        version="1",
        measure=Measure(kind="epsilon", argument=0.0, claimed=1.0),
        bound=bound,
        excess=bound - 1.0,
        confidence=0.999,
    )


def one_line(caught):
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_what_is_put_is_there_for_the_next_who_opens(path):
    with Store(path, make=True) as store:
        run = store.begin("core", WORDS, CODE)
        store.put_chunks(run, "a", "event", "certify", [(1, 7), (0, [1, 2])])
        store.put_evidence(run, evidence())
        store.put_record(run, {"id": "a", "bound": 0.5})
    with Store(path) as store:
        assert store.chunks(run, "a", "event", "certify") == {0: [1, 2], 1: 7}
        assert store.chunks(run, "a", "event", "other") == {}
        assert store.evidence(run, "a") == {"event": evidence()}
        assert store.evidence(run, "b") == {}
        assert store.records(run) == {"a": {"id": "a", "bound": 0.5}}
        (known,) = store.runs()
        assert (known.number, known.suite, known.state, known.ended) == (run, "core", "open", None)
        assert known.words == WORDS
        assert known.provenance == CODE


def test_runs_do_not_see_each_other(path):
    with Store(path, make=True) as store:
        first, second = (store.begin("core", WORDS, CODE) for _ in range(2))
        store.put_chunks(first, "a", "event", "certify", [(0, 1)])
        store.put_evidence(first, evidence())
        assert store.chunks(second, "a", "event", "certify") == {}
        assert store.evidence(second, "a") == {}
        assert [run.number for run in store.runs()] == [first, second]


def test_how_long_a_claim_took_is_read_off_the_last_finished_run_that_had_it(path):
    with Store(path, make=True) as store:
        assert store.lasted("core") == {}
        for suite, state, records in (
            ("core", "done", {"a": 1.0, "b": 5.0, "c": 6.0}),
            ("core", "done", {"a": 2.0, "c": None}),
            ("core", "cut", {"a": 3.0, "b": 3.0}),
            ("other", "done", {"a": 4.0}),
        ):
            run = store.begin(suite, WORDS, CODE)
            for name, seconds in records.items():
                store.put_record(run, {"id": name} if seconds is None else {"id": name, "seconds": seconds})
            store.end(run, state)
        assert store.lasted("core") == {"a": 2.0, "b": 5.0}
        assert store.lasted("other") == {"a": 4.0}


def test_the_newest_run_of_the_same_words_is_gone_on_with(path):
    with Store(path, make=True) as store:
        store.begin("core", WORDS, CODE)
        newest = store.begin("core", WORDS, CODE)
        store.begin("core", {**WORDS, "seed": 1}, CODE)
        store.end(newest, "cut")
        assert store.resumable(WORDS, CODE) == newest
        again = store.runs()[newest - 1]
        assert (again.state, again.ended) == ("open", None)


def test_other_words_and_other_code_are_refused(path):
    with Store(path, make=True) as store:
        store.begin("core", WORDS, CODE)
        with pytest.raises(InputError) as caught:
            store.resumable({**WORDS, "seed": 9}, CODE)
        assert "seed = 9" in one_line(caught)
        with pytest.raises(InputError) as caught:
            store.resumable(WORDS, {**CODE, "numpy": "2.1", "scipy": "1.0"})
        assert "numpy 2.0 then, 2.1 now" in one_line(caught)
        assert "scipy absent then, 1.0 now" in one_line(caught)


def test_a_transaction_is_whole_or_nothing(path):
    def half():
        yield 0, 1
        raise RuntimeError

    with Store(path, make=True) as store:
        run = store.begin("core", WORDS, CODE)
        with pytest.raises(RuntimeError):
            store.put_chunks(run, "a", "event", "certify", half())
        store.put_chunks(run, "a", "event", "certify", [(5, 1)])
        assert store.chunks(run, "a", "event", "certify") == {5: 1}


def test_several_processes_write_at_once(path):
    with Store(path, make=True) as store:
        run = store.begin("core", WORDS, CODE)
        work = (
            "import sys; from pathlib import Path; from dpverify.runner.store.store import Store\n"
            "with Store(Path(sys.argv[1]), held=True) as store:\n"
            "    for place in range(50):\n"
            "        store.put_chunks(int(sys.argv[2]), sys.argv[3], 'event', 'certify', [(place, place)])\n"
        )
        writers = [subprocess.Popen([sys.executable, "-c", work, str(path), str(run), name]) for name in ("a", "b")]
        for place in range(50):
            store.put_chunks(run, "c", "event", "certify", [(place, place)])
        assert [writer.wait(120) for writer in writers] == [0, 0]
        for name in "abc":
            assert store.chunks(run, name, "event", "certify") == {place: place for place in range(50)}


def test_several_threads_write_at_once_over_one_connection(path):
    with Store(path, make=True) as store:
        run = store.begin("core", WORDS, CODE)

        def work(name):
            for place in range(100):
                store.put_chunks(run, name, "event", "certify", [(place, place)])
                assert store.chunks(run, name, "event", "certify")[place] == place

        with ThreadPoolExecutor(4) as pool:
            for future in [pool.submit(work, name) for name in "abcd"]:
                future.result()
        for name in "abcd":
            assert store.chunks(run, name, "event", "certify") == {place: place for place in range(100)}


def test_a_transaction_that_was_broken_into_where_nothing_undid_it_is_undone_by_the_next(path):
    """What a time limit or Ctrl-C raises may come between any two bytecodes."""
    with Store(path, make=True) as store:
        run = store.begin("core", WORDS, CODE)
        store._connection.execute("BEGIN IMMEDIATE")
        store._connection.execute("INSERT INTO chunks VALUES (?, 'a', 'event', 'certify', 0, '1', NULL)", (run,))
        store.put_chunks(run, "a", "event", "certify", [(1, 2)])
        assert store.chunks(run, "a", "event", "certify") == {1: 2}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing to fork with")
def test_a_forked_process_does_not_use_the_connection_that_it_inherited(path):
    """A mechanism may fork and come back twice; SQLite forbids what would come of that."""
    with Store(path, make=True) as store:
        run = store.begin("core", WORDS, CODE)
        child = os.fork()
        if child == 0:
            try:
                store.put_chunks(run, "a", "event", "certify", [(0, 1)])
            except StoreError:
                store.close()
                os._exit(0)
            os._exit(1)
        assert os.waitpid(child, 0)[1] == 0
        assert store.chunks(run, "a", "event", "certify") == {}
        store.put_chunks(run, "a", "event", "certify", [(0, 2)])
        assert store.chunks(run, "a", "event", "certify") == {0: 2}


# Files that are none


def refused(path, match, **how):
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(InputError, match=match) as caught:
        Store(path, **how)
    one_line(caught)
    assert (path.read_bytes() if path.is_file() else None) == before


def test_no_file(path):
    refused(path, "no store at")
    assert not path.exists()


def test_another_programs_database(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE things (a)")
    connection.commit()
    connection.close()
    refused(path, "another program's database", make=True)


@pytest.mark.parametrize(("version", "remedy"), [(VERSION + 1, "update dpverify"), (0, "another --out")])
def test_another_version(path, version, remedy):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE runs (a)")
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {version}")
    connection.commit()
    connection.close()
    refused(path, f"version {version}.*{remedy}", make=True)


def test_text_and_damage(path):
    path.write_text("no database at all " * 100)
    refused(path, "damaged or no store", make=True)
    path.unlink()
    with Store(path, make=True) as store:
        run = store.begin("core", WORDS, CODE)
        store.put_chunks(run, "a", "event", "certify", ((place, "x" * 100) for place in range(1000)))
    content = bytearray(path.read_bytes())
    content[8192 : len(content) // 2] = b"\xa5" * (len(content) // 2 - 8192)
    path.write_bytes(content)
    for beside in path.parent.glob("*-wal"):
        beside.unlink()
    refused(path, "damaged or no store")


def test_a_folder_in_its_place(path):
    path.mkdir()
    with pytest.raises(InputError, match="cannot use the store") as caught:
        Store(path, make=True)
    one_line(caught)


def test_a_disk_without_room_is_a_fault_that_ends_no_run_and_loses_nothing(path):
    with Store(path, make=True) as store:
        run = store.begin("core", WORDS, CODE)
        store.put_chunks(run, "a", "event", "certify", [(0, 1)])
        pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
        store._connection.execute(f"PRAGMA max_page_count = {pages}")
        assert not store.fault
        store.put_chunks(run, "a", "event", "certify", ((place, "x" * 4000) for place in range(100)))
        assert re.fullmatch(r"the store .* failed: .*full; what was committed before stands: mend .*", store.fault)
        store.put_record(run, {"id": "a", "verdict": "x" * 9000})
        store.end(run, "done")
        assert store.chunks(run, "a", "event", "certify") == {0: 1}
        assert store.records(run) == {}


def test_what_dpverify_did_not_write_is_said(path):
    with Store(path, make=True) as store:
        run = store.begin("core", WORDS, CODE)
        store._connection.execute("INSERT INTO evidence VALUES (?, 'a', 'event', '__import__(\"os\")', NULL)", (run,))
        store._connection.execute("INSERT INTO chunks VALUES (?, 'a', 'event', 'certify', 0, '{', NULL)", (run,))
        for read in (lambda: store.evidence(run, "a"), lambda: store.chunks(run, "a", "event", "certify")):
            with pytest.raises(StoreError, match="did not write"):
                read()


def test_two_runs_do_not_share_a_store(path):
    with locked(path):
        with pytest.raises(InputError, match="another run is at work") as caught:
            locked(path)
        one_line(caught)
    with locked(path):
        pass


def test_a_dead_run_holds_nothing(path):
    work = (
        "import os, sys; from pathlib import Path; from dpverify.runner.store.schema import locked\n"
        "kept = locked(Path(sys.argv[1])); print('held', flush=True); os.kill(os.getpid(), 9)\n"
    )
    run = subprocess.run([sys.executable, "-c", work, str(path)], capture_output=True, text=True, check=False)
    assert run.stdout == "held\n"
    assert run.returncode == -9
    with locked(path):
        pass
