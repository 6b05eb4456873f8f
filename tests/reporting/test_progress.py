"""Progress: what is at work and how fast, on standard error only; plain lines without a terminal, and quiet."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from dpverify.reporting import progress
from dpverify.reporting.progress import ProgressDisplay


@pytest.fixture
def clock(monkeypatch):
    """A clock that tests set."""
    now = SimpleNamespace(seconds=1000.0)
    monkeypatch.setattr(progress.time, "monotonic", lambda: now.seconds)
    return now


def row(name="laplace", status="refuted"):
    return SimpleNamespace(id=name, verdict=SimpleNamespace(status=status))


def test_speed_and_time_left_come_from_what_was_told(clock):
    watch = ProgressDisplay(3)
    watch.start("laplace")
    watch.step("laplace", "event: screening", 0.1)
    clock.seconds += 5
    watch.step("laplace", "event: counting 0 of 4000000 draws", 0.4)
    clock.seconds += 4
    watch.step("laplace", "event: counting 2000000 of 4000000 draws; at least 0.05 so far", 0.7)
    said = watch._lines["laplace"]
    assert said == "event: counting 2M of 4M draws; at least 0.05 so far, 70%, 500k draws/s, 4 s left"
    watch.step("laplace", "exact: searching", 0.2)  # another auditor: another clock
    assert watch._lines["laplace"] == "exact: searching, 20%"
    watch.finish(row())
    assert watch._lines == {}


def test_plain_lines_come_now_and_then_and_at_the_end(clock, capsys):
    with ProgressDisplay(2) as watch:
        watch.step("a\x1b[31m", "event: counting", 0.5)
        assert capsys.readouterr() == ("", "")
        clock.seconds += 11
        watch.step("a\x1b[31m", "event: counting", 0.5)
        out, err = capsys.readouterr()
        assert out == ""
        assert "0/2 audited; a" in err
        assert "\x1b" not in err
        watch.finish(row("a\x1b[31m"))
        watch.finish(row("b", "not_refuted"))
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "2/2 audited; last b: not_refuted\n"


def test_quiet_is_quiet(clock, capsys):
    with ProgressDisplay(1, quiet=True) as watch:
        clock.seconds += 100
        watch.step("laplace", "event: counting", 0.5)
        watch.finish(row())
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.4, "0 s"), (89, "89 s"), (600, "10 min"), (5399, "1 h 30 min"), (9000, "2 h 30 min")]
)
def test_durations_are_rounded_as_far_as_they_can_be_known(seconds, said):
    assert progress.duration(seconds) == said
