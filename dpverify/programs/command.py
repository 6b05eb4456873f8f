"""``dpverify.command("./noisy")``: a program in any language as a mechanism, by one protocol over a pipe.

A command without places is a *worker*: it is started once and reads one request a line on standard input,
``{"seed":1,"count":3,"data":[0.2,0.9]}``, keys in this order and without spaces. For each request it prints exactly
`count` independent outputs that depend on `data` and `seed` alone, one JSON value a line, or as raw doubles, and
flushes. It ends when standard input does.

A command with places is started for each request: ``./noisy {data} {seed} {count}``. Its standard input is the data set
as JSON where there is no place for it; it prints its outputs and ends with status 0.

Seeds are integers in [0, 2**53). Standard error is shown where the program fails. Assumptions: as for callables,
outputs of one request are independent of one another and of other requests; what shows otherwise is noticed or refused.
"""

from __future__ import annotations

import inspect
import os
import shutil
import weakref
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from dpverify.core.errors import InputError
from dpverify.programs.answer import answer_of, answer_width
from dpverify.programs.code import code_words
from dpverify.programs.data_text import csv_text, json_text
from dpverify.programs.failure import ProgramError
from dpverify.programs.process import LISTEN, Program, not_started
from dpverify.programs.words import CommandWords, command_words
from dpverify.runner.memory import check_that_memory_can_be_limited
from dpverify.runner.temporary_folders import temporary_folder

SILENCE = 60.0
"""Seconds in which a program must print something, where nobody sets a limit for each call."""

MOST_AT_ONCE = 2**16
"""Outputs of one request; more are asked for in several, each with a seed of its own."""

PROGRAM = "program"
"""In the source of a claim: its subject is the text of a command."""

LARGEST_SEED = 2**53
"""Every seed is an exact double."""


