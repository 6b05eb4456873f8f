"""How long a cluster may be without workers: the time that the run itself has seen go by."""

from types import SimpleNamespace

import pytest

from dpverify.core.errors import AuditError
from dpverify.core.plugins import registry
from dpverify.runner import dask_ready_workers
from dpverify.runner.dask_ready_workers import LAPSE, PATIENCE, RENEWS, Workers
from dpverify.runner.plan import suite_plan


@pytest.fixture
def renewed():
    """When new workers were started."""
    return []


@pytest.fixture
def alone(monkeypatch, renewed):
    """The workers of a cluster that has none, and a function that lets some seconds go by before the next look."""
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(dask_ready_workers, "time", SimpleNamespace(monotonic=lambda: clock.now))
    client = SimpleNamespace(
        status="running",
        scheduler=SimpleNamespace(identity=None),
        sync=lambda *_, **__: {"id": "one", "workers": {}},
    )
    found = Workers(
        SimpleNamespace(client=client, address="here", renew=lambda: renewed.append(clock.now)),
        suite_plan(registry(), suite="core", profile="quick", seed=0, confidence=0.999, trials=100),
        (),
        wake=lambda: None,
    )

    def look(seconds):
        clock.now += seconds
        found.refresh(now=True)

    return look


def test_the_run_ends_after_its_patience_and_workers_are_started_again_once(alone, renewed):
    for _ in range(int(PATIENCE)):
        alone(1.0)
    assert renewed == [RENEWS + 1]
    with pytest.raises(AuditError, match="no Dask worker is left"):
        alone(1.0)


def test_a_machine_that_stood_still_has_waited_for_nobody(alone):
    for _ in range(int(PATIENCE / LAPSE)):
        alone(10 * PATIENCE)
    with pytest.raises(AuditError, match="no Dask worker is left"):
        alone(10 * PATIENCE)
