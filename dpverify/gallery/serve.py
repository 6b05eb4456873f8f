"""Runs one bug's code in another Python: calls come as JSON lines, numbers go back as raw doubles once they are wanted.

This file is run by the interpreter of an old release, which may be older than dpverify's and has dpverify not
installed: it imports the standard library only. What the library prints goes to the error stream, never between the
answers. An answer is one line of JSON; the numbers that it announces follow once another line has come.
"""

from __future__ import annotations

import array
import importlib.util
import json
import os
import random
import sys
from typing import Any, BinaryIO, TextIO


def main(path: str) -> None:
    """Answer calls until the other side closes its end."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    calls = os.fdopen(os.dup(0), "r")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    try:
        spec: Any = importlib.util.spec_from_file_location("bug", path)
        code = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(code)
    except BaseException as problem:  # noqa: BLE001 - a library may raise anything while it is imported
        _answer(answers, {"problem": _words(problem)})
        return
    _answer(answers, {"ready": True})
    for line in calls:
        call = json.loads(line)
        try:
            _seed(call["seed"])
            if call["call"] == "draw":
                rows = [_row(one) for one in code.draw(call["data"], call["size"], call["seed"])]
                _send(calls, answers, rows)
            else:
                _answer(answers, {"value": getattr(code, call["call"])()})
        except BaseException as problem:  # noqa: BLE001 - told to the other side, which decides
            _answer(answers, {"problem": _words(problem)})


def _send(calls: TextIO, answers: BinaryIO, rows: list[list[float]]) -> None:
    width = len(rows[0]) if rows else 0
    if any(len(row) != width for row in rows):
        raise ValueError("outputs of one call differ in length")
    numbers = array.array("d", [number for row in rows for number in row])
    if sys.byteorder == "big":
        numbers.byteswap()
    _answer(answers, {"rows": len(rows), "width": width})
    next(calls)
    answers.write(numbers.tobytes())
    answers.flush()


def _answer(answers: BinaryIO, line: dict[str, Any]) -> None:
    answers.write(json.dumps(line).encode() + b"\n")
    answers.flush()


def _row(one: Any) -> list[float]:
    """One output as a list of numbers."""
    found = one.tolist() if hasattr(one, "tolist") else one
    return [float(number) for number in found] if isinstance(found, (list, tuple)) else [float(found)]


def _seed(seed: int) -> None:
    """Seed the generators that libraries share; a library with a generator of its own is seeded by the bug's code."""
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(seed)


def _words(problem: BaseException) -> str:
    return " ".join(f"{type(problem).__name__}: {problem}".split())[:400]


if __name__ == "__main__":
    main(sys.argv[1])
