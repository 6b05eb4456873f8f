"""The watch on memory sees what grows, in the command itself and in what it starts."""

import sys

import pytest

from dpverify.runner.store.store import Store
from tests.soak.memory import SLACK, growth, has_parts, watched

GROWS = """
import time
kept = []
for _ in range(40):
    kept.append(bytearray(b"x") * 4 * 2**20)
    time.sleep(0.1)
"""


def test_growth_is_of_the_second_half_over_the_first():
    assert growth([90.0, 100.0, 95.0, 105.0]) == 5.0
    assert growth([float(place) for place in range(8)]) == 4.0
    with pytest.raises(ValueError, match="too few"):
        growth([1.0, 2.0])


def test_counting_begins_with_the_first_parts_in_the_store(tmp_path):
    path = tmp_path / "s.sqlite"
    assert not has_parts(path)
    path.touch()
    assert not has_parts(path)
    with Store(path, make=True) as store:
        run = store.begin("core", {}, {})
        assert not has_parts(path)
        store.put_chunks(run, "a", "event", "certify", [(0, 1)])
        assert has_parts(path)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("beside", [False, True])
def test_what_grows_is_seen_in_the_command_and_in_what_it_starts(beside):
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {GROWS!r}], check=True)" if beside else GROWS
    begun = iter([False, True])
    status, before, samples = watched([sys.executable, "-c", code], counting=lambda: next(begun))
    assert status == 0
    assert 0 < before < max(samples)
    assert growth(samples) > SLACK
