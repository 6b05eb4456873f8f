import pytest

from dpverify.core.errors import InputError
from dpverify.runner.journal import Journal

NAME = "units.jsonl"

K = {"settings": "s", "code": "c", "name": "mine:train"}


def test_what_was_kept_is_known_again_to_the_bit(tmp_path):
    first = Journal(tmp_path / NAME, **K, resume=False)
    first.keep("a", [0.1, 1e-300])
    first.keep("b", {"value": 2 / 3})
    again = Journal(tmp_path / NAME, **K, resume=True)
    assert again["a"] == [0.1, 1e-300]
    assert again["b"] == {"value": 2 / 3}
    assert "c" not in again


def test_a_line_that_was_cut_off_is_left_out_and_written_again(tmp_path):
    Journal(tmp_path / NAME, **K, resume=False).keep("a", 1)
    with (tmp_path / NAME).open("a") as stream:
        stream.write('["b", [0.1, 0.')
    again = Journal(tmp_path / NAME, **K, resume=True)
    assert "b" not in again
    again.keep("b", 2)
    third = Journal(tmp_path / NAME, **K, resume=True)
    assert (third["a"], third["b"]) == (1, 2)


def test_without_resume_it_begins_anew_and_without_a_folder_nothing_is_written(tmp_path):
    Journal(tmp_path / NAME, **K, resume=False).keep("a", 1)
    assert "a" not in Journal(tmp_path / NAME, **K, resume=False)
    Journal(None, **K, resume=True).keep("a", 1)


def test_anothers_file_is_refused_and_left_as_it_was(tmp_path):
    Journal(tmp_path / NAME, **K, resume=False).keep("a", 1)
    before = (tmp_path / NAME).read_text()
    with pytest.raises(InputError, match="other settings or data"):
        Journal(tmp_path / NAME, **{**K, "settings": "other"}, resume=True)
    with pytest.raises(InputError, match=r"the code of mine:train has changed since .*begin anew"):
        Journal(tmp_path / NAME, **{**K, "code": "other"}, resume=True)
    assert (tmp_path / NAME).read_text() == before
    (tmp_path / NAME).write_text("epsilon\n")
    with pytest.raises(InputError, match="no file of finished units"):
        Journal(tmp_path / NAME, **K, resume=True)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write"):
        Journal(tmp_path / "file" / NAME, **K, resume=False)


@pytest.mark.parametrize("change", [("0.25", "0.35"), ('"a"', '"b"'), ('"code": "c"', '"code": "d"')])
def test_a_unit_that_is_not_what_was_written_is_refused_with_the_files_name(tmp_path, change):
    Journal(tmp_path / NAME, **K, resume=False).keep("a", [0.25])
    path = tmp_path / NAME
    path.write_text(path.read_text().replace(*change))
    with pytest.raises(InputError, match=r"units.jsonl.*(is not what was written|begin anew)"):
        Journal(tmp_path / NAME, **{**K, "code": "d" if "code" in change[0] else "c"}, resume=True)
