"""Measures one bug: makes its environment, asks the library for its claim, looks, and writes a record.

The false-alarm probability of a look at draws is `FALSE_ALARM`, one-sided, fixed before the first draw. What an
accountant says is held against our own lower bound on the same composition, which is never above the truth.

A bug's code runs in another interpreter, as a mechanism of this process. The other process gets a folder of its own,
few variables, limits of memory and of written files, and seconds for each call. Whatever it does (raises, exits, hangs,
floods, answers nonsense) is one `BridgeError` of one line.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpverify.accounting.side_by_side import account
from dpverify.audits.audit import audit
from dpverify.core.errors import AuditError, DpverifyError, one_line
from dpverify.gallery.bug import Bug
from dpverify.gallery.environments import environment_for
from dpverify.programs.answer import Answer, Doubles, Lines
from dpverify.programs.failure import ProgramError
from dpverify.programs.process import Program
from dpverify.runner.environment import environment
from dpverify.runner.process_tree import end_with_parent
from dpverify.runner.record import record
from dpverify.sampling.streams import stream
from dpverify.stats.intervals import clopper_pearson_lower
from dpverify.training_step.check import check_training_step

FALSE_ALARM = 1e-6
"""That a true claim is called refuted, for each bug and each release of it."""

STOOD = ("not_refuted", "certified", "inconclusive")
"""Verdicts on a mended release. It is inconclusive where the pair shows nothing any more: no pass, and no fault."""

Say = Callable[[str], None]


SERVER = Path(__file__).with_name("serve.py")

MOST_NUMBERS = 2**26
"""In one answer."""

TOLD = 400
"""Characters of an error of the library."""

MOST_WRITTEN, MOST_MEMORY = 2**26, 2**33
"""Bytes that the other process may write into one file, and may hold."""

KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "LD_LIBRARY_PATH")
"""Variables that the other process gets."""

_PATH = re.compile(r"(?:/[^/\s'\"()]+)+/([^/\s'\"()]+)")
"""Paths of this machine are shortened to the file's name in what is reported."""


def measure(bug: Bug, *, say: Say = lambda _: None, folder: Path | None = None) -> dict[str, Any]:
    """The record of a bug: of the release with the fault, and of the one with the fix where it is named.

    Nothing is raised for what the library or its installation does: the verdict is then ``error``, with one line.
    """
    found: dict[str, Any] = {
        "name": bug.name,
        "digest": bug.digest(),
        "library": bug.library,
        "version": bug.version,
        "kind": bug.kind,
        "expected": bug.expected,
        "false_alarm": None if bug.look == "account" else FALSE_ALARM,
        **_looked(bug, bug.pins, bug.pythons, say=say, folder=folder),
    }
    if bug.fixed_pins:
        found["fixed"] = {
            "release": bug.fixed_pins[0],
            **_looked(bug, bug.fixed_pins, bug.fixed_pythons, say=say, folder=folder, fixed=True),
        }
    found["environment"] = environment()
    return found


def as_expected(item: dict[str, Any]) -> bool:
    """Tell whether the record bears out what the bug's file says, and the fix was looked at and does not fall."""
    fixed = item.get("fixed")
    return item["verdict"] == item["expected"] and (fixed is None or fixed["verdict"] in STOOD)


def _looked(
    bug: Bug,
    pins: tuple[str, ...],
    pythons: tuple[str, ...],
    *,
    say: Say,
    folder: Path | None,
    fixed: bool = False,
) -> dict[str, Any]:
    """Verdict and numbers at one release."""
    found: dict[str, Any] = {"python": None, "install_seconds": 0.0}
    began = time.monotonic()
    try:
        python: Path | str = sys.executable
        if pins:
            made = environment_for(pins, pythons, say=say, folder=folder)
            python, found["python"], found["install_seconds"] = made.python, made.version, round(made.seconds, 1)
        began = time.monotonic()
        with Bridge(python, bug.code, seconds=bug.limit) as bridge:
            look = {"audit": _audit_look, "account": account_look, "rate": rate_look, "step": step_look}[bug.look]
            found |= look(bug, bridge, FALSE_ALARM)
    except DpverifyError as problem:
        found |= {"verdict": "error", "reason": one_line(str(problem))}
    found["seconds"] = round(time.monotonic() - began, 1)
    return found


