"""The command line. Exit status: 0 as expected, 1 a surprise, 2 bad input (one line), 3 an audit not completed.

141 where whoever reads standard output is gone, as the shell says of it; 130 after Ctrl-C.
"""

from __future__ import annotations

import sys
from contextlib import suppress


def main() -> None:
    """Entry point: whatever goes wrong, in the imports too, is one line on standard error and an exit status."""
    status = 3
    try:
        from dpverify.cli.parent_process import outermost

        status = outermost()
    except KeyboardInterrupt:
        status = 130
    except BaseException as problem:  # noqa: BLE001 - Python's own status for it is 1, which means refuted
        with suppress(Exception):  # nobody hears it
            sys.stderr.write(f"dpverify: cannot start: {type(problem).__name__}: {' '.join(str(problem).split())}\n")
    sys.exit(status)
