"""Dask gives the same bits as threads, and whoever dies takes at most the part in ready along."""

import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path

import distributed
import pytest

from dpverify.code_key.modules import code_digest
from dpverify.core import plugins
from dpverify.core.errors import AuditError, InputError
from dpverify.core.evidence import Evidence, Measure
from dpverify.runner import dask_cluster, dask_ready_workers, dask_worker
from dpverify.runner.dask_cluster import connected, local_cluster
from dpverify.runner.dask_worker import ElsewhereError, RemoteStore, SavedWork, WorkOrder, run_there
from dpverify.runner.execute import execute
from dpverify.runner.limits import Limits
from dpverify.runner.on_dask import Dask
from dpverify.runner.plan import suite_plan
from dpverify.runner.plan_fingerprint import fingerprint, known_by
from dpverify.runner.record import record
from dpverify.runner.store.codec import evidence_of
from dpverify.runner.store.open_run import open_run
from tests.unwatched import unwatched

STEPS = 20
LOOSE = {"seconds", "evidence", "environment"}
ENTRY_POINTS = "[dpverify.plugins]\nfaulty = faulty_plugin:register\n"
PLUGIN = Path(__file__).with_name("faulty_plugin.py")
CLUSTER = """
import logging, sys, time
import distributed

if __name__ == "__main__":
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL + 1
    )
    print(cluster.scheduler_address, flush=True)
    time.sleep(600)
"""


@pytest.fixture(scope="module")
def marks(tmp_path_factory):
    """The plug-in `faulty_plugin`, installed in a folder of its own; its folder of marks."""
    home = tmp_path_factory.mktemp("faulty")
    shutil.copy(PLUGIN, home)
    about = home / "faulty-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: faulty\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(ENTRY_POINTS)
    (home / "marks").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(home))
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(home), os.environ.get("PYTHONPATH", "")])))
        _forget()
        assert "faulty" in entry_points(group=plugins.GROUP).names
        yield home / "marks"
    sys.modules.pop("faulty_plugin", None)
    _forget()


def _forget():
    for cached in (plugins.registry, code_digest, dask_worker._plan):
        cached.cache_clear()


@pytest.fixture(autouse=True)
def _clean(marks):
    yield
    for mark in marks.iterdir():
        mark.unlink()


@pytest.fixture(autouse=True)
def _patient(monkeypatch):
    """On a crowded machine a worker that was ended takes its time to come back."""
    monkeypatch.setattr(dask_ready_workers, "NOBODY", 120.0)


