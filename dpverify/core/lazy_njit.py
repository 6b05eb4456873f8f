"""``njit`` for modules that every audit imports: numba, which costs half a second to load, waits until it pays.

`njit` compiles a function at its first call. `exact_njit` first runs it as plain Python, as long as there is little to
do, and compiles it after that. It is for functions whose result is the same to the bit either way: whole numbers,
comparisons, sums and products in a fixed order. A function that rounds otherwise when compiled (`exp`) takes `njit`.
Where plain Python would be too slow, a module ``NAME_in_numpy`` beside ``NAME`` offers the same function in numpy; a
test compares both to the bit.

Digests of code take both for numba's (`dpverify.runner.row_sources`).
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from functools import cache, cached_property, update_wrapper
from importlib import import_module
from importlib.util import find_spec
from typing import Any

MOST_NUMBERS = 2**13
"""Plain Python gets only calls with so many numbers."""

MOST_IN_SUM = 2**19
"""So many numbers go to plain Python, over all calls of a process: about 0.4 s, a part of what numba takes to load.

Seconds by a clock would make a busy machine load numba where an idle one does not.
"""

MOST_IN_NUMPY = 2**23
"""So many numbers, over all calls of a process, go to functions in numpy: about 0.3 s, which is less, too."""

Function = Callable[..., Any]

_running = threading.local()


class Kernel:
    """A function that numba compiles when it is called. Other kernels call it by its name, as they would numba's.

    Attributes
    ----------
    py_func : function
        The function as it was written.
    """

    plain_numbers = 0
    """Numbers that plain Python has got so far, over all kernels of this process."""

    numpy_numbers = 0
    """The same of functions in numpy."""

    def __init__(self, function: Function, options: dict[str, Any], *, exact: bool) -> None:
        update_wrapper(self, function)
        self.py_func, self._options, self._exact = function, options, exact
        self._compiled: Function | None = None

    def __call__(self, *args: Any) -> Any:
        """The function's result; by plain Python or compiled."""
        if self._compiled is not None:
            return self._compiled(*args)
        if self._exact and getattr(_running, "plain", False):  # another kernel in plain Python calls this one
            return self.py_func(*args)
        if self._exact and not _numba_is_loaded() and (self._little(args) or not _numba_is_installed()):
            return self._in_python(args)
        return self.compiled()(*args)

    def compiled(self) -> Function:
        """Return numba's dispatcher of the function; the names of other kernels in it are bound to theirs."""
        if self._compiled is None:
            from numba import njit as compiler

            self._compiled = compiler(**self._options)(self.py_func)
            known = self.py_func.__globals__
            for name in self.py_func.__code__.co_names:
                if isinstance(other := known.get(name), Kernel):
                    known[name] = other.compiled()
        return self._compiled

    def __reduce__(self) -> str:
        """Pickled by name, like a function."""
        return self.py_func.__qualname__

    @cached_property
    def plain(self) -> Function:
        """The function that stands in for the compiled one."""
        beside = f"{self.py_func.__module__}_in_numpy"
        if find_spec(beside) is None:
            return self.py_func
        found: Function = getattr(import_module(beside), self.py_func.__name__, self.py_func)
        return found

    def _little(self, args: tuple[Any, ...]) -> bool:
        """Tell whether Python or numpy may still take so many numbers; they count from now on."""
        numbers: int = sum(each.size for each in args if getattr(each, "ndim", 0))
        if numbers <= MOST_NUMBERS and Kernel.plain_numbers + numbers <= MOST_IN_SUM:
            Kernel.plain_numbers += numbers
            return True
        if Kernel.numpy_numbers + numbers > MOST_IN_NUMPY or self.plain is self.py_func:
            return False
        Kernel.numpy_numbers += numbers
        return True

    def _in_python(self, args: tuple[Any, ...]) -> Any:
        import numpy as np

        _running.plain = True
        try:
            with np.errstate(all="ignore"):  # compiled code wraps around and overflows without a warning
                return self.plain(*args)
        finally:
            _running.plain = False


def _numba_is_loaded() -> bool:
    return "numba" in sys.modules


@cache
def _numba_is_installed() -> bool:
    """Tell whether it can be loaded; without it, exact kernels stay in Python or numpy, which takes longer."""
    return find_spec("numba") is not None


def njit(**options: Any) -> Callable[[Function], Kernel]:
    """numba's ``njit(**options)``, loaded at the first call of the function."""
    return lambda function: Kernel(function, options, exact=False)


def exact_njit(**options: Any) -> Callable[[Function], Kernel]:
    """`njit` for a function whose result is the same to the bit in plain Python: small inputs need no numba."""
    return lambda function: Kernel(function, options, exact=True)
