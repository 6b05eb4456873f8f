"""`dpverify history` and `dpverify recheck` on a small run: 80 columns, exit statuses, one line for bad input."""

import json
import sys

import pytest

from dpverify.runner.store.store import NAME, Store
from tests.unwatched import unwatched

WORDS = ("run", "core", "--only", "laplace-as-gaussian", "--trials", 2_000, "--jobs", 1, "--backend", "threads")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder of two runs, of seeds 0 and 1."""
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for seed in (0, 1):
            patch.setattr(
                sys, "argv", ["dpverify", *map(str, WORDS), "--seed", str(seed), "--out", str(folder), "--quiet"]
            )
            with pytest.raises(SystemExit) as caught:
                unwatched()
            assert caught.value.code == 0
    return folder


def test_history_shows_runs_and_the_one_claim(call, made):
    status, out, err = call("history", made)
    assert (status, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    rows = [line.split() for line in out.splitlines()]
    assert [row[:2] + row[3:6] for row in rows if row[:1] == ["core"]] == [
        ["core", "1", "quick", "0", "done"],
        ["core", "2", "quick", "1", "done"],
    ]
    assert "laplace-as-gaussian: delta(epsilon=" in out
    assert "Share of the claim: !!" in out
    status, out, _ = call("history", made, "--claim", "laplace*", "--json")
    found = json.loads(out)
    assert status == 0
    assert [run["words"]["seed"] for run in found["runs"]] == [0, 1]
    (points,) = found["claims"].values()
    assert [point["code_changed"] for point in points] == [None, False]
    assert {point["verdict"] for point in points} == {"refuted"}


def test_an_interrupted_run_says_how_to_go_on(call, tmp_path):
    with Store(tmp_path / NAME, make=True) as store:
        store.begin(
            "a-suite-of-some-length\x1b[2J", {"seed": 10**9, "profile": "benchmark"}, {"code": "0123456789abcdef"}
        )
    status, out, _ = call("history", tmp_path)
    assert status == 0
    assert "Run 1 was interrupted: --resume goes on with it." in out
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize(
    "words",
    [
        ("history", "nowhere"),
        ("recheck", "nowhere"),
        ("history", "{made}", "--claim", "z"),
        ("recheck", "{made}", "--run", "9"),
    ],
)
def test_bad_input_is_one_line(call, made, words):
    status, out, err = call(*(word.format(made=made) for word in words))
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1


def test_recheck_agrees_with_a_fresh_run_by_report_and_by_store(call, made):
    for words in ((made,), (made / "results.json",), (made / NAME,), (made, "--run", 1)):
        status, out, err = call("recheck", *words)
        assert (status, err) == (3, "")  # certified by an exact law, which has no counts
        assert "event: agrees: " in out
        assert "exact: no counts: " in out
        assert "again: dpverify run core" in " ".join(out.split())
        assert "\n1 record: 1 agree with their counts.\n" in out
        assert "\nNot checked: " in out and " by who made them" in " ".join(out.split())
        assert max(map(len, out.splitlines())) <= 80


def test_recheck_says_what_differs_and_what_it_cannot_tell(call, made, tmp_path):
    (record,) = json.loads((made / "results.json").read_text())
    place = next(i for i, part in enumerate(record["evidence"]) if part["auditor"] == "event")

    def changed(**statistics):
        item = json.loads(json.dumps(record))
        item["evidence"][place]["statistics"] |= statistics
        (tmp_path / "one.json").write_text(json.dumps(item))
        return call("recheck", tmp_path / "one.json", "--json", tmp_path / "found.json")

    status, out, _ = changed(k1=record["evidence"][place]["statistics"]["k1"] + 1)
    assert status == 1
    assert "event: DIFFERS: printed bound" in out
    assert "1 differ." in out
    (found,) = json.loads((tmp_path / "found.json").read_text())
    assert found["says"] == "differs"
    assert found["evidence"][place]["again"] > found["evidence"][place]["printed"]
    status, out, _ = changed(k1=None)
    assert status == 3
    assert "event: cannot be rechecked: the record has no k1" in out
    assert call("recheck", tmp_path / "one.json", "--quiet") == (3, "", "")
    (tmp_path / "one.json").write_text(json.dumps(record | {"schema": 2}))
    assert call("recheck", tmp_path / "one.json")[0] == 2


def test_a_digest_that_was_obtained_elsewhere_is_compared(call, made):
    import hashlib

    digest = hashlib.sha256((made / "results.json").read_bytes()).hexdigest()
    status, out, _ = call("recheck", made, "--expect-digest", digest)
    assert status == 3 and f"sha256 {digest} (as expected)" in out and "left out" not in out
    status, out, err = call("recheck", made, "--expect-digest", "0" * 64)
    assert (status, out) == (1, "") and "another file" in err
    assert call("recheck", made, "--expect-digest", "x")[0] == 2


@pytest.mark.parametrize("command", ["report", "dossier"])
def test_no_page_shows_numbers_that_contradict_themselves(command, call, made, tmp_path):
    (item,) = json.loads((made / "results.json").read_text())
    (tmp_path / "one.json").write_text(json.dumps([item | {"detectable": 1.01, "rarest": 1e-9}]))
    status, _, err = call(command, tmp_path / "one.json", "--out", tmp_path / "pages")
    assert status == 1 and "contradict themselves" in err and "Traceback" not in err
    assert not (tmp_path / "pages" / f"{command}.html").exists()
