"""The bridge to another interpreter: right numbers come back, and whatever the other side does is one line."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from dpverify.gallery import measure as module
from dpverify.gallery.measure import Bridge, BridgeError

FAULTS = {
    "raises when it is imported": ("raise RuntimeError('no such library')", "RuntimeError: no such library"),
    "raises when it draws": ("def draw(data, size, seed):\n    return 1 / 0", "ZeroDivisionError"),
    "exits when it is imported": ("import os\nos._exit(7)", "exit status 7"),
    "exits when it draws": ("def draw(data, size, seed):\n    raise SystemExit(3)", "SystemExit: 3"),
    "is killed": (
        "import os\ndef draw(data, size, seed):\n    print('about to fall')\n    os.kill(os.getpid(), 9)",
        "signal 9",
    ),
    "has no draw": ("x = 1", "has no attribute 'draw'"),
    "gives too few": ("def draw(data, size, seed):\n    return [1.0]", "answered 1 outputs of 1 numbers, not 5"),
    "gives words": ("def draw(data, size, seed):\n    return ['a'] * size", "could not convert string"),
    "gives outputs of no length": ("def draw(data, size, seed):\n    return [[]] * size", "5 outputs of 0 numbers"),
    "gives different lengths": ("def draw(data, size, seed):\n    return [[1.0], [1.0, 2.0]]", "differ in length"),
    "closes its answers": (
        "import os\ndef draw(data, size, seed):\n    os.closerange(3, 100)\n    return [0.0] * size",
        "process ended",
    ),
    "answers past the protocol": (
        "import os\nfor number in range(3, 20):\n    try:\n        os.write(number, b'x' * 10 + b'\\n')\n"
        "    except OSError:\n        pass",
        "the library's process printed ",  # a line that is no JSON, or more than one
    ),
    "floods the answers": (
        "import os\ndef draw(data, size, seed):\n    while True:\n        for number in range(3, 20):\n"
        "            try:\n                os.write(number, b'x' * 4096)\n"
        "            except OSError:\n                pass",
        "printed a line of more than",
    ),
}


def code(folder: Path, text: str) -> Path:
    path = folder / "bug.py"
    path.write_text(text)
    return path


def test_numbers_come_back_as_they_were_drawn(tmp_path: Path) -> None:
    text = "def claimed():\n    return 0.1 + 0.2\n\ndef draw(data, size, seed):\n    print('chatter')\n"
    text += "    return [[data['x'], 1e-300, float(seed)] for _ in range(size)]\n"
    with Bridge(sys.executable, code(tmp_path, text)) as bridge:
        assert bridge.value("claimed") == 0.1 + 0.2
        found = bridge({"x": 0.1}, 4, np.random.default_rng(0))
        again = bridge({"x": 0.1}, 4, np.random.default_rng(0))
    assert found.shape == (4, 3)
    assert (found == again).all() and (found[:, 0] == 0.1).all() and (found[:, 1] == 1e-300).all()


def test_the_other_side_sees_little_of_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_SECRET", "1")
    text = "import os, sys\ndef claimed():\n    return [os.environ.get('SOME_SECRET'), os.getcwd(), sys.flags.isolated]"
    with Bridge(sys.executable, code(tmp_path, text)) as bridge:
        secret, folder, isolated = bridge.value("claimed")
        assert secret is None and isolated == 1 and Path(folder) != Path.cwd()
    assert not Path(folder).exists()


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_one_line(tmp_path: Path, fault: str) -> None:
    text, said = FAULTS[fault]
    with (
        pytest.raises(BridgeError) as problem,
        Bridge(sys.executable, code(tmp_path, text), seconds=20.0) as bridge,
    ):
        bridge(None, 5, np.random.default_rng(0))
    assert said in str(problem.value) and "\n" not in str(problem.value)
    assert str(tmp_path) not in str(problem.value)


def test_one_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    text = "import subprocess, sys, time\ndef claimed():\n    global child\n"
    text += (
        "    child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n    return child.pid\n"
    )
    text += "def draw(data, size, seed):\n    time.sleep(60)"
    began = time.monotonic()
    with Bridge(sys.executable, code(tmp_path, text), seconds=20.0) as bridge:
        child = bridge.value("claimed")
        bridge._seconds = 0.5
        with pytest.raises(BridgeError, match=r"printed nothing for 0\.5 s"):
            bridge(None, 5, np.random.default_rng(0))
    assert time.monotonic() - began < 15
    until = time.monotonic() + 5
    while time.monotonic() < until and running(child):
        time.sleep(0.05)
    assert not running(child)


def running(process: int) -> bool:
    """Whether it runs; one that waits to be reaped does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(os.name != "posix", reason="limits need the resource module")
def test_one_that_floods_its_error_stream_or_a_file_fills_no_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_WRITTEN", 2**16)
    flood = "import sys\ndef draw(data, size, seed):\n    for _ in range(2000):\n        {0}.write('x' * 1000)\n"
    flood += "        {0}.flush()\n    return [0.0] * size"
    with Bridge(sys.executable, code(tmp_path, flood.format("sys.stdout"))) as bridge:
        assert (bridge(None, 5, np.random.default_rng(0)) == 0.0).all()
    text = flood.format("kept").replace("import sys", "kept = open('kept', 'w')")
    with (
        pytest.raises(BridgeError, match="File too large"),
        Bridge(sys.executable, code(tmp_path, text)) as bridge,
    ):
        bridge(None, 5, np.random.default_rng(0))


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux")
def test_one_that_takes_all_memory_fails_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_MEMORY", 2**28)
    text = "def draw(data, size, seed):\n    return [0.0] * 10**9"
    with pytest.raises(BridgeError, match="MemoryError"), Bridge(sys.executable, code(tmp_path, text)) as bridge:
        bridge(None, 5, np.random.default_rng(0))
