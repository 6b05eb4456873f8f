"""Nothing in a stranger's database acts, and no file that is none is waited for."""

from __future__ import annotations

import os
import sqlite3

import pytest

from dpverify.core.errors import InputError
from dpverify.runner.store.store import NAME, Store
from tests.runner.store.test_store import CODE, WORDS

FOREIGN = {
    "trigger": "CREATE TRIGGER act AFTER INSERT ON chunks BEGIN DELETE FROM records; END",
    "view": "CREATE VIEW act AS SELECT * FROM records",
    "table": "CREATE TABLE act (a)",
    "index": "CREATE INDEX act ON runs(suite)",
}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / NAME
    with Store(path, make=True) as store:
        store.begin("core", WORDS, CODE)
    return path


@pytest.mark.parametrize("kind", FOREIGN)
@pytest.mark.parametrize("reading", [False, True])
def test_objects_of_a_stranger_are_refused(path, kind, reading):
    with sqlite3.connect(path) as connection:
        connection.execute(FOREIGN[kind])
    connection.close()
    with pytest.raises(InputError, match=f"has a {kind} 'act' that dpverify did not make") as caught:
        Store(path, reading=reading)
    assert "\n" not in str(caught.value)


def test_a_table_replaced_by_a_view_with_its_name_is_refused(path):
    with sqlite3.connect(path) as connection:
        connection.executescript("ALTER TABLE chunks RENAME TO other; CREATE VIEW chunks AS SELECT * FROM other")
    connection.close()
    with pytest.raises(InputError, match=r"did not make|lacks"):
        Store(path)


def test_what_analyze_leaves_is_no_stranger(path):
    with sqlite3.connect(path) as connection:
        connection.execute("ANALYZE")
    connection.close()
    with Store(path):
        pass


@pytest.mark.parametrize("ending", ["", ".lock", "-wal", "-shm", "-journal"])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
@pytest.mark.parametrize("reading", [False, True])
def test_a_pipe_or_a_folder_in_a_files_place_is_one_line(tmp_path, ending, make, reading):
    path = tmp_path / NAME
    if ending:
        with Store(path, make=True):
            pass
    make(path.with_name(path.name + ending))
    with pytest.raises(InputError, match="no regular file") as caught:
        Store(path, reading=reading, make=not reading)
    assert "\n" not in str(caught.value)
