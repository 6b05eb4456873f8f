"""Checks that a Dask scheduler answers at an address, before Dask's own client connects.

Dask's client waits for minutes when a listener accepts the connection and sends nothing, whatever its time limit. It
also reads the first bytes of an HTTP server's answer as the length of a message of exabytes. A Dask scheduler sends
first: the length of its greeting, eight bytes. Only these are read here.
"""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Callable
from queue import Empty, Queue
from threading import Thread
from typing import Any

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
