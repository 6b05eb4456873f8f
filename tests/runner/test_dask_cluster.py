"""Whoever takes the connection and is no Dask scheduler is told within the limit, and costs no memory."""

from __future__ import annotations

import http.server
import logging
import socket
import threading
import time
from contextlib import contextmanager

import pytest

from dpverify.core.errors import InputError
from dpverify.runner import dask_cluster
from dpverify.runner.dask_cluster import check_greeting, connected, in_time

distributed = pytest.importorskip("distributed")


@contextmanager
def server(greeting=b"", *, hangs_up=False):
    """Takes every connection, says `greeting`, and then nothing."""
    kept = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def take():
            while True:
                try:
                    one, _ = listening.accept()
                except OSError:
                    return
                one.sendall(greeting)
                one.close() if hangs_up else kept.append(one)

        taking = threading.Thread(target=take, daemon=True)
        taking.start()
        yield f"tcp://127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)
        taking.join()
    for one in kept:
        one.close()


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({}, r"sends nothing for 0\.5 s"),
        ({"hangs_up": True}, "closes the connection without sending"),
        ({"greeting": b"\x10\x00", "hangs_up": True}, "closes the connection without sending"),
        ({"greeting": b"\x10\x00"}, "sends nothing"),
        ({"greeting": b"SSH-2.0-x\r\n"}, r"another protocol \(it begins with b'SSH-2\.0-'\)"),
        ({"greeting": b"HTTP/1.1 400 Bad Request\r\n"}, r"another protocol \(it begins with b'HTTP/1\.1'\)"),
    ],
)
def test_who_is_no_scheduler_is_one_line_in_time(how, said, monkeypatch):
    monkeypatch.setattr(dask_cluster, "ANSWERS", 0.5)
    begun = time.monotonic()
    with server(**how) as address, pytest.raises(InputError, match=said) as caught, connected(address):
        pass
    assert time.monotonic() - begun < 5.0
    assert "\n" not in str(caught.value)


def test_one_who_greets_and_falls_silent_is_one_line_in_time(monkeypatch):
    monkeypatch.setattr(dask_cluster, "ANSWERS", 0.5)
    begun = time.monotonic()
    greeting = b":\0\0\0\0\0\0\0\1"
    with server(greeting) as address, pytest.raises(InputError, match="no Dask scheduler answers"), connected(address):
        pass
    assert time.monotonic() - begun < 10.0


def test_an_http_server_is_one_line(monkeypatch):
    monkeypatch.setattr(dask_cluster, "ANSWERS", 0.5)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        with pytest.raises(InputError, match="sends nothing"), connected(f"127.0.0.1:{serving.server_port}"):
            pass
        serving.shutdown()


def test_a_scheduler_greets():
    with distributed.LocalCluster(
        n_workers=0, dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL + 1
    ) as cluster:
        check_greeting(cluster.scheduler_address, seconds=10.0)


def test_nobody_is_an_os_error_and_other_addresses_are_not_tried():
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(OSError, match="refused"):
        check_greeting(f"tcp://127.0.0.1:{port}", seconds=1.0)
    check_greeting("inproc://1.2.3.4/5/6", seconds=1.0)
    with pytest.raises(ValueError, match=r"port|address"):
        check_greeting("tcp://no-port", seconds=1.0)


def test_work_in_time():
    assert in_time(lambda: 3, seconds=5.0) == 3
    with pytest.raises(ZeroDivisionError):
        in_time(lambda: 1 // 0, seconds=5.0)
    with pytest.raises(TimeoutError, match=r"within 0\.1 s"):
        in_time(lambda: time.sleep(1.0), seconds=0.1)