def _audit_look(bug: Bug, bridge: Bridge, alpha: float) -> dict[str, Any]:
    """The claim that the library makes, audited on the pair."""
    claim = bridge.value("claimed")
    if claim != bug.claim:
        raise BridgeError(f"the library claims {claim}, and the file {bug.name}.toml says {bug.claim}")
    result = audit(
        bridge,
        bug.d0,
        bug.d1,
        claim=bug.claim,
        relation=bug.relation,
        trials=bug.trials,
        confidence=1.0 - alpha,
        seed=bug.seed,
        call="batch",
        methods=bug.methods or None,
        name=bug.name,
    )
    item: Mapping[str, Any] = record(result.row)
    leading = item["evidence"][0] if item["evidence"] else {}
    kept = ("verdict", "reason", "measure", "claimed", "bound", "confidence", "error", "proved", "trials", "estimate")
    return {
        **{name: item[name] for name in (*kept, "detectable", "ceiling", "method", "relation", "witness")},
        "picture": leading.get("picture"),
        "exact": False,
    }


def account_look(bug: Bug, bridge: Bridge, _: float) -> dict[str, Any]:
    """The epsilon that the library prints for a composition, against a lower bound that is never above the truth."""
    said = bridge.value("claimed")
    try:
        composition, delta, claimed = str(said["composition"]), float(said["delta"]), float(said["epsilon"])
    except (TypeError, KeyError, ValueError):
        raise BridgeError("claimed() returned no composition, delta and epsilon") from None
    if claimed < 0.0:
        raise BridgeError(f"claimed() returned epsilon = {claimed:g}; bounds on a negative one are not known here")
    best = account(composition, delta=delta).highest
    if best is None:
        raise BridgeError(f"no accountant bounds the epsilon of {composition} from below")
    bound = best.bracket.lower
    refuted = bound > claimed
    return {
        "verdict": "refuted" if refuted else "not_refuted",
        "reason": "",
        "measure": f"epsilon at delta = {delta:g}",
        "claimed": claimed,
        "bound": bound,
        "confidence": None,
        "method": best.accountant,
        "witness": {"composition": composition},
        "exact": True,
    }


def rate_look(bug: Bug, bridge: Bridge, alpha: float) -> dict[str, Any]:
    """Count how often something happens that has a claimed rate; each draw is 1 where it does, else 0."""
    claimed = float(bridge.value("claimed"))
    wrong = np.asarray(bridge(None, bug.trials, stream(bug.seed, bug.name, "rate")))
    if wrong.shape != (bug.trials,) or not np.isin(wrong, (0.0, 1.0)).all():
        raise BridgeError("the draws of a rate are 0 or 1")
    often = int(wrong.sum())
    bound = float(clopper_pearson_lower(often, bug.trials, alpha=alpha))
    return {
        "verdict": "refuted" if bound > claimed else "not_refuted",
        "reason": "",
        "measure": "rate",
        "claimed": claimed,
        "bound": bound,
        "confidence": 1.0 - alpha,
        "trials": bug.trials,
        "estimate": often / bug.trials,
        "detectable": _detectable(claimed, bug.trials, alpha),
        "method": "binomial",
        "witness": {"times": often, "of": bug.trials},
        "exact": False,
    }


def step_look(bug: Bug, bridge: Bridge, alpha: float) -> dict[str, Any]:
    """One step on lists of numbers: ``claimed()`` has the arguments of the check, ``draw`` makes one noisy sum."""
    said = bridge.value("claimed")

    def step(parameters: Any, batch: Any, rng: np.random.Generator) -> Any:
        return bridge({"parameters": parameters.tolist(), "batch": batch.tolist()}, 1, rng)[0]

    try:
        parameters, batch = (np.asarray(said.pop(name)) for name in ("parameters", "batch"))
        found = check_training_step(
            step, parameters, batch, **said, confidence=1.0 - alpha, seed=bug.seed, name=bug.name
        )
    except (AttributeError, KeyError, TypeError, ValueError):
        raise BridgeError("claimed() returned no arguments of check_training_step") from None
    row = next((row for row in found.rows if row.verdict is found.verdict), found["norm"])
    return {
        "verdict": str(found.verdict),
        "reason": "",
        "measure": "clipping norms that one record moves the sum by",
        "claimed": 1.0,
        "bound": found["norm"].number,
        "confidence": found.confidence,
        "trials": found.calls,
        "method": "training-step",
        "witness": {"row": row.name, "found": row.words, "shown by": row.shown},
        "exact": True,
    }


