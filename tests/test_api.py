"""`dpverify.audit`: what is contained in this process, and what in one of its own."""

from __future__ import annotations

import asyncio
import ctypes
import functools
import itertools
import os
import signal
import sys
import time

import pytest

import dpverify as dpv
from dpverify.adapters import time_limit
from dpverify.audits import settle
from dpverify.audits.finding import row_of, row_values
from dpverify.core.errors import AuditError
from dpverify.runner.record import record

HOW = {"claim": "PureDP(epsilon=1)", "trials": 2000, "confidence": 1 - 1e-9}
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def noisy(data, rng):
    return len(data) + rng.laplace()


def labels(data, rng):
    return "yes" if rng.random() < 0.5 else "no"


def audited(mechanism, **how):
    return dpv.audit(mechanism, [1, 1], [1], **HOW, **how)


def scaled(data, rng, scale):
    return len(data) + rng.laplace(scale=scale)


class Scaled:
    def __init__(self, scale):
        self.scale = scale

    def sample(self, dataset, size, *, rng):
        return len(dataset) + rng.laplace(scale=self.scale, size=size)


def test_parameters_are_bound_and_the_name_stays():
    found = audited(scaled, parameters={"scale": 1.0})
    same = audited(functools.partial(scaled, scale=1.0))
    assert found.row.entry.claim.subject == same.row.entry.claim.subject == "scaled"
    assert found.epsilon_lower == same.epsilon_lower
    assert "test_api:scaled --claim" in found.row.reproduce
    assert found.row.reproduce.endswith("--parameters scale=1.0")
    with pytest.raises(dpv.ClaimRefuted, match="of Scaled is refuted"):
        dpv.assert_dp(Scaled, parameters={"scale": 0.1}, data=[1, 1], claim="PureDP(epsilon=1)", trials=2000)
    assert audited(Scaled(1.0)).row.entry.claim.subject == "Scaled"
    with pytest.raises(dpv.InputError, match=r"Scaled is a class.*Scaled\(scale=\.\.\.\)"):
        audited(Scaled)


def raises(what):
    def mechanism(data, rng):
        raise what

    return mechanism


@pytest.mark.parametrize("isolate", [False, pytest.param(True, marks=forks)])
@pytest.mark.parametrize(
    "what", [KeyboardInterrupt(), GeneratorExit(), asyncio.CancelledError(), BaseException("two\nlines")], ids=repr
)
def test_what_is_no_exception_is_one_line(what, isolate):
    with pytest.raises(AuditError, match=f"raised {type(what).__name__}") as caught:
        audited(raises(what), isolate=isolate)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("isolate", [False, pytest.param(True, marks=forks)])
def test_a_persons_ctrl_c_goes_on(isolate):
    """Sent to this process while the mechanism sleeps in it, or in its own."""
    this = os.getpid()

    def mechanism(data, rng):
        os.kill(this, signal.SIGINT)
        time.sleep(60)

    with pytest.raises(KeyboardInterrupt):
        audited(mechanism, isolate=isolate)


@forks
def test_a_copy_of_this_process_goes_no_further_than_the_call(tmp_path):
    """It would make the rest of these tests twice."""
    this = os.getpid()

    def mechanism(data, rng):
        if os.getpid() == this and not (tmp_path / "forked").exists():
            (tmp_path / "forked").touch()
            if (copy := os.fork()) != 0:
                os.waitpid(copy, 0)
        return noisy(data, rng)

    assert audited(mechanism).verdict == "not_refuted"
    (tmp_path / "here").open("x").close()


@forks
@pytest.mark.parametrize("mechanism", [noisy, labels])
def test_isolated_or_not_it_is_the_same_result(mechanism):
    free, held = audited(mechanism), audited(mechanism, isolate=True)
    assert timeless(free) == timeless(held)
    same = ("verdict", "epsilon_lower", "epsilon_estimate", "relation", "relation_inferred", "reproducible", "notes")
    assert [getattr(free, name) for name in same] == [getattr(held, name) for name in same]


def timeless(result):
    found = record(result.row)
    for item in (found, *found["evidence"]):
        del item["seconds"]
    return found


