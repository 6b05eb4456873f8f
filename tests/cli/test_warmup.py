"""`dpverify warmup` says what was compiled, where it lies and how large it is."""

import json

import pytest

from dpverify.core.kernel_cache import VARIABLE
from dpverify.runner import warm_kernels
from dpverify.runner.warm_kernels import Warmed


@pytest.fixture
def warmed(monkeypatch):
    """A function that sets where the kernels lie."""

    def lie(*folders):
        found = Warmed(compiled=3, kept=4, folders=folders, size=2_500_000)
        monkeypatch.setattr(warm_kernels, "warm", lambda *, jobs, every, begins: found)

    monkeypatch.delenv(VARIABLE, raising=False)
    return lie


def test_beside_the_sources(call, warmed):
    warmed("/lib/dpverify/laws/__pycache__", "/lib/auditors/__pycache__")
    status, out, err = call("warmup")
    assert (status, err) == (0, "")
    assert out.startswith("7 kernels: 3 compiled, 4 were kept already; ")
    assert out.endswith("2.5 MB beside the sources below /lib\n")


def test_a_read_only_installation_is_said(call, warmed):
    warmed("/home/me/.cache/numba/laws_1", "/home/me/.cache/numba/sampling_2")
    assert call("warmup")[1].endswith("2.5 MB in /home/me/.cache/numba, since the installation cannot be written to\n")


def test_the_users_own_folder_is_said(call, warmed, monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    warmed(f"{tmp_path}/laws_1", f"{tmp_path}/sampling_2")
    assert call("warmup")[1].endswith(f"2.5 MB in {tmp_path} ({VARIABLE})\n")


def test_json(call, warmed):
    warmed("/lib/dpverify/laws/__pycache__")
    status, out, _ = call("warmup", "--all", "--json", "-")
    found = json.loads(out)
    assert status == 0
    assert {name: found[name] for name in ("kernels", "compiled", "bytes", "folders")} == {
        "kernels": 7,
        "compiled": 3,
        "bytes": 2_500_000,
        "folders": ["/lib/dpverify/laws/__pycache__"],
    }


def test_the_key_is_one_word(call):
    status, out, _ = call("warmup", "--key")
    assert (status, len(out.split())) == (0, 1)


@pytest.mark.parametrize("words", [("--jobs", "-1"), ("--jobs", "some"), ("--every",), ("here",)])
def test_bad_input_is_one_line(call, words):
    status, out, err = call("warmup", *words)
    assert (status, out, err.count("\n")) == (2, "", 1)
