"""A call of somebody's code: limited in time, one line where it raises, and no second copy of this process after it.

A copy that the code makes of this process (``os.fork``) and lets come back ends here: all that follows would be done
twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dpverify.adapters.time_limit import TimeLimit
from dpverify.core.errors import InputError, one_line


@contextmanager
def foreign_call(
    name: str, limit: TimeLimit | None = None, *, allowed: str, where: Callable[[], str] = str
) -> Iterator[None]:
    """Context of a call of `name`.

    Parameters
    ----------
    name : str
        For messages.
    limit : TimeLimit or None
        Of this call; entered by the caller.
    allowed : str
        What is called instead, for the message where it raises.
    where : callable
        On what it raised: asked then, and put behind the exception's name.

    Raises
    ------
    InputError
        When it raises, or runs longer than its limit; its own InputError goes on.
    """
    with (limit or TimeLimit()).call(name):
        try:
            yield
        except InputError:
            raise
        except (Exception, SystemExit) as problem:
            said = one_line(str(problem)) or "(no message)"
            raise InputError(f"{name} raised {type(problem).__name__}{where()}: {said}", allowed=allowed) from problem
