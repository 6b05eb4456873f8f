"""Ctrl-C is told from a KeyboardInterrupt that was merely raised."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from dpverify.core.errors import AuditError, InputError
from dpverify.core.interrupt import asked_to_stop, handle_ctrl_c_here, listening


@pytest.fixture(autouse=True)
def _hears():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def press():
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(10)


def test_who_listens_tells_the_two_apart():
    with listening():
        assert not asked_to_stop(KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt) as caught:
            press()
        assert asked_to_stop(caught.value)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_where_nobody_listens_it_counts_as_a_persons():
    assert asked_to_stop(KeyboardInterrupt())
    assert not asked_to_stop(SystemExit())


def test_where_it_is_ignored_it_is_nobodys():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    assert not asked_to_stop(KeyboardInterrupt())


def test_in_another_thread_it_is_nobodys():
    found = []
    thread = threading.Thread(target=lambda: found.append(asked_to_stop(KeyboardInterrupt())))
    thread.start()
    thread.join()
    assert found == [False]


def test_another_handler_stays_where_it_is():
    def own(_number, _frame):
        pass

    signal.signal(signal.SIGINT, own)
    with listening():
        assert signal.getsignal(signal.SIGINT) is own


def test_what_is_contained_is_one_line_and_the_rest_goes_on():
    with listening():
        for raised in (KeyboardInterrupt(), SystemExit(0), GeneratorExit()):
            with pytest.raises(AuditError, match=f"^it raised {type(raised).__name__}"), handle_ctrl_c_here("it"):
                raise raised
        with pytest.raises(InputError), handle_ctrl_c_here("it"):
            raise InputError("bad", allowed="good")
        with pytest.raises(SystemExit), handle_ctrl_c_here("it", SystemExit):
            raise SystemExit
        with pytest.raises(KeyboardInterrupt), handle_ctrl_c_here("it"):
            press()
