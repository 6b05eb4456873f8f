"""`dpverify run` at its edges: what it refuses before it begins, and what a run that was cut short says and saves."""

from dataclasses import replace

import pytest

from dpverify.core.verdict import Status
from dpverify.runner import execute
from dpverify.runner.store.store import Store

RUN = ("run", "core", "--only", "randomised-response", "--method", "event", "--trials", 2000)


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--backend", "threads", "--max-memory", 1), "--max-memory with --backend threads"),
        (("--backend", "threads", "--max-seconds-per-claim", 9), "--max-seconds-per-claim with --backend threads"),
        (("--scheduler", "tcp://127.0.0.1:1"), "--scheduler tcp://127.0.0.1:1 with --backend processes"),
        (("--backend", "dask", "--scheduler", "tcp://127.0.0.1:1", "--max-memory", 1), "--max-memory 1 with --sched"),
        (("--detect", 2), "--detect with a built-in suite"),
    ],
)
def test_options_that_would_be_ignored_are_refused_in_one_line(call, tmp_path, words, named):
    status, out, err = call(*RUN, *words)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert named in err
    assert not (tmp_path / "reports").exists()


def test_ctrl_c_where_no_audit_is_at_work_says_how_to_go_on(call, monkeypatch, tmp_path):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(execute, "execute", interrupted)
    status, out, err = call(*RUN, "--backend", "threads")
    assert (status, out) == (130, "")
    assert err.splitlines()[-1].endswith("--backend threads --resume")
    with Store(tmp_path / "reports/local/dpverify.sqlite") as store:
        assert [run.state for run in store.runs()] == ["cut"]
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    assert call(*RUN, "--backend", "threads", "--resume")[0] == 0


def test_a_cut_run_saves_no_failure_that_it_would_replay_when_it_goes_on(call, monkeypatch, tmp_path):
    """It would go on with other audits than it began with; the whole run saves it."""
    saved, honest = tmp_path / "failures", execute.execute

    def refuted(*given, **options):
        (row,) = honest(*given, **options)
        return [replace(row, verdict=replace(row.verdict, status=Status.REFUTED), cut=cut)]

    monkeypatch.setattr(execute, "execute", refuted)
    words = (*RUN, "--backend", "threads", "--regressions", saved, "--quiet")
    cut = "out of time"
    call(*words)
    assert list(saved.iterdir()) == []
    cut = ""
    status, _, err = call(*words, "--resume")
    assert (status, err) == (1, "")
    assert len(list(saved.iterdir())) == 1


def test_a_run_does_not_go_on_with_other_saved_failures(call, tmp_path):
    words = (*RUN, "--backend", "threads", "--regressions", tmp_path / "failures", "--quiet")
    assert call(*words)[0] == 0
    (tmp_path / "failures/randomised-response.json").write_text(
        '{"schema": 2, "claim": "randomised-response", "auditor": "event", "d0": 0, "d1": 1, "parameters": {}, '
        '"claimed": "", "event": "", "seed": 0}'
    )
    status, _, err = call(*words, "--resume")
    assert (status, err.count("\n")) == (2, 1)
    assert "saved failures none then," in err
