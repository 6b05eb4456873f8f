import pytest

from dpverify.core.errors import InputError
from dpverify.frontier.journal import NAME, Journal


def test_what_was_kept_is_known_again_to_the_bit(tmp_path):
    first = Journal(tmp_path, key="k", resume=False)
    first.keep("a", [0.1, 1e-300])
    first.keep("b", {"value": 2 / 3})
    again = Journal(tmp_path, key="k", resume=True)
    assert again["a"] == [0.1, 1e-300]
    assert again["b"] == {"value": 2 / 3}
    assert "c" not in again


def test_a_line_that_was_cut_off_is_left_out_and_written_again(tmp_path):
    Journal(tmp_path, key="k", resume=False).keep("a", 1)
    with (tmp_path / NAME).open("a") as stream:
        stream.write('["b", [0.1, 0.')
    again = Journal(tmp_path, key="k", resume=True)
    assert "b" not in again
    again.keep("b", 2)
    third = Journal(tmp_path, key="k", resume=True)
    assert (third["a"], third["b"]) == (1, 2)


def test_without_resume_it_begins_anew_and_without_a_folder_nothing_is_written(tmp_path):
    Journal(tmp_path, key="k", resume=False).keep("a", 1)
    assert "a" not in Journal(tmp_path, key="k", resume=False)
    Journal(None, key="k", resume=True).keep("a", 1)


def test_another_frontiers_file_is_refused(tmp_path):
    Journal(tmp_path, key="k", resume=False).keep("a", 1)
    with pytest.raises(InputError, match="other settings, or the trainer's code has changed"):
        Journal(tmp_path, key="other", resume=True)
    (tmp_path / NAME).write_text("epsilon\n")
    with pytest.raises(InputError, match="no file of a frontier"):
        Journal(tmp_path, key="k", resume=True)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write"):
        Journal(tmp_path / "file", key="k", resume=False)
