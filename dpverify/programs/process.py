"""One started program: what is written to it, read from it, and how it is ended with all that it started.

It has a session of its own, so no terminal; what it writes to standard error is kept in part, for errors. Needs a POSIX
system. Processes that it starts and that leave its session are ended by the watchdog of the audit.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from dpverify.core.errors import InputError, one_line
from dpverify.programs.answer import Answer
from dpverify.programs.failure import ProgramError
from dpverify.runner.process_tree import kill_with_descendants

KEPT, SHOWN = 4_000, 300
"""Bytes of standard error that are kept, and characters of it that an error shows."""

PATIENCE = 1.0
"""Seconds in which a program ends once its standard input is closed; then it is killed."""

LISTEN = 0.05
"""Seconds in which a first answer may turn out to be longer than was asked for."""

_READ = 2**18


class Program:
    """A program that was started.

    Parameters
    ----------
    words : sequence of str
        The program and its arguments.
    folder : Path or None
        Where it works.
    memory : int or None
        Bytes that each of its processes may allocate (Linux).
    variables : mapping or None
        Its environment; None for this process's.
    prepare : callable or None
        Called in the new process before the program begins.

    Raises
    ------
    InputError
        When it cannot be started.
    """

    def __init__(
        self,
        words: Sequence[str],
        folder: Path | None,
        *,
        memory: int | None = None,
        variables: Mapping[str, str] | None = None,
        prepare: Callable[[], None] | None = None,
    ) -> None:
        try:
            self._process = subprocess.Popen(
                list(words),
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
                env=variables,
                preexec_fn=prepare,
            )
        except (OSError, ValueError) as problem:
            raise not_started(words[0], problem) from None
        process = self._process
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        self._in, self._out, self._err = (each.fileno() for each in (process.stdin, process.stdout, process.stderr))
        for each in (self._in, self._out, self._err):
            os.set_blocking(each, False)
        self._said = b""
        self._poll = select.poll()
        for each in (self._out, self._err):
            self._poll.register(each, select.POLLIN)
        self._handle = _handle(process.pid)
        if self._handle >= 0:
            self._poll.register(self._handle, select.POLLIN)
        self._out_open = True
        _limit(process.pid, memory)

    def answer(self, request: bytes, answer: Answer, *, quiet: float, last: bool) -> None:
        """Write a request and read its answer.

        `quiet`: seconds after which a program that prints nothing has failed. `last`: whether standard input ends with
        the request, and the program with its answer.

        ProgramError for an answer that is too short or too long, a silence, and an exit status that is not 0.
        """
        left, heard = memoryview(request), time.monotonic()
        if left:
            self._poll.register(self._in, select.POLLOUT)
        elif last:
            self._close_input()
        while last or not answer.complete:
            if not self._out_open and (self._ended() or not answer.complete):
                break
            events = self._poll.poll(1000.0 * min(quiet, 0.2 if self._handle < 0 or not self._out_open else quiet))
            now = time.monotonic()
            for each, _ in events:
                if each == self._in:
                    left = self._write(left)
                    if not left:
                        self._poll.unregister(self._in)
                        if last:
                            self._close_input()
                elif each == self._out:
                    heard = now if self._read(answer) else heard
                elif each == self._err:
                    self._listen()
            if self._ended():
                while self._out_open and self._read(answer):
                    pass
                break
            if now - heard > quiet:
                self._refuse_silence(answer, quiet, last=last)
        if last or not answer.complete:
            self._refuse_end(answer, last=last)

    def listen(self, seconds: float) -> None:
        """Wait for output that nobody asked for; ProgramError where some comes."""
        if self._out_open and any(each == self._out for each, _ in self._poll.poll(1000.0 * seconds)):
            with suppress(OSError):
                part = os.read(self._out, _READ)
                if part:
                    raise ProgramError("printed more than it was asked for")

    @property
    def status(self) -> int | None:
        """Exit status, negative for a signal; None while it runs."""
        if self._process.returncode is not None:
            return self._process.returncode
        with suppress(ChildProcessError):  # it is not reaped here: until then its number, and its group's, are its own
            found = os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
            if found is not None:
                return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status
        return None

    def close(self) -> None:
        """End it: its standard input closes, and then it is killed, with all that it started."""
        self._close_input()
        self._process_ends()
        self.kill()

    def kill(self) -> None:
        """Kill it, with its session and its descendants."""
        if self._process.returncode is None:
            if not self._ended():
                kill_with_descendants(self._process.pid)
            with suppress(OSError):  # it is not reaped yet, so its number is not another's
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._close_input()
        for each in (self._process.stdout, self._process.stderr):
            if each is not None:
                each.close()
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def said(self) -> str:
        """The end of what it wrote to standard error, on one line, with the words that lead to it; else empty."""
        with suppress(OSError, ValueError):
            while self._listen():
                pass
        lines = [one_line(line) for line in self._said.decode(errors="replace").splitlines() if line.strip()]
        text = " / ".join(lines[-3:])
        text = text if len(text) <= SHOWN else f"... {text[-SHOWN:]}"
        return f"; it said: {text}" if text else ""

    def _ended(self) -> bool:
        if self._process.returncode is not None:
            return True
        with suppress(ChildProcessError):
            return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None
        return True

    def _write(self, left: memoryview) -> memoryview:
        try:
            return left[os.write(self._in, left) :]
        except BlockingIOError:
            return left
        except OSError:  # it reads no more; what it answers says whether that matters
            return left[:0]

    def _read(self, answer: Answer) -> bool:
        """Read a part of the answer; False where nothing was there."""
        try:
            part = os.read(self._out, _READ)
        except BlockingIOError:
            return False
        except OSError:
            part = b""
        if not part:
            self._out_open = False
            self._poll.unregister(self._out)
            return False
        answer.feed(part)
        return True

    def _listen(self) -> bool:
        try:
            part = os.read(self._err, _READ)
        except BlockingIOError:
            return False
        if not part:
            with suppress(KeyError):
                self._poll.unregister(self._err)
            return False
        self._said = (self._said + part)[-KEPT:]
        return True

    def _close_input(self) -> None:
        with suppress(OSError, ValueError):
            assert self._process.stdin is not None
            self._process.stdin.close()

    def _refuse_silence(self, answer: Answer, quiet: float, *, last: bool) -> None:
        answer.check()
        if answer.complete:
            raise ProgramError(f"did not end within {quiet:g} s after its outputs{self.said()}")
        hint = "" if last else " (a worker must flush its output after each answer)"
        raise ProgramError(f"printed nothing for {quiet:g} s, after {answer.received()} outputs{hint}{self.said()}")

    def _refuse_end(self, answer: Answer, *, last: bool) -> None:
        """ProgramError where it ended otherwise than it should."""
        self._process_ends()
        with suppress(ProgramError):
            answer.close()
        status = self.status
        how = "closed its output" if status is None else _how(status)
        if not answer.complete:
            answer.check()
            raise ProgramError(f"{how} after {answer.received()} outputs of those it was asked for{self.said()}")
        if status != 0:
            raise ProgramError(f"{how} after its outputs{self.said()}")

    def _process_ends(self) -> None:
        """A program that closed its output, or whose input is closed, has a moment to end."""
        until = time.monotonic() + PATIENCE
        while not self._ended() and time.monotonic() < until:
            time.sleep(0.001)


def not_started(word: str, problem: Exception) -> InputError:
    """Why a program cannot be started."""
    return InputError(
        f"the program {word!r} cannot be started: {one_line(getattr(problem, 'strerror', None) or str(problem))}",
        allowed="a program on the search path, or the path of one that may be executed",
        remedy="try the command by hand; a script needs its interpreter before it, such as 'perl noisy.pl'",
    )


def _how(status: int) -> str:
    if status >= 0:
        return f"ended with exit status {status}"
    with suppress(ValueError):
        return f"was ended by signal {-status} ({signal.Signals(-status).name})"
    return f"was ended by signal {-status}"


def _handle(process: int) -> int:
    """A descriptor that can be read once the process has ended; -1 where the system has none."""
    try:
        return os.pidfd_open(process)
    except (AttributeError, OSError):
        return -1


def _limit(process: int, memory: int | None) -> None:
    """Limit the memory of a process that was just started, and of all that it will start; no core files."""
    with suppress(ImportError, AttributeError, OSError, ValueError):
        import resource

        resource.prlimit(process, resource.RLIMIT_CORE, (0, 0))
        if memory is not None:
            _, most = resource.prlimit(process, resource.RLIMIT_DATA)
            least = memory if most == resource.RLIM_INFINITY else min(memory, most)
            resource.prlimit(process, resource.RLIMIT_DATA, (least, least))
