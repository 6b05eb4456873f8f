"""Property tests: no deadline (a first call compiles, a busy machine is slow), and the same examples every time.

`make nightly` looks for others, a thousand of each.
"""

from __future__ import annotations

import gc
import json
import signal
from pathlib import Path

import pytest
from hypothesis import settings

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell's background job: tests that press Ctrl-C would hang
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("house", deadline=None, derandomize=True, max_examples=60)
settings.register_profile("nightly", deadline=None, max_examples=1000)
settings.load_profile("house")


@pytest.hookimpl(tryfirst=True)  # before those without a marker are chosen
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests run in `make test-ci` (`tests/long_tests.py`)."""
    listed = json.loads(Path(__file__).with_name("long_tests.json").read_text(encoding="utf-8"))
    for item in items:
        if item.nodeid in listed:
            item.add_marker("ci")


def pytest_collection_finish() -> None:
    """Modules and items stay to the end: looking at them at each collection was a twentieth of the suite's time."""
    gc.collect()
    gc.freeze()
