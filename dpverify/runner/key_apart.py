"""The key of a user's code, made in a process of its own, where it has been called a few times and nothing else has."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from typing import Any

from dpverify.adapters.time_limit import OutOfTimeError, TimeLimit
from dpverify.code_key.key import CodeKey, code_key
from dpverify.code_key.modules import code_digest
from dpverify.code_key.reads import begin_calls
from dpverify.core.errors import DpverifyError, one_line
from dpverify.runner.memory import limit_files, limit_memory_with_children, share_of_machine
from dpverify.runner.watched_process import WatchedProcess

SECONDS = 60.0
"""So long the calls may take; a mechanism that takes longer has no key."""


def key_apart(subject: Any, *things: Any, calls: Callable[[], object], seconds: float | None = SECONDS) -> CodeKey:
    """The key of `subject` and of other things after `calls`; what is printed there is nobody's."""
    code_digest()  # kept for the next one

    def work() -> list[str]:
        gc.freeze()
        if hasattr(os, "fork"):  # else this is no process of its own
            limit_memory_with_children(share_of_machine())
            limit_files()
            sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - to this process's end
            for stream in (1, 2):
                os.dup2(sys.stdout.fileno(), stream)
        begin_calls()
        try:
            with TimeLimit(seconds=seconds):
                calls()
        except OutOfTimeError:
            return ["", f"two calls take longer than {seconds:g} s"]
        except DpverifyError:
            pass  # the audit says what is wrong
        found = code_key(subject, *things)
        return [found.text, found.unknown]

    try:
        return CodeKey(*WatchedProcess(work).result())
    except DpverifyError as problem:
        return CodeKey("", one_line(str(problem)))
