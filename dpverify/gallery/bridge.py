"""One bug's code in another interpreter, as a mechanism of this process: started, called, limited and ended here.

The other process gets a folder of its own, few variables, limits of memory and of written files, and seconds for each
call. Whatever it does (raises, exits, hangs, floods, answers nonsense) is one `BridgeError` of one line.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import AuditError, one_line
from dpverify.programs.answer import Answer, Doubles, Lines
from dpverify.programs.failure import ProgramError
from dpverify.programs.process import Program
from dpverify.runner.process_tree import end_with_parent

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
