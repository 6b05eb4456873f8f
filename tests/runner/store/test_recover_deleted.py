"""A store that is deleted or replaced while a run is at work: said, and nothing of it is lost."""

from __future__ import annotations

import shutil

import pytest

from dpverify.runner.store.schema import StoreError
from dpverify.runner.store.store import NAME, Store
from tests.runner.store.test_store import CODE, WORDS


@pytest.fixture
def path(tmp_path):
    return tmp_path / "out" / NAME


@pytest.mark.parametrize("what", ["folder", "file"])
def test_a_deleted_store_is_written_back_with_all_that_was_finished(path, what):
    with Store(path, make=True) as store:
        run = store.begin("core", WORDS, CODE)
        store.put_chunks(run, "a", "event", "certify", [(0, 17)])
        shutil.rmtree(path.parent) if what == "folder" else path.unlink()
        with pytest.raises(StoreError, match=r"was deleted .*written back: go on with --resume") as caught:
            store.put_chunks(run, "a", "event", "certify", [(1, 18)])
        assert "\n" not in str(caught.value) and caught.value.exit_status == 3
        store.end(run, "cut")  # no second word
        with pytest.raises(StoreError, match="was deleted"):  # and no work for nothing
            store.put_chunks(run, "a", "event", "certify", [(1, 18)])
    with Store(path) as again:
        assert again.chunks(again.resumable(WORDS, CODE), "a", "event", "certify") == {0: 17}
    assert sorted(each.name for each in path.parent.iterdir()) == [NAME]


def test_what_stands_in_its_place_is_left_alone(path):
    with Store(path, make=True) as store:
        run = store.begin("core", WORDS, CODE)
        shutil.rmtree(path.parent)
        with Store(path, make=True):
            pass
        before = path.read_bytes()
        with pytest.raises(StoreError, match="what had been finished is in"):
            store.end(run, "done")
    assert path.read_bytes() == before
    (kept,) = path.parent.glob("*.rescued-*")
    with Store(kept) as found:
        assert [each.number for each in found.runs()] == [run]


def test_a_worker_only_says_it(path):
    with Store(path, make=True) as store:
        run = store.begin("core", WORDS, CODE)
        with Store(path, held=True) as worker:
            shutil.rmtree(path.parent)
            with pytest.raises(StoreError, match="was deleted"):
                worker.put_chunks(run, "a", "event", "certify", [(0, 17)])
        assert not path.exists()
        with pytest.raises(StoreError, match="written back"):
            store.end(run, "cut")
