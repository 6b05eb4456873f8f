"""One bug's code in another interpreter, as a mechanism of this process: started, called, limited and ended here.

The other process gets a folder of its own, few variables, limits of memory and of written files, and seconds for each
call. Whatever it does (raises, exits, hangs, floods, answers nonsense) is one `BridgeError` of one line.
"""

from __future__ import annotations

import json
import os
import re
import selectors
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import AuditError, one_line
from dpverify.runner.process_tree import end_with_parent, kill_with_descendants

SERVER = Path(__file__).with_name("serve.py")

LONGEST_LINE, MOST_NUMBERS = 2**16, 2**26
"""Bytes of an answer's line, and numbers after it."""

MOST_WRITTEN, MOST_MEMORY = 2**26, 2**33
"""Bytes that the other process may write into one file, and may hold."""

KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "LD_LIBRARY_PATH")
"""Variables that the other process gets."""

_PATH = re.compile(r"(?:/[^/\s'\"()]+)+/([^/\s'\"()]+)")
"""Paths of this machine are shortened to the file's name in what is reported."""

TOLD = 200
"""Most characters of its last words in an error."""


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
        self._process: subprocess.Popen[bytes] | None = None
        self._left = b""

    def __enter__(self) -> Bridge:
        self._folder = tempfile.TemporaryDirectory(prefix="dpverify-bug-")
        self._said = tempfile.TemporaryFile()
        words = {name: os.environ[name] for name in KEPT if name in os.environ}
        words |= {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "HOME": self._folder.name}
        self._process = subprocess.Popen(
            [self._python, "-I", str(SERVER), str(self._path.resolve())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            cwd=self._folder.name,
            env=words,
            preexec_fn=_limits if os.name == "posix" else None,
        )
        try:
            self._answer(self._seconds)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            kill_with_descendants(self._process.pid)
            with suppress(OSError):
                self._process.communicate(timeout=5)
            self._process = None
            self._said.close()
            self._folder.cleanup()

    def __call__(self, data: Any, size: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Independent outputs, drawn by the other process with a seed that comes from `rng`."""
        head = self._ask({"call": "draw", "data": data, "size": size, "seed": int(rng.integers(2**62))})
        try:
            rows, width = int(head["rows"]), int(head["width"])
        except (KeyError, TypeError, ValueError):
            raise BridgeError("the library's process answered without numbers") from None
        if rows != size or not width >= 1 or rows * width > MOST_NUMBERS:
            raise BridgeError(f"the library's process answered {rows} outputs of {width} numbers, not {size} outputs")
        content = self._read(8 * rows * width, time.monotonic() + self._seconds)
        found = np.frombuffer(content, dtype="<f8").reshape(rows, width).astype(np.float64)
        return found[:, 0] if width == 1 else found

    def value(self, name: str) -> Any:
        """Return the value of the code's function `name`: a number or a text."""
        return self._ask({"call": name, "seed": 0}).get("value")

    def _ask(self, call: dict[str, Any]) -> dict[str, Any]:
        process = self._process
        if process is None or process.stdin is None:
            raise BridgeError("the library's process has not been started")
        try:
            process.stdin.write(json.dumps(call).encode() + b"\n")
            process.stdin.flush()
        except OSError:
            raise self._ended() from None
        return self._answer(self._seconds)

    def _answer(self, seconds: float) -> dict[str, Any]:
        """The next line; BridgeError where it tells of a problem."""
        until = time.monotonic() + seconds
        while b"\n" not in self._left:
            if len(self._left) > LONGEST_LINE:
                raise BridgeError(f"the library's process wrote {len(self._left)} bytes without an end of line")
            self._more(until)
        line, _, self._left = self._left.partition(b"\n")
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            raise BridgeError("the library's process answered what is no JSON") from None
        if not isinstance(found, dict):
            raise BridgeError("the library's process answered what is no JSON object")
        if "problem" in found:
            raise BridgeError(one_line(_PATH.sub(r"\1", f"the library raised {found['problem']}")))
        return found

    def _read(self, size: int, until: float) -> bytes:
        parts, have = [self._left], len(self._left)
        while have < size:
            self._left = b""
            self._more(until)
            parts.append(self._left)
            have += len(self._left)
        whole = b"".join(parts)
        self._left = whole[size:]
        return whole[:size]

    def _more(self, until: float) -> None:
        process = self._process
        assert process is not None and process.stdout is not None
        with selectors.DefaultSelector() as waiting:
            waiting.register(process.stdout, selectors.EVENT_READ)
            if not waiting.select(max(0.0, until - time.monotonic())):
                raise BridgeError(f"the library gave no answer in {self._seconds:g} s, and was ended")
        found = os.read(process.stdout.fileno(), 2**20)
        if not found:
            raise self._ended()
        self._left += found

    def _ended(self) -> BridgeError:
        """Why it is gone: its status and the last line that it wrote."""
        process = self._process
        with suppress(subprocess.TimeoutExpired, AttributeError):
            assert process is not None
            process.wait(timeout=2)
        status = None if process is None else process.returncode
        how = f"signal {-status}" if status is not None and status < 0 else f"exit status {status}"
        return BridgeError(one_line(f"the library's process ended ({how}): {self._last_words() or 'it wrote nothing'}"))

    def _last_words(self) -> str:
        with suppress(OSError, ValueError):
            self._said.seek(0, os.SEEK_END)
            self._said.seek(max(0, self._said.tell() - 4096))
            lines = [line for line in self._said.read().decode(errors="replace").splitlines() if line.strip()]
            return lines[-1].strip()[-TOLD:] if lines else ""
        return ""


def _limits() -> None:
    """Limit the new process, before its interpreter starts."""
    import resource

    end_with_parent()
    for which, most in ((resource.RLIMIT_FSIZE, MOST_WRITTEN), (resource.RLIMIT_DATA, MOST_MEMORY)):
        _, hard = resource.getrlimit(which)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with suppress(OSError, ValueError):
            resource.setrlimit(which, (most, most))
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
