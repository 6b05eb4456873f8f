"""Limits BLAS and OpenMP to one thread while numbers are computed.

The order of a BLAS sum depends on the number of threads, so the last bits would differ between machines and between
back ends. Audits are spread over the cores anyway. Three things are limited, because none is enough alone: loaded BLAS
libraries, which have one number of threads for the process, so the last holder restores it; loaded OpenMP libraries,
which have one for each thread; and the environment, which libraries read when an audit loads them later.

Limits: a library that is loaded meanwhile keeps one thread afterwards. So may BLAS, when holders overlap and the first
thread does not end last (threadpoolctl lets only the first one restore it). One that is loaded without an import of a
module keeps its threads until the next import. The number of audits at a time is a different setting (``--jobs``).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Lock

from threadpoolctl import ThreadpoolController

VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")

_LOCK = Lock()
_shared = ExitStack()  # undone by the last holder
_holders = 0
_libraries: ThreadpoolController  # libraries found by the first holder after an import; the search takes milliseconds
_modules = 0  # as many were imported when they were searched


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit BLAS and OpenMP to one thread; calls may nest and overlap in several threads. Also a decorator."""
    global _holders, _libraries, _modules
    with _LOCK:
        if _holders == 0:
            if _modules != len(sys.modules):
                _libraries, _modules = ThreadpoolController(), len(sys.modules)
            _shared.enter_context(_libraries.select(user_api="blas").limit(limits=1))
            _shared.enter_context(_environment())
        _holders += 1
    try:
        with _libraries.select(user_api="openmp").limit(limits=1):
            yield
    finally:
        with _LOCK:
            _holders -= 1
            if _holders == 0:
                _shared.close()


@contextmanager
def _environment() -> Iterator[None]:
    before = {name: os.environ.get(name) for name in VARIABLES}
    os.environ.update(dict.fromkeys(VARIABLES, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