class Command:
    """A program as a callable ``f(dataset, size, rng)``, as far as its places allow.

    Parameters
    ----------
    command : str or sequence of str
        The program and its arguments, with or without places; as one text it is split as a shell splits it.
    outputs : str
        ``json``, ``doubles`` or ``doubles:K``.
    folder : path or None
        Where the program works, and where a program with a path is looked for; None is the working directory.
    max_memory : float or None
        GB that each process of the program may allocate (Linux).

    Attributes
    ----------
    text : str
        The command as it is typed.
    silence : float
        Seconds in which the program must print something.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        outputs: str = "json",
        folder: Path | str | None = None,
        max_memory: float | None = None,
    ) -> None:
        self.words: CommandWords = command_words(command)
        self.outputs, self.folder = outputs, None if folder is None else Path(folder)
        if max_memory is not None and not 0 < max_memory < 2**30:
            raise InputError(f"max_memory = {max_memory}", allowed="a number of GB above 0")
        if max_memory is not None:
            check_that_memory_can_be_limited("max_memory")
        self.max_memory = max_memory
        self._width = answer_width(outputs)
        self.text, self.silence = self.words.text, SILENCE
        self.__qualname__ = self.__name__ = self.words.name
        names = ["dataset", *(["size"] if self.batches else []), *(["rng"] if self.seeded else [])]
        self.__signature__ = inspect.Signature(
            [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names]
        )
        self._live = _Live()
        weakref.finalize(self, self._live.close)

    @property
    def batches(self) -> bool:
        """Tell whether one request may ask for many outputs."""
        return self.words.worker or self.words.counted

    @property
    def seeded(self) -> bool:
        """Tell whether the program is told a seed."""
        return self.words.worker or self.words.seeded

    def __str__(self) -> str:
        return self.words.name

    def __repr__(self) -> str:
        given = {"outputs": self.outputs} if self.outputs != "json" else {}
        given |= {name: value for name in ("folder", "max_memory") if (value := getattr(self, name)) is not None}
        more = "".join(f", {name}={str(value) if name == 'folder' else value!r}" for name, value in given.items())
        return f"dpverify.command({self.text!r}{more})"

    def __call__(self, dataset: Any, size: int | None = None, rng: np.random.Generator | None = None) -> Any:
        """`size` outputs in a list or an array; one output where `size` is None.

        Raises
        ------
        ProgramError
            When the program fails, or prints something else than so many outputs.
        InputError
            When it cannot be started, or the data set cannot be written for it.
        """
        count = 1 if size is None else size
        coins = np.random.default_rng() if rng is None else rng
        try:
            if not self.batches:
                found = [self._request(dataset, 1, coins)[0] for _ in range(count)]
                return found[0] if size is None else found
            parts = [
                self._request(dataset, min(MOST_AT_ONCE, count - done), coins) for done in range(0, count, MOST_AT_ONCE)
            ]
        except BaseException:  # an interrupt leaves a worker within an answer
            self._live.close(at_once=True)
            raise
        if size is None:
            return parts[0][0]
        return parts[0] if len(parts) == 1 else _joined(parts)

    def close(self) -> None:
        """End the program, and remove what was written for it; a later call starts it again."""
        self._live.close()

    def check(self) -> None:
        """Look for the program; InputError where it is not there."""
        if os.name != "posix":
            raise InputError("a program on this system", allowed="Linux, macOS and other POSIX systems")
        if self.folder is not None and not self.folder.is_dir():
            raise InputError(f"no folder {self.folder}", allowed="the folder in which the program works")
        word = self.words.words[0]
        if (found := self._file(word)) is None or not found.exists():
            raise not_started(word, FileNotFoundError(2, "there is no such program"))
        if not found.is_file() or not os.access(found, os.X_OK):
            raise not_started(word, PermissionError(13, "it is no file that may be executed"))

    def command_line(self) -> list[str]:
        """The options of ``dpverify audit`` that name it; none where they cannot."""
        if self.folder is not None or self.max_memory is not None:
            return []
        return ["--command", self.text, *(["--outputs", self.outputs] if self.outputs != "json" else [])]

    def code_words(self) -> tuple[list[str], str]:
        """Say what its outputs follow from, as far as it can be seen, and what cannot be (`dpverify.programs.code`)."""
        named = [(word, self._file(word)) for word in self.words.words]
        return code_words(named, self.outputs, self.folder or Path.cwd())

    def _file(self, word: str) -> Path | None:
        """The file that a word names: on the search path, or from the folder."""
        if os.sep not in word and word == self.words.words[0]:
            found = shutil.which(word)
            return None if found is None else Path(found)
        return (self.folder or Path()) / word

    def _request(self, dataset: Any, count: int, rng: np.random.Generator) -> Any:
        """The outputs of one request."""
        seed = int(rng.integers(LARGEST_SEED)) if self.seeded else 0
        if self.words.worker:
            return self._by_worker(f'{{"seed":{seed},"count":{count},"data":{json_text(dataset)}}}\n'.encode(), count)
        place, given = self.words.data, b""
        values = {"{seed}": str(seed), "{count}": str(count)}
        if place in ("", "{data:inline}"):
            text = json_text(dataset)
            values["{data:inline}"], given = text, b"" if place else f"{text}\n".encode()
        else:
            name, text = ("data.csv", csv_text(dataset)) if place == "{data:csv}" else ("data.json", json_text(dataset))
            values[place] = str(self._live.written(name, text))
        answer = answer_of(count, self._width)
        program = self._started(self.words.filled(values))
        try:
            program.answer(given, answer, quiet=self.silence, last=True)
        finally:
            program.kill()
        return answer.values()

    def _by_worker(self, request: bytes, count: int) -> Any:
        """Ask the worker; one that has ended with status 0 since its last answer is started again."""
        live = self._live.own()
        for again in (False, True):
            if live.program is not None and live.program.status == 0:
                live.program.kill()
                live.program = None
            fresh = live.program is None
            program = live.program or self._started(list(self.words.words))
            live.program = program
            answer = answer_of(count, self._width)
            if not fresh:
                program.listen(0.0)
            try:
                program.answer(request, answer, quiet=self.silence, last=False)
            except ProgramError:
                if again or fresh or answer.received() or program.status != 0:
                    raise
                continue
            if fresh and not live.heard:
                program.listen(LISTEN)
                live.heard = True
            break
        return answer.values()

    def _started(self, words: list[str]) -> Program:
        return Program(words, self.folder, memory=None if self.max_memory is None else int(self.max_memory * 2**30))


class _Live:
    """The worker of a command, and a folder for data. A forked copy of this process holds nothing."""

    def __init__(self) -> None:
        self.program: Program | None = None
        self.heard = False
        self._folder: Path | None = None
        self._stack = ExitStack()
        self._owner = os.getpid()

    def own(self) -> _Live:
        """Forget what another process has started."""
        if self._owner != os.getpid():
            self.program, self._folder, self._stack, self._owner = None, None, ExitStack(), os.getpid()
        return self

    def written(self, name: str, text: str) -> Path:
        """A new file with this text; an earlier one of the name is gone."""
        self.own()
        if self._folder is None:
            self._folder = self._stack.enter_context(temporary_folder())
        path = self._folder / name
        if path.is_dir() and not path.is_symlink():  # the program made it
            shutil.rmtree(path, ignore_errors=True)
        path.unlink(missing_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def close(self, *, at_once: bool = False) -> None:
        """End the worker and remove the folder, in the process that has made them."""
        if self._owner != os.getpid():
            return
        program, self.program, self._folder = self.program, None, None
        try:
            if program is not None and at_once:
                program.kill()
            elif program is not None:
                program.close()
        finally:
            self._stack.close()


def command(
    command: str | Sequence[str],
    *,
    outputs: str = "json",
    folder: Path | str | None = None,
    max_memory: float | None = None,
) -> Command:
    """A program in any language, to be audited as a callable is: ``dpverify.audit(dpverify.command("./noisy"), ...)``.

    Without places the program is a worker: for each line ``{"seed":1,"count":3,"data":[0.2,0.9]}`` on standard input it
    prints `count` outputs, one JSON value a line, and flushes. With places (``"./noisy {data} {seed} {count}"``) it is
    started for each request: ``{data}`` is the name of a JSON file, ``{data:csv}`` of a CSV file, ``{data:inline}`` the
    JSON text; without any of them the data set comes on standard input. No shell reads the command.

    Parameters
    ----------
    command : str or sequence of str
        The program and its arguments; a text is split as a shell splits it.
    outputs : str
        ``json``: one JSON value a line. ``doubles``, ``doubles:K``: raw little-endian doubles, K an output.
    folder : path or None
        Where the program works.
    max_memory : float or None
        GB that each of its processes may allocate (Linux). The audit's own limit of memory counts it, too.

    Returns
    -------
    Command

    Raises
    ------
    InputError
        For a command that cannot be read, and for other settings that are not allowed.
    """
    return Command(command, outputs=outputs, folder=folder, max_memory=max_memory)


def _joined(parts: Sequence[Any]) -> Any:
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(list(parts))
    return [each for part in parts for each in part]
