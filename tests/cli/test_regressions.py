"""`dpverify run --regressions DIR`: replays first, saves what is new, and refuses bad files in one line."""

from __future__ import annotations

import json
import sys

import pytest

from dpverify.runner.regressions import Regression, save
from tests.unwatched import unwatched


@pytest.fixture
def ran(monkeypatch, capsys, tmp_path_factory):
    """``ran(*words)``: status, standard output and standard error of ``dpverify run``, in a folder of its own."""
    monkeypatch.chdir(tmp_path_factory.mktemp("cwd"))

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["dpverify", "run", *map(str, words)])
        with pytest.raises(SystemExit) as caught:
            unwatched()
        out, err = capsys.readouterr()
        return caught.value.code, out, err

    return run


@pytest.fixture
def known(ran):
    """A claim that an exact law refutes quickly, with its pair."""
    status, out, _ = ran("core", "--only", "svt3-0.1", "--jobs", 1, "--format", "", "--method", "exact", "--json", "-")
    (item,) = json.loads(out)
    assert (status, item["verdict"]) == (0, "refuted")
    return item


def words(item, folder):
    given = ["core", "--only", item["id"], "--jobs", "1", "--format", "", "--method", "exact"]
    return [*given, "--regressions", str(folder)]


def test_a_saved_failure_is_replayed_and_is_enough(ran, tmp_path, known):
    saved = Regression(
        claim=known["id"],
        auditor="exact",
        d0=known["witness"]["d0"],
        d1=known["witness"]["d1"],
        parameters=known["witness"].get("parameters") or {},
    )
    (path,) = save([saved], tmp_path)
    status, out, _ = ran(*words(known, tmp_path), "--json", "-")
    (item,) = json.loads(out)
    assert status == 0
    (one,) = item["evidence"]
    assert one["statistics"]["replayed"] == [{"file": path.name, "says": "refuted"}]
    assert one["proved"]
    assert one["statistics"]["evaluations"] < known["evidence"][0]["statistics"]["evaluations"]
    assert f"--regressions {tmp_path}" in item["reproduce"]
    _, told, _ = ran(*words(known, tmp_path))
    assert "1 replayed, 1 still refute; 0 saved now" in " ".join(told.split())


def test_an_expected_failure_is_not_saved(ran, tmp_path, known):
    assert ran(*words(known, tmp_path))[0] == 0
    assert list(tmp_path.iterdir()) == []


def test_a_bad_file_is_one_line_and_nothing_is_run(ran, tmp_path, known):
    (tmp_path / "x.json").write_text("{")
    status, out, err = ran(*words(known, tmp_path))
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "x.json" in err


def test_the_usual_folder_is_used_where_it_is(ran, tmp_path, known, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "Regressions" not in ran(*words(known, "x")[:-2])[1]
    (tmp_path / ".dpverify/regressions").mkdir(parents=True)
    told = ran(*words(known, "x")[:-2])[1]
    assert "0 replayed, 0 still refute; 0 saved now" in " ".join(told.split())
