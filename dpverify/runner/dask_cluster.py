"""Connects to a Dask cluster by its scheduler's address, or starts one on this machine for a single run.

Security: client, scheduler and workers of distributed exchange pickles, so whoever can connect to the scheduler can run
code on every machine of the cluster and on this one. Use a trusted network, or TLS (in distributed's configuration,
which is read here as usual). No pickle is written to or read from a file.

Log messages of the client (reconnecting, lost workers) are silenced; what matters is reported in one line.

Before Dask's own client connects, it is checked that a scheduler answers. The client waits for minutes when a listener
accepts the connection and sends nothing, whatever its time limit, and reads the first bytes of an HTTP server's answer
as the length of a message of exabytes. A Dask scheduler sends first: the length of its greeting, eight bytes. Only
these are read here.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import struct
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any

from dpverify.core.errors import AuditError, InputError, one_line
from dpverify.runner.temporary_folders import temporary_folder

ANSWERS = 5.0
"""Seconds within which a scheduler must answer."""

CLOSES = 3.0
"""Seconds for closing the connection."""

ENDS = 30.0
"""Seconds for closing a cluster whose workers are killed already: a machine may stand still."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A connected cluster."""

    client: Any
    """An open ``distributed.Client``."""
    address: str
    """Of the scheduler."""
    end: Callable[[Collection[str]], None]
    """``end(addresses)``: ends the work of those workers; workers that a nanny restarts come back."""
    renew: Callable[[], None] | None = None
    """Puts new workers in the place of all; None for an existing cluster, whose owner does."""
    folder: Path | None = None
    """Where workers on this machine write their process ids and printed text. None for an existing cluster, whose
    workers keep logs themselves."""


@contextmanager
def connected(address: str) -> Iterator[Cluster]:
    """Connect to an existing cluster. Afterwards its workers end this run's work and stay.

    InputError when distributed is not installed, or no scheduler answers.
    """
    distributed = require_distributed()
    with ExitStack() as stack:
        stack.enter_context(_quiet())
        try:
            with suppress(OSError):  # no listener yet: the client waits a while
                check_greeting(address, seconds=ANSWERS)
            client = in_time(
                lambda: distributed.Client(address, timeout=ANSWERS, set_as_default=False), seconds=3 * ANSWERS
            )
        except (OSError, ValueError, TypeError, ImportError) as problem:
            raise InputError(
                f"no Dask scheduler answers at {address!r}: {one_line(str(problem)) or type(problem).__name__}",
                allowed="the address that `dask scheduler` prints, such as tcp://host:8786",
                remedy="start it, or leave --scheduler out for workers on this machine",
            ) from problem
        stack.callback(_closed, client)

        def end(addresses: Collection[str]) -> None:
            with suppress(Exception):  # no nanny, or already gone: such a worker ends by itself
                restart = partial(client.restart_workers, list(addresses), timeout=2 * CLOSES, raise_for_error=False)
                in_time(restart, seconds=4 * CLOSES)

        yield Cluster(client=client, address=address, end=end)


@contextmanager
def local_cluster(workers: int, *, threads: int) -> Iterator[Cluster]:
    """Start a cluster of `workers` processes on this machine, each with `threads` threads, and close it afterwards.

    Raises
    ------
    InputError
        When distributed is not installed.
    AuditError
        When the processes cannot be started.
    """
    distributed = require_distributed()
    with ExitStack() as stack:
        stack.enter_context(_quiet())
        folder = stack.enter_context(temporary_folder())
        try:
            cluster = distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=threads,
                dashboard_address="127.0.0.1:0",  # no dashboard; without this its port would still be reserved
                scheduler_kwargs={"dashboard": False},
                memory_limit=0,  # the run's memory limit applies instead
                silence_logs=logging.CRITICAL,
                local_directory=str(folder / "scratch"),
                preload=[__name__],  # for `dask_setup`
            )
        except Exception as problem:
            said = one_line(str(problem)) or type(problem).__name__
            raise AuditError(f"cannot start Dask workers here: {said}") from problem
        stack.callback(_ended, cluster)
        stack.callback(_kill_all, cluster)
        client = distributed.Client(cluster, timeout=ANSWERS, set_as_default=False)
        stack.callback(_closed, client)

        def end(addresses: Collection[str]) -> None:
            for nanny in list(cluster.workers.values()):
                if nanny.worker_address in addresses:
                    _kill(nanny)

        def renew() -> None:
            _kill_all(cluster)
            for name in set(cluster.worker_spec) - set(cluster.workers):
                del cluster.worker_spec[name]  # or it would be started, too
            cluster.scale(len(cluster.worker_spec) + workers)  # the dead count: to close them first may take for ever

        yield Cluster(client=client, address=cluster.scheduler_address, end=end, renew=renew, folder=folder)


