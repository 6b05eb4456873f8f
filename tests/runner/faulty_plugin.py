"""A plug-in whose subjects harm their process; copied to a folder of its own, where they leave marks."""

import os
import signal
import time
from dataclasses import dataclass, replace
from pathlib import Path

from dpverify.core.auditing import parts
from dpverify.core.evidence import Evidence
from dpverify.core.suite import SuiteEntry

MARKS = Path(__file__).parent / "marks"
STEPS = 20


@dataclass(frozen=True, kw_only=True)
class Subject:
    """Makes numbers step by step, and at one step does what it is named after."""

    how: str

    def step(self, place, rng):
        (MARKS / f"{self.how}.{place}.{os.getpid()}.{time.monotonic_ns()}").touch()
        if self.how == "dies-once":
            time.sleep(0.1)
            if place == STEPS - 4 and not (MARKS / "has-died").exists():
                (MARKS / "has-died").touch()
                os.kill(os.getpid(), signal.SIGKILL)
        if self.how == "dies" and place == 2:
            os.write(1, b"these are my last words\n")
            os._exit(7)
        if self.how == "hangs" and place == 1:
            time.sleep(3600)
        if self.how == "slow" and not (MARKS / "quick").exists():
            time.sleep(0.3)
        return int(rng.integers(10**9))


class Stepwise:
    """Adds up a subject's steps."""

    name, version, statistical, by_request = "stepwise", "1", True, True
    honours = frozenset()

    def refuses(self, task):
        return None if isinstance(task.build(), Subject) else "only subjects of this plug-in"

    def audit(self, task):
        subject = task.build()
        found = parts(task, subject, ("step",), STEPS, lambda place: subject.step(place, task.stream("step", place)))
        total = sum(found)
        return Evidence(
            claim=task.claim.id,
            auditor=self.name,
            version="1",
            measure=task.claim.guarantee.measures()[0],
            bound=total / 10**12,
            excess=-1.0,
            confidence=1 - task.alpha,
            trials=task.trials,
            statistics={"total": total},
        )


def register(registry):
    registry.auditors.add("stepwise", Stepwise())
    registry.mechanisms.add("faulty", Subject)
    like = registry.entries.get("laplace")
    for how in ("steady", "steadier", "slow", "dies-once", "dies", "hangs"):
        claim = replace(like.claim, id=how, subject="faulty", parameters={"how": how})
        registry.add_entry(SuiteEntry(claim=claim, suites=("faulty",)))
    registry.add_entry(SuiteEntry(claim=replace(like.claim, id="as-ever"), suites=("faulty",)))
