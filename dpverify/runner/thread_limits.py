"""Limits BLAS and OpenMP to one thread while numbers are computed.

A BLAS adds in another order on another number of threads, so its sums differ in the last bits from machine to machine
and from back end to back end (workers of a pool often have one thread already); and audits are spread over the cores
themselves. Three things are limited, because no one of them is enough: loaded BLAS libraries, whose number of threads
is the process's, so that the last holder may give it back and not the first; loaded OpenMP libraries, where it is each
thread's own; and libraries that an audit loads later, which read the environment when they are loaded.

Limits: a library that is loaded here keeps its one thread afterwards; so may BLAS, when holders overlap and another
thread than the first ends last (threadpoolctl lets only the first set it). Not to be confused with the number of audits
at a time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Lock

from threadpoolctl import ThreadpoolController

VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")

_LOCK = Lock()
_shared = ExitStack()  # what the last holder undoes
_holders = 0
_libraries: ThreadpoolController  # as the first holder found them: looking takes milliseconds


@contextmanager
def one_thread() -> Iterator[None]:
    """Hold BLAS and OpenMP at one thread; holders may nest, and overlap in other threads. Also a decorator."""
    global _holders, _libraries
    with _LOCK:
        if _holders == 0:
            _libraries = ThreadpoolController()
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
