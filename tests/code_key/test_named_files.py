"""Files that texts name, wherever they lie, and no others; as many names as there may be."""

from __future__ import annotations

from dpverify.code_key.key import code_key
from dpverify.code_key.named_files import MOST, named_files
from tests.code_key.keys import keys


def test_files_are_found_in_the_working_folder_beside_modules_in_named_folders_and_at_home(tmp_path, monkeypatch):
    for name in ("here/a", "here/sub/b", "beside/c", "else/where/d", "home/e", "else/unnamed"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    texts = ["a", "sub/b", "c", b"d", "~/e", str(tmp_path / "else/where"), "", "\0", "a\nb", "x" * 5000, "no", "sub"]
    found, unknown = named_files(texts, [str(tmp_path / "beside")])
    assert found == {str(tmp_path / name) for name in ("here/a", "here/sub/b", "beside/c", "else/where/d", "home/e")}
    assert not unknown


def test_a_vocabulary_is_looked_up_and_too_many_paths_are_not_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "word7").write_text("")
    found, unknown = named_files([f"word{each}" for each in range(2 * MOST)], [])
    assert (found, unknown) == ({str(tmp_path / "word7")}, "")
    assert "may name files" in named_files([f"a/{each}" for each in range(MOST + 1)], [])[1]


WRITES = """
import pyarrow.csv
def noisy(data, rng):
    with open("log.csv", {mode!r}) as log:
        log.write("line")
    return sum(data) + rng.laplace()
"""


def test_what_the_mechanism_writes_itself_is_none_of_its_settings(tmp_path):
    found = []
    for number, (mode, before) in enumerate([(mode, text * 9) for mode in ("w", "a", "r+") for text in "xy"]):
        files = {"log.csv": before, "mech.py": WRITES.format(mode=mode)}
        found += keys(tmp_path / str(number), [("mech:noisy", files, {})])
    assert found[0] == found[1]
    assert found[2] == found[3]
    assert found[4] != found[5]
    assert all("unknown=''" in each for each in found)


def test_records_that_name_files_are_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = set()
    for content in "ab":
        (tmp_path / "Ada").write_text(content * 9)
        found.add(code_key(len, ["Ada"]).text)
    assert len(found - {""}) == len(found) == 1