def _detectable(claimed: float, trials: int, alpha: float) -> float:
    """The smallest true rate that is refuted with 80 % power."""
    low, high = int(claimed * trials), trials
    while low < high:  # the smallest count that refutes
        middle = (low + high) // 2
        if float(clopper_pearson_lower(middle, trials, alpha=alpha)) > claimed:
            high = middle
        else:
            low = middle + 1
    return float(special.bdtri(low - 1, trials, 0.2)) if low <= trials else 1.0


class BridgeError(AuditError):
    """The other process did not answer as it should."""


class Bridge:
    """The code in `path`, run by the interpreter `python`; use it as a context.

    Calling it draws: ``bridge(data, size, rng)`` is an array of shape (size,) or (size, width).

    Parameters
    ----------
    python, path : Path
        Another interpreter, and a file with ``draw(data, size, seed)``.
    seconds : float
        For the start, and for each call.
    """

    __name__ = "draw"

    def __init__(self, python: Path | str, path: Path, *, seconds: float = 60.0) -> None:
        self._python, self._path, self._seconds = str(python), path, seconds
        self._program: Program | None = None

    def __enter__(self) -> Bridge:
        self._folder = tempfile.TemporaryDirectory(prefix="dpverify-bug-")
        words = {name: os.environ[name] for name in KEPT if name in os.environ}
        words |= {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "HOME": self._folder.name}
        try:
            self._program = Program(
                [self._python, "-I", str(SERVER), str(self._path.resolve())],
                Path(self._folder.name),
                memory=MOST_MEMORY,
                variables=words,
                prepare=_prepare,
            )
            self._ask()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._program is not None:
            self._program.kill()
            self._program = None
        self._folder.cleanup()

    def __call__(self, data: Any, size: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Independent outputs, drawn by the other process with a seed that comes from `rng`."""
        head = self._ask({"call": "draw", "data": data, "size": size, "seed": int(rng.integers(2**62))})
        try:
            rows, width = int(head["rows"]), int(head["width"])
        except (KeyError, TypeError, ValueError, OverflowError):
            raise BridgeError("the library's process answered without numbers") from None
        if rows != size or not 1 <= width <= MOST_NUMBERS // rows:
            raise BridgeError(f"the library's process answered {rows} outputs of {width} numbers, not {size} outputs")
        return np.asarray(self._answer(b"send\n", Doubles(rows, width)))

    def value(self, name: str) -> Any:
        """Return the value of the code's function `name`: a number or a text."""
        return self._ask({"call": name, "seed": 0}).get("value")

    def _ask(self, call: dict[str, Any] | None = None) -> dict[str, Any]:
        """The line that answers a call, or the start; BridgeError where it tells of a problem."""
        (found,) = self._answer(b"" if call is None else json.dumps(call).encode() + b"\n", Lines(1))
        if not isinstance(found, dict):
            raise BridgeError("the library's process answered what is no JSON object")
        if "problem" in found:
            raise BridgeError(one_line(_PATH.sub(r"\1", f"the library raised {str(found['problem'])[:TOLD]}")))
        return found

    def _answer(self, request: bytes, answer: Answer) -> Any:
        if self._program is None:
            raise BridgeError("the library's process has not been started")
        try:
            self._program.answer(request, answer, quiet=self._seconds, last=False)
            return answer.values()
        except ProgramError as problem:
            raise BridgeError(one_line(_PATH.sub(r"\1", f"the library's process {problem}"))) from None


def _prepare() -> None:
    """Limit the new process, before its interpreter starts."""
    import resource

    end_with_parent()
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    most = MOST_WRITTEN if hard == resource.RLIM_INFINITY else min(MOST_WRITTEN, hard)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