def segmentation_fault():
    ctypes.string_at(0)


@forks
@pytest.mark.parametrize(
    ("end", "said"),
    [
        (lambda: os._exit(0), "exit status 0"),
        (segmentation_fault, "SIGSEGV"),
        (lambda: os.kill(os.getpid(), signal.SIGKILL), "SIGKILL"),
    ],
)
def test_the_end_of_its_process_is_one_line(end, said):
    with pytest.raises(AuditError, match=said):
        audited(lambda data, rng: end(), isolate=True)


@forks
def test_c_code_that_lets_nothing_in_is_ended(monkeypatch):
    monkeypatch.setattr(time_limit, "CALL_GRACE", 0.3)

    def compiled(data, rng):
        sum(itertools.repeat(0))

    with pytest.raises(dpv.InputError, match=r"ran longer than its limit of 0\.2 s"):
        audited(compiled, max_seconds_per_call=0.2, isolate=True)


def test_an_example_without_limits_does_not_hang_for_ever(monkeypatch):
    monkeypatch.setattr(settle, "LONGEST_CALL", 0.2)

    def endless(data, rng):
        while True:
            pass

    with pytest.raises(dpv.InputError, match=r"ran longer than its limit of 0\.2 s"):
        dpv.audit(endless, claim="PureDP(epsilon=1)", data=[0.0, 1.0], seconds=0.05)
    result = dpv.audit(noisy, claim="PureDP(epsilon=1)", data=[0.0, 1.0], seconds=1.0)
    assert "max_seconds_per_call" not in result.row.reproduce  # the default is no setting of the user's


@forks
def test_bad_input_is_the_same_error():
    with pytest.raises(dpv.InputError) as free:
        audited(raises(ValueError("no")))
    with pytest.raises(dpv.InputError) as held:
        audited(raises(ValueError("no")), isolate=True)
    assert str(free.value) == str(held.value)


@pytest.mark.parametrize(
    "bad",
    [
        {"status": "private"},
        {"evidence": ["{}"]},
        {"evidence": None},
        {"evidence": ['{"claim": 1}']},
        {"seconds": "soon"},
        {"evidence": ["[" * 100_000]},
    ],
)
def test_what_is_no_row_is_refused(bad):
    row = audited(noisy).row
    with pytest.raises(AuditError, match="no result that can be read"):
        row_of(row_values(row) | bad, row.entry)


def test_evidence_on_another_claim_is_refused():
    row, other = audited(noisy).row, audited(noisy, name="another").row
    with pytest.raises(AuditError, match="no result that can be read"):
        row_of(row_values(row), other.entry)


@pytest.mark.skipif(sys.platform != "linux", reason="the system's own way, on Linux")
def test_nothing_of_its_own_is_run_here():
    """Labels of a class whose unpickling ends the process."""

    class Acts(str):
        def __reduce__(self):
            return os._exit, (0,)

    result = audited(lambda data, rng: Acts("a" if rng.random() < 0.5 else "b"), isolate=True)
    assert result.verdict == "inconclusive"  # it ignores its data


@pytest.mark.parametrize("scale", [0.3, 1.0])
def test_a_result_shows_itself_in_a_few_lines(scale):
    """What a notebook or a debugger shows: verdict, a bound rounded down, draws, what would have been caught."""

    def noisy(data, size, rng):
        return sum(data) + rng.laplace(scale=scale, size=size)

    found = dpv.audit(noisy, claim="PureDP(epsilon=1)", d0=[1, 1], d1=[1], trials=2_000)
    lines = repr(found).splitlines()
    assert lines[0].startswith(f"{found.verdict}: PureDP(epsilon=1) of ")
    assert lines[0].endswith("noisy under add-remove")
    assert len(lines) <= 10
    assert max(map(len, lines)) <= 303
    shown = float(lines[1].split(" >= ")[1].split(",")[0])
    assert found.epsilon_lower - 1e-4 < shown <= found.epsilon_lower
    assert ("detected epsilon ≥ " in repr(found)) == (scale == 1.0)