@pytest.fixture(scope="module")
def cluster(marks):
    """Somebody's cluster of two workers."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL + 1
    ) as found:
        yield found


@pytest.fixture(scope="module")
def plan(marks):
    return suite_plan(
        plugins.registry(),
        suite="faulty",
        profile="quick",
        seed=3,
        confidence=0.999,
        trials=2000,
        methods=("stepwise", "event"),
    )


@pytest.fixture
def run(plan, tmp_path):
    """``run(pattern, *, resume=False, **given)``: what `execute` gives, and what is in the store then."""

    def execute_some(pattern, *, resume=False, **given):
        some = plan.only(pattern)
        with open_run(tmp_path, *known_by(some, only=pattern), resume=resume) as now:
            rows = execute(some, store=now.store, run=now.run, **given)
            now.state = "cut" if any(row.cut for row in rows) else "done"
            chunks = {unit.entry.claim.id: now.store.series(now.run, unit.entry.claim.id) for unit in some.units}
        return rows, chunks

    return execute_some


def numbers(rows):
    found = []
    for row in rows:
        item = record(row)
        parts = [{name: part[name] for name in part if name != "seconds"} for part in item["evidence"]]
        found.append({name: item[name] for name in item if name not in LOOSE} | {"parts": parts})
    return found


def same(found, alone):
    """Records and counts, but for seconds."""
    return numbers(found[0]) == numbers(alone[0]) and found[1] == alone[1]


@contextmanager
def soon(condition, act):
    """Does `act` in a thread, once the condition holds and while the context lasts."""
    over = threading.Event()

    def wait():
        while not over.wait(0.02):
            if condition():
                act()
                if over.wait(3.0):
                    return None

    thread = threading.Thread(target=wait)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def made(marks, how):
    """How often each step was taken."""
    places = [int(mark.name.split(".")[1]) for mark in marks.glob(f"{how}.*")]
    return [places.count(place) for place in range(STEPS)]


def test_the_same_bits_on_somebodys_cluster(run, cluster):
    alone = run("[as]*[er]")  # as-ever, steadier
    assert len(alone[0]) == 2
    assert alone[1]["steadier"] and alone[1]["as-ever"]
    assert same(run("[as]*[er]", backend="dask", scheduler=cluster.scheduler_address), alone)


def test_a_cluster_that_is_slow_to_end_takes_no_result_away(monkeypatch):
    """The machine may stand still when all is done."""
    real = distributed.LocalCluster.close

    def late(cluster, timeout):
        real(cluster, timeout)
        raise TimeoutError

    with local_cluster(1, threads=1) as found:
        result = found.client.submit(abs, -3).result()
        monkeypatch.setattr(distributed.LocalCluster, "close", late)
    assert result == 3


def check_contained(run, marks, capfd):
    """On one worker: a unit that kills it twice and one that hangs are errors of their own, and the others as ever."""
    alone = run("steady")
    limits = Limits(seconds_per_claim=2.0, memory=8 * 2**30)
    rows, _chunks = run("[dhs][ait]*[sy]", jobs=1, backend="dask", limits=limits)  # dies, hangs, steady
    found = {row.id: row for row in rows}
    assert sorted(found) == ["dies", "hangs", "steady"]
    assert found["dies"].verdict.status == "error"
    assert "died 2 times" in found["dies"].verdict.reason
    assert "these are my last words" in found["dies"].verdict.reason
    assert found["hangs"].verdict.status == "error"
    assert "longer than the 2 s" in found["hangs"].verdict.reason
    assert numbers([found["steady"]]) == numbers(alone[0])
    assert made(marks, "dies")[:4] == [2, 2, 2, 0]
    assert capfd.readouterr() == ("", "")


def test_our_own_workers_are_contained(run, capfd, marks):
    check_contained(run, marks, capfd)


def test_our_own_workers_are_replaced_where_no_nanny_does_it(run, capfd, marks, monkeypatch):
    """distributed starts no worker again that dies before its nanny has heard that it runs."""

    async def unheard(self, exitcode):
        pass

    monkeypatch.setattr(distributed.Nanny, "_on_worker_exit", unheard)
    monkeypatch.setattr(dask_ready_workers, "RENEWS", 1.0)
    check_contained(run, marks, capfd)


def test_a_worker_that_is_killed_costs_the_part_in_hand(run, cluster, marks):
    (marks / "has-died").touch()
    alone = run("dies-once")
    for mark in marks.iterdir():
        mark.unlink()
    assert same(run("dies-once", backend="dask", scheduler=cluster.scheduler_address), alone)
    assert (marks / "has-died").exists()
    assert made(marks, "dies-once")[:5] == [1] * 5
    assert max(made(marks, "dies-once")) == 2


def test_a_scheduler_that_dies_ends_the_run_and_it_can_be_resumed(run, cluster, marks, tmp_path):
    script = tmp_path / "cluster.py"
    script.write_text(CLUSTER)
    theirs = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        address = theirs.stdout.readline().strip()
        lost = pytest.raises(AuditError, match=r"scheduler at tcp://.* is gone .* --resume")
        with soon(lambda: made(marks, "slow")[6], theirs.kill), lost as caught:
            run("s[lt]*[wy]", backend="dask", scheduler=address)
        assert "\n" not in str(caught.value)
        assert caught.value.exit_status == 3
    finally:
        theirs.kill()
        theirs.wait()
        theirs.stdout.close()
    (marks / "quick").touch()
    resumed = run("s[lt]*[wy]", resume=True, backend="dask", scheduler=cluster.scheduler_address)
    assert made(marks, "slow")[:3] == [1] * 3
    assert same(resumed, run("s[lt]*[wy]"))


@pytest.fixture
def heard():
    """Ctrl-C as a terminal's program hears it: whoever runs the tests in the background may ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heard")
@pytest.mark.parametrize("how", ["interrupted", "out of time"])
def test_a_run_that_is_cut_can_be_resumed(run, cluster, marks, how):
    run("steady", backend="dask", scheduler=cluster.scheduler_address)  # all workers are ready
    limits = Limits(seconds=4.0) if how == "out of time" else None
    with soon(lambda: how == "interrupted" and made(marks, "slow")[6], partial(os.kill, os.getpid(), signal.SIGINT)):
        rows, chunks = run("slow", backend="dask", scheduler=cluster.scheduler_address, limits=limits)
    assert [row.cut for row in rows] == [how]
    (kept,) = chunks["slow"].values()
    assert 1 <= len(kept) < STEPS  # how many are on their way when it is cut depends on the machine
    (marks / "quick").touch()
    before = made(marks, "slow")
    resumed = run("slow", resume=True, backend="dask", scheduler=cluster.scheduler_address)
    again = [after - earlier for after, earlier in zip(made(marks, "slow"), before, strict=True)]
    assert not any(again[place] for place in kept)
    # A step that was on its way when the run was cut may end after `before` was counted.
    assert {again[place] for place in range(STEPS) if place not in kept} <= {1, 2}
    assert same(resumed, run("slow"))


