"""What a store remembers: runs, how bounds moved; read while a run is at work, and changing nothing."""

import json
import os
import sqlite3
import stat
import subprocess
import sys

import pytest

from dpverify.core.errors import InputError
from dpverify.ledger.committed_records import records_folder
from dpverify.reporting.history_lines import heights
from dpverify.runner.history import AT_WORK, INTERRUPTED, history
from dpverify.runner.store.schema import in_use, locked
from dpverify.runner.store.store import NAME, Store

ITEM = json.loads(min(records_folder().glob("*.json"), key=lambda path: path.stat().st_size).read_text())


def item(name, **changes):
    return ITEM | {"id": name, "verdict": "not_refuted", "seconds": 1.5, "surprise": None} | changes


def stored(path, *runs):
    """A store with runs of (code, state, records)."""
    with Store(path, make=True) as store:
        for place, (code, state, records) in enumerate(runs):
            number = store.begin("core", {"seed": place, "profile": "quick"}, {"code": code})
            for each in records:
                store.put_record(number, each)
            if state != "open":
                store.end(number, state)
    return path


@pytest.fixture
def path(tmp_path):
    return tmp_path / NAME


def test_runs_are_told_with_what_came_of_them(path):
    rows = [item("a"), item("b", verdict="refuted", surprise="it was to stand"), item("c", verdict="refuted")]
    stored(path, ("x", "done", rows), ("y", "cut", rows[:1]), ("y", "open", []))
    runs = history(path).runs
    assert [(run.number, run.state, run.claims, run.refuted, run.surprises, run.seconds) for run in runs] == [
        (1, "done", 3, 2, 1, 4.5),
        (2, "cut", 1, 0, 0, 1.5),
        (3, INTERRUPTED, 0, 0, 0, 0.0),
    ]
    assert [(run.suite, run.words["seed"], run.code) for run in runs] == [
        ("core", 0, "x"),
        ("core", 1, "y"),
        ("core", 2, "y"),
    ]
    assert all(run.begun[10] == "T" and run.begun[-6] in "+-" for run in runs)
    assert [bool(run.ended) for run in runs] == [True, True, False]


def test_a_claims_points_say_whether_the_code_changed(path):
    stored(
        path,
        ("x", "done", [item("a", bound=0.1), item("b")]),
        ("y", "done", [item("b")]),
        ("y", "done", [item("a", bound=0.2)]),
        ("y", "done", [item("a", bound=0.3)]),
    )
    found = history(path, claim="a")
    assert [(point.run.number, point.record["bound"], point.changed) for point in found.claims["a"]] == [
        (1, 0.1, None),
        (3, 0.2, True),
        (4, 0.3, False),
    ]
    assert set(history(path, claim="*").claims) == {"a", "b"}
    assert history(path).claims == {}
    with pytest.raises(InputError, match="'z' matches no claim"):
        history(path, claim="z")


def test_a_store_of_one_claim_tells_it_unasked(path):
    stored(path, ("x", "done", [item("a")]), ("x", "open", []))
    assert set(history(path).claims) == {"a"}


def test_an_open_run_is_at_work_while_its_process_lives(path):
    stored(path, ("x", "open", []))
    assert not in_use(path)
    with locked(path):
        assert in_use(path)
        assert history(path).runs[0].state == AT_WORK
    assert not in_use(path)
    assert history(path).runs[0].state == INTERRUPTED


def test_a_killed_run_is_interrupted_and_what_it_committed_is_there(path):
    """Its log is still beside the store, and is read."""
    program = (
        "import os, sys; from pathlib import Path; import json\n"
        "from dpverify.runner.store.schema import locked; from dpverify.runner.store.store import Store\n"
        "path = Path(sys.argv[1]); store = Store(path, make=True); lock = locked(path)\n"
        "run = store.begin('core', {}, {}); store.put_record(run, json.loads(sys.argv[2]))\n"
        "os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", program, str(path), json.dumps(item("a"))], check=False)
    assert path.with_name(NAME + "-wal").exists()
    (run,) = history(path).runs
    assert (run.state, run.claims) == (INTERRUPTED, 1)


def test_looking_while_somebody_writes_sees_what_is_committed(path):
    with Store(path, make=True) as store, locked(path):
        run = store.begin("core", {}, {})
        store.put_record(run, item("a"))
        assert history(path).runs[0].claims == 1
        store.put_record(run, item("b"))
        assert history(path).runs[0].claims == 2


def test_looking_changes_nothing_and_needs_no_right_to_write(path):
    stored(path, ("x", "done", [item("a")]))
    before = path.read_bytes()
    path.chmod(stat.S_IRUSR)
    path.parent.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert history(path).runs[0].claims == 1
    finally:
        path.parent.chmod(stat.S_IRWXU)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [NAME]
    with Store(path, reading=True) as store, pytest.raises(Exception, match="readonly"):
        store.begin("core", {}, {})


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE runs SET begun = 'x', checksum = NULL",
        "UPDATE runs SET begun = 1e300, checksum = NULL",
        "UPDATE runs SET words = '3', checksum = NULL",
        "UPDATE runs SET words = '{', checksum = NULL",
        "UPDATE records SET content = '3', checksum = NULL",
        "DROP TABLE records",
        "PRAGMA user_version = 99",
        "PRAGMA application_id = 7",
    ],
)
def test_a_store_that_is_none_is_one_line(path, change):
    stored(path, ("x", "done", [item("a")]))
    with sqlite3.connect(path) as connection:
        connection.execute(change)
    connection.close()
    with pytest.raises(InputError) as caught:
        history(path)
    assert "\n" not in str(caught.value)


def test_no_store_and_no_database(path):
    with pytest.raises(InputError, match="no store at"):
        history(path)
    path.write_text("hello")
    with pytest.raises(InputError, match="damaged or no store"):
        history(path)


def test_heights_are_shares_of_the_claim():
    shares = [0.0, 0.12, 0.13, 0.5, 0.99, 1.0, 1.001, "inf", None]
    assert heights([{"tightness": share} for share in shares]) == "▁▁▂▅██!!·"
