"""A plug-in whose subjects harm whoever runs them; copied as a module of its own into the folder of an attack.

The environment variable ``AT_IMPORT`` says what it does when it is imported.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, replace

from dpverify.core.evidence import Evidence
from dpverify.core.suite import SuiteEntry

sys.stdout.write("a plug-in that prints where results go\n")
match os.environ.get("AT_IMPORT"):
    case "exits":
        sys.exit(0)
    case "ends":
        os._exit(0)
    case "interrupts":
        raise KeyboardInterrupt
    case "cancels":
        raise asyncio.CancelledError


class Acts(Exception):  # noqa: N818 - the attack
    """Ends whoever unpickles it."""

    def __reduce__(self):
        return os._exit, (0,)


@dataclass(frozen=True, kw_only=True)
class Subject:
    """Does what it is named after."""

    how: str

    def act(self):
        match self.how:
            case "cancels":
                raise asyncio.CancelledError
            case "interrupts":
                raise KeyboardInterrupt
            case "leaves-a-generator":
                raise GeneratorExit
            case "exits":
                sys.exit(0)
            case "acts-when-unpickled":
                raise Acts
            case "forks":
                os.fork()
            case "thread":
                threading.Thread(target=time.sleep, args=(600,)).start()
            case "daemon":
                subprocess.Popen(["sleep", "600"], start_new_session=True)
            case "ends":
                os._exit(0)
            case "works":
                time.sleep(3600)


class Looks:
    """Lets a subject act, and finds nothing."""

    name, version, statistical, by_request = "looks", "1", True, True
    honours = frozenset()

    def refuses(self, task):
        return None if isinstance(task.build(), Subject) else "only subjects of this plug-in"

    def audit(self, task):
        task.build().act()
        return Evidence(
            claim=task.claim.id,
            auditor=self.name,
            version="1",
            measure=task.claim.guarantee.measures()[0],
            bound=0.0,
            excess=-1.0,
            confidence=1 - task.alpha,
            trials=task.trials,
        )


RAISE = ("cancels", "interrupts", "leaves-a-generator", "exits", "acts-when-unpickled")
LEAVE = ("forks", "thread", "daemon", "steady")


def register(registry):
    registry.auditors.add("looks", Looks())
    registry.mechanisms.add("hostile", Subject)
    like = registry.entries.get("laplace")
    suites = {"raising": (*RAISE, "steady-beside"), "leaving": LEAVE, "ending": ("ends", "calm"), "working": ("works",)}
    for suite, ways in suites.items():
        for how in ways:
            claim = replace(like.claim, id=how, subject="hostile", parameters={"how": how})
            registry.add_entry(SuiteEntry(claim=claim, suites=(suite,)))