def test_other_code_on_a_worker_is_refused(run, cluster, monkeypatch):
    monkeypatch.setattr(dask_ready_workers, "fingerprint", lambda *_: {"code": "other"})
    with pytest.raises(InputError, match=r"worker tcp://.* has other code: code other here, [0-9a-f]{16} there"):
        run("steady", backend="dask", scheduler=cluster.scheduler_address)


def test_workers_show_the_fingerprint_of_the_units_that_are_asked_for(plan):
    """Two units of the same suite, cut down here or there."""
    whole, cut = plan, plan.only("steady")
    assert dask_worker.plan_for_claims(whole, ("steady",)).units == cut.units
    assert fingerprint(dask_worker.plan_for_claims(whole, ("steady",))) == fingerprint(cut)


def test_another_worker_of_the_same_address_declines(cluster, plan):
    errand = WorkOrder(words=(), claim="", kept=SavedWork(), threads=1, topic="t", mark=(0, 1), worker="another")
    with distributed.Client(cluster, set_as_default=False) as client, pytest.raises(ElsewhereError):
        client.submit(run_there, errand, pure=False).result()


@pytest.fixture
def call(monkeypatch, capfd, tmp_path):
    """``call(*words)``: `dpverify run` on one steady claim; its status and what it wrote."""

    def run(*words):
        about = ("--only", "steady", "--method", "stepwise", "--trials", "2000", "--out", tmp_path / "out")
        monkeypatch.setattr(sys, "argv", ["dpverify", "run", "faulty", *map(str, about), *words])
        with pytest.raises(SystemExit) as caught:
            unwatched()
        return caught.value.code, *capfd.readouterr()

    return run


def test_the_command_line_runs_on_a_cluster(call, cluster):
    status, out, err = call("--backend", "dask", "--scheduler", cluster.scheduler_address, "--json", "-", "--quiet")
    assert (status, err) == (0, "")
    assert [item["id"] for item in json.loads(out)] == ["steady"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--backend", "dask", "--scheduler", "tcp://127.0.0.1:9"), "no Dask scheduler answers"),
        (("--scheduler", "tcp://127.0.0.1:9"), "--scheduler tcp://127.0.0.1:9 with --backend processes"),
        (("--backend", "dask", "--scheduler", "tcp://127.0.0.1:9", "--max-memory", "1"), "--max-memory 1 with"),
    ],
)
def test_what_cannot_run_is_refused_before_anything_is_begun(call, tmp_path, monkeypatch, words, said):
    monkeypatch.setattr(dask_cluster, "ANSWERS", 0.3)
    status, out, err = call(*words)
    assert (status, out) == (2, "")
    assert said in err and err.count("\n") == 1
    assert not list((tmp_path / "out").glob("*"))


def test_no_scheduler_is_one_line(monkeypatch):
    monkeypatch.setattr(dask_cluster, "ANSWERS", 0.3)
    with (
        pytest.raises(InputError, match=r"no Dask scheduler answers at 'tcp://127.0.0.1:9'"),
        connected("tcp://127.0.0.1:9"),
    ):
        pass
    with pytest.raises(InputError, match=r"no Dask scheduler answers at 'nowhere://x'"), connected("nowhere://x"):
        pass


def test_a_cluster_without_workers_is_refused(plan, monkeypatch):
    monkeypatch.setattr(dask_ready_workers, "NOBODY", 0.1)
    with local_cluster(0, threads=1) as empty, pytest.raises(InputError, match=r"has no workers.*dask worker tcp://"):
        Dask(empty.address).check(plan.only("steady"))


def test_without_dask_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    for scheduler in (None, "tcp://127.0.0.1:9"):
        with pytest.raises(InputError, match=r"pip install 'dpverify\[dask\]'"):
            Dask(scheduler).check(None)


def test_what_travels_is_text_and_comes_back_to_the_bit():
    said = []
    evidence = Evidence(
        claim="c",
        auditor="a",
        version="1",
        measure=Measure(kind="epsilon", argument=0.0, claimed=1.0),
        bound=0.1 + 0.2,
        excess=float("-inf"),
        confidence=0.999,
        trials=1,
    )
    travelling = RemoteStore(SavedWork(evidence={"b": evidence}, chunks={("a", "n"): {0: [1, 2]}}), said.append)
    assert travelling.evidence(0, "c") == {"b": evidence}
    assert travelling.chunks(0, "c", "a", "n") == {0: [1, 2]}
    assert travelling.chunks(0, "c", "a", "other") == {}
    travelling.put_evidence(0, evidence)
    travelling.put_chunks(0, "c", "a", "n", [(1, [3, 4])])
    (kind, text), (*where, parts) = said
    assert kind == "evidence" and evidence_of(text) == evidence
    assert where == ["chunks", "c", "a", "n"] and json.loads(parts) == [[1, [3, 4]]]