def dask_setup(_worker: Any) -> None:
    """Called by distributed in each process of a local cluster: Ctrl-C is handled by the client alone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def require_distributed() -> Any:
    """Dask's package; InputError where it cannot be imported."""
    try:
        import distributed
    except ImportError as problem:
        raise InputError(
            f"--backend dask needs Dask, which cannot be imported ({one_line(str(problem))})",
            allowed="processes or threads without it",
            remedy="pip install 'dpverify[dask]'",
        ) from problem
    return distributed


def _kill(nanny: Any) -> None:
    if nanny.pid is not None:
        with suppress(ProcessLookupError):
            os.kill(nanny.pid, signal.SIGKILL)


def _kill_all(cluster: Any) -> None:
    """Kill workers without waiting: they hold nothing unsaved, and one may be in an endless loop."""
    for nanny in list(cluster.workers.values()):
        nanny.status = type(nanny.status).closing_gracefully  # or the nanny would start another worker
        _kill(nanny)


def _ended(cluster: Any) -> None:
    """Close a cluster whose workers are killed; all results are here, so a close that times out is no error."""
    with suppress(TimeoutError):
        cluster.close(timeout=ENDS)


def _closed(client: Any) -> None:
    with suppress(Exception):  # the scheduler is gone
        in_time(partial(client.close, timeout=CLOSES), seconds=2 * CLOSES)


@contextmanager
def _quiet() -> Iterator[None]:
    logger = logging.getLogger("distributed")
    level, handlers = logger.level, [(handler, handler.level) for handler in logger.handlers]
    logger.setLevel(logging.CRITICAL + 1)
    for handler, _ in handlers:
        handler.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(level)
        for handler, before in handlers:
            handler.setLevel(before)


LONGEST = 2**20
"""Bytes of a greeting; a scheduler's has some sixty."""

_LENGTH = struct.Struct("<Q")


def check_greeting(address: str, *, seconds: float) -> None:
    """Return when a Dask scheduler answers at a ``tcp://`` or ``tls://`` address; other addresses are not checked.

    Raises
    ------
    ValueError
        When the address is malformed, or the listener sends nothing within `seconds`, or no Dask greeting.
    OSError
        When nothing listens there. A scheduler may be starting; the client waits for it.
    """
    from distributed.comm.addressing import parse_address, parse_host_port

    scheme, place = parse_address(address)
    if scheme not in ("tcp", "tls"):
        return
    host, port = parse_host_port(place)
    deadline = time.monotonic() + seconds
    try:
        with socket.create_connection((host, port), timeout=seconds) as plain, _wrapped(plain, scheme) as line:
            first = b""
            while len(first) < _LENGTH.size:
                line.settimeout(max(0.001, deadline - time.monotonic()))
                more = line.recv(_LENGTH.size - len(first))
                if not more:
                    raise ValueError("the listener closes the connection without sending anything")
                first += more
    except TimeoutError:
        raise ValueError(f"the listener sends nothing for {seconds:g} s") from None
    if _LENGTH.unpack(first)[0] > LONGEST:
        raise ValueError(f"the listener speaks another protocol (it begins with {first!r})")


def in_time(work: Callable[[], Any], *, seconds: float) -> Any:
    """The value of `work`, or TimeoutError (an OSError) when it takes longer; it then runs on unattended."""
    done: Queue[tuple[Any, BaseException | None]] = Queue()

    def there() -> None:
        try:
            done.put((work(), None))
        except BaseException as problem:  # noqa: BLE001 - raised where it was asked for
            done.put((None, problem))

    Thread(target=there, daemon=True, name="dpverify-in-time").start()
    try:
        result, problem = done.get(timeout=seconds)
    except Empty:
        raise TimeoutError(f"no answer within {seconds:g} s") from None
    if problem is not None:
        raise problem
    return result


def _wrapped(plain: socket.socket, scheme: str) -> Any:
    """The connection itself, or with TLS as distributed's configuration has it."""
    if scheme == "tcp":
        return plain
    from distributed import security

    made: Any = security.Security  # untyped
    context = made().get_connection_args("client").get("ssl_context")
    if context is None:
        raise ValueError("its address says TLS, and distributed's configuration has no certificates")
    return context.wrap_socket(plain)
