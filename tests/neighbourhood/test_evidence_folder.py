"""Evidence of one audit is added to by one process at a time."""

import os

import pytest

from dpverify.core.errors import InputError
from dpverify.neighbourhood.evidence_folder import alone, refuse_damaged


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_who_comes_second_waits_and_nothing_is_left(tmp_path):
    path, reader, writer = tmp_path / "ev" / "a.json", *os.pipe()
    children = []
    for _ in range(4):
        if (child := os.fork()) == 0:
            with alone(path):
                os.write(writer, b"(")
                for _ in range(1000):
                    os.sched_yield()  # others would come in between
                os.write(writer, b")")
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)
    assert os.read(reader, 100) == b"()" * 4
    assert list(path.parent.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="the evidence folder"), alone(tmp_path / "file" / "a.json"):
        pass


def test_a_damaged_file_is_named(tmp_path):
    (tmp_path / "a.json").write_text("{")
    with pytest.raises(InputError, match=r"a\.json: .*delete it"):
        refuse_damaged(tmp_path)
