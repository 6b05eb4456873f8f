"""The command line in this process, without a watchdog, for tests that look inside."""

from __future__ import annotations

import sys
from typing import NoReturn

from dpverify.cli.command_line import command_line
from dpverify.core.errors import DpverifyError, one_line
from dpverify.runner.watched_process import unforeseen


def unwatched() -> NoReturn:
    """Run the command, and exit with its status."""
    try:
        status = command_line()
    except DpverifyError as problem:
        line, status = str(problem), problem.exit_status
    except BaseException as problem:  # noqa: BLE001 - no traceback reaches a user
        line, status = unforeseen(problem)
    else:
        sys.exit(status)
    sys.stderr.write(f"dpverify: {one_line(line)}\n")
    sys.exit(status)
