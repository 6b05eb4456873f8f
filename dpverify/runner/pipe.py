"""One message through a pipe, after its length, so that the reader knows when it is complete."""

from __future__ import annotations

import os
import select
import struct
from contextlib import suppress

MOST = 2**28
"""Largest message in bytes; a longer one is an error."""

_READ = 2**16
_write = os.write
"""Bound now: the work may put something else in its place."""
_LENGTH = struct.Struct("!Q")


class Incoming:
    """The reader's side.

    Attributes
    ----------
    descriptor : int
        Where it is read.
    whole : bytes or None
        The message, once complete; None before.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor, self._got, self._most = descriptor, bytearray(), -1
        self.whole: bytes | None = None

    def poll(self, seconds: float | None = None) -> bool:
        """Read for at most `seconds` (None: no limit); True when the message is complete or the pipe has ended."""
        ready, _, _ = select.select([self.descriptor], [], [], seconds)
        if not ready:
            return False
        part = os.read(self.descriptor, _READ)
        self._got += part
        if self._most < 0 and len(self._got) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._got)
            if length > MOST:
                return True
            self._most = _LENGTH.size + length
        if 0 <= self._most <= len(self._got):
            self.whole = bytes(self._got[_LENGTH.size : self._most])
        return self.whole is not None or not part

    def close(self) -> None:
        """Close the pipe; nothing more is read."""
        with suppress(OSError):
            os.close(self.descriptor)


def send(descriptor: int, message: bytes) -> None:
    """Write the whole message; OSError when that fails."""
    left = memoryview(_LENGTH.pack(len(message)) + message)
    while left:
        written = _write(descriptor, left)
        if written < 1:
            raise OSError("nothing was written")
        left = left[written:]
