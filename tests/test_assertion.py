"""Seconds that somebody chose are kept to, or refused before the draws."""

from __future__ import annotations

import pytest

import dpverify as dpv
from dpverify.assertion import audit_asked
from dpverify.audits import callable_audit
from dpverify.audits.asked import Asked
from dpverify.core.errors import AuditError


def noisy(data, rng):
    """Too slow by the clock alone, and counted, so that no draw is made unseen."""
    if len(calls) > 20:
        raise AssertionError("drawn")
    calls.append(1)
    return len(data) + rng.laplace()


calls: list[int] = []


def test_an_audit_of_a_slow_mechanism_that_decides_nothing_points_to_a_smaller_one(monkeypatch):
    def quick(data, rng):  # no rule reads a filter
        return len(list(filter(None, data))) + rng.laplace()

    monkeypatch.setattr(callable_audit, "draws_within", lambda *_, **__: (400, 1e-4))
    result = dpv.audit(quick, claim="PureDP(epsilon=9)", data=[0.5, 1.0])
    assert result.verdict == "inconclusive"
    assert any(note.startswith("shrink: ") and "fewer records" in note for note in result.notes)
    monkeypatch.setattr(callable_audit, "draws_within", lambda *_, **__: (8_000, 1e-4))
    passed = dpv.audit(quick, claim="PureDP(epsilon=1)", data=[0.0, 1.0])
    assert not any(note.startswith("shrink: ") for note in passed.notes)


@pytest.mark.parametrize("early", [True, False])
def test_draws_that_take_too_long_are_not_begun(monkeypatch, early):
    calls.clear()
    monkeypatch.setattr(callable_audit, "seconds_of_a_call", lambda *_: 0.2 if early else 0.0)
    monkeypatch.setattr(callable_audit, "draws_within", lambda *_, **__: (400, 0.2))
    monkeypatch.setattr(callable_audit.CallableAudit, "_probed", lambda *_: ())
    said = r"noisy takes 0.2 s a call, .* about 246 s, and 20 s were given; allowed: seconds of 24[67] or more"
    with pytest.raises(dpv.InputError, match=said):
        dpv.assert_dp(noisy, claim="PureDP(epsilon=1)", data=[1, 1], seconds=20.0)


def test_where_nobody_chose_seconds_four_times_as_many_are_waited_for(monkeypatch):
    monkeypatch.setattr(callable_audit, "seconds_of_a_call", lambda *_: 0.14)  # 172 s, of 4 * 30 + 60
    monkeypatch.setattr(callable_audit.CallableAudit, "_probed", lambda *_: pytest.fail("it goes on"))
    with pytest.raises(AuditError, match="goes on"):
        audit_asked(noisy, Asked(), claim="PureDP(epsilon=1)", data=[1, 1], isolate=False)
    with pytest.raises(dpv.InputError, match="30 s were given"):
        audit_asked(noisy, Asked(seconds=30.0), claim="PureDP(epsilon=1)", data=[1, 1], isolate=False)
