"""One message through a pipe, whatever the work has done to `os`."""

from __future__ import annotations

import os

import pytest

from dpverify.runner import watchdog
from dpverify.runner.watchdog import Incoming, send


def test_a_message_comes_whole_though_os_write_was_replaced(monkeypatch):
    reader, writer = os.pipe()
    monkeypatch.setattr(os, "write", lambda *_: 0)
    send(writer, b"x" * 1_000)
    os.close(writer)
    incoming = Incoming(reader)
    while not incoming.poll():
        pass
    assert incoming.whole == b"x" * 1_000
    incoming.close()


def test_a_write_of_nothing_is_an_error_and_no_endless_loop(monkeypatch):
    monkeypatch.setattr(watchdog, "_write", lambda *_: 0)
    with pytest.raises(OSError, match="nothing was written"):
        send(1, b"x")
