"""What a type checker says of files that use dpverify: nothing of right ones, the exact error of wrong ones."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.types

ROOT = Path(__file__).parents[2]

RIGHT_USER = """
import dpverify as dpv


def noisy(data: list[int], rng: object) -> float:
    return float(sum(data))


result = dpv.audit(noisy, [1, 1], [1], claim=dpv.PureDP(epsilon=1.0), trials=1000)
bound: float | None = result.epsilon_lower
refuted: bool = result.verdict is dpv.Status.REFUTED
result.check()
lowest: int = len(dpv.account("gaussian(sigma=8)*10", delta=1e-5).rows)
number: float = dpv.public("n", 1.5)
rows: int = dpv.load_table("breast-cancer").rows
uniform: float = dpv.stream(0, "mine").random()
names: list[str] = list(dpv.registry().auditors)
"""

WRONG_USER = """
import dpverify as dpv


def noisy(data: list[int]) -> float:
    return 0.0


result = dpv.audit(noisy, [1, 1], [1], claim=dpv.PureDP(epsilon="1"))
other = dpv.audit(noisy, [1, 1], [1], claim=1.0, trails=10)
more: str = other.epsilon_lower
dpv.prove(noisy)
"""

RIGHT_PLUGIN = """
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dpverify as dpv
from dpverify.plugin import (
    Auditor,
    Claim,
    Evidence,
    Measure,
    Registry,
    Samples,
    SearchSpace,
    Source,
    SuiteEntry,
    Task,
    UnsupportedError,
)


@dataclass(frozen=True)
class NoisySum:
    scale: float

    def sample(self, dataset: Any, size: int, *, rng: np.random.Generator) -> NDArray[Any]:
        return float(np.sum(dataset)) + rng.laplace(scale=self.scale, size=size)


class MyAuditor:
    name = "mine"
    version = "1"
    statistical = True

    def refuses(self, task: Task) -> str | None:
        return None if isinstance(task.build(), Samples) else "it gives no samples"

    def audit(self, task: Task) -> Evidence:
        if task.trials < 10:
            raise UnsupportedError("too few")
        measure = Measure(kind="epsilon", argument=0.0, claimed=1.0)
        return Evidence(
            claim=task.claim.id, auditor=self.name, version="1", measure=measure, bound=0.0, excess=-1.0,
            confidence=1 - task.alpha,
        )


CLAIM = Claim(
    id="my-sum",
    guarantee=dpv.PureDP(epsilon=1.0),
    relation="add-remove",
    subject="my-sum",
    source=Source(paper="mine", locus="Theorem 1"),
    space=SearchSpace(size=3, low=0.0, high=1.0),
)


def register(registry: Registry) -> None:
    registry.mechanisms.add("my-sum", NoisySum)
    auditor: Auditor = MyAuditor()
    registry.auditors.add(auditor.name, auditor)
    registry.add_entry(SuiteEntry(claim=CLAIM, expectation="stands"))
"""

WRONG_PLUGIN = """
from dpverify.plugin import Evidence, Registry, SuiteEntry, Task


class Blind:
    name = "blind"
    version = 1
    statistical = True

    def refuses(self, task: Task) -> str | None:
        return task.expectation

    def audit(self, task: Task) -> Evidence:
        raise NotImplementedError


def register(registry: Registry) -> None:
    registry.auditors.add("blind", Blind())
    registry.add_entry(SuiteEntry(claim="my-sum"))
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """mypy's errors by file, as (line, text): one run over all files."""
    folder = tmp_path_factory.mktemp("typed")
    files = {
        "right_user": RIGHT_USER,
        "wrong_user": WRONG_USER,
        "right_plugin": RIGHT_PLUGIN,
        "wrong_plugin": WRONG_PLUGIN,
    }
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text.lstrip())
    # From the root, with the settings of `make check`: they share one cache, and mypy reads dpverify once.
    command = [sys.executable, "-m", "mypy", "--no-pretty", *(folder / f"{name}.py" for name in files)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    found = {name: [] for name in files}
    for line in ran.stdout.splitlines():
        if match := re.match(r".*?(\w+)\.py:(\d+): error: (.*)", line):
            found[match[1]].append((int(match[2]), match[3]))
        else:
            assert "note:" in line or line.startswith(("Found", "Success")), ran.stdout + ran.stderr
    return found


@pytest.mark.parametrize("name", ["right_user", "right_plugin"])
def test_a_right_file_is_clean(said, name):
    assert not said[name]


def test_a_users_mistakes_are_named(said):
    assert said["wrong_user"] == [
        (8, 'Argument "epsilon" to "PureDP" has incompatible type "str"; expected "float"  [arg-type]'),
        (9, 'Unexpected keyword argument "trails" for "audit"; did you mean "trials"?  [call-arg]'),
        (
            9,
            'Argument "claim" to "audit" has incompatible type "float"; expected "Guarantee | str"  [arg-type]',
        ),
        (
            10,
            'Incompatible types in assignment (expression has type "float | None", variable has type "str")'
            "  [assignment]",
        ),
        (11, 'Module has no attribute "prove"  [attr-defined]'),
    ]


def test_a_plug_in_authors_mistakes_are_named(said):
    assert said["wrong_plugin"] == [
        (10, 'Returning Any from function declared to return "str | None"  [no-any-return]'),
        (10, '"Task" has no attribute "expectation"  [attr-defined]'),
        (
            17,
            'Argument 2 to "add" of "Section" has incompatible type "Blind"; expected "Auditor"  [arg-type]',
        ),
        (18, 'Argument "claim" to "SuiteEntry" has incompatible type "str"; expected "Claim"  [arg-type]'),
    ]
