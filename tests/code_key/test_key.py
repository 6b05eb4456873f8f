"""Keys of what an audit follows from: every kind of change makes another key, and nothing else does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

KEYS = """
import importlib, json, os, sys
import numpy as np
import dpverify
from dpverify.code_key.key import code_digest, code_key
code_digest()

def key(said):
    sys.path.append(".")
    module, _, text = said.partition(":")
    loaded = importlib.import_module(module)
    mechanism = eval(text, vars(loaded) | {"loaded": loaded})
    for seed in range(2):
        mechanism([1.0], np.random.default_rng(seed))
    return code_key(mechanism, [1.0])

for folder, said, variables in json.load(sys.stdin):
    sys.stdout.flush()
    if os.fork() == 0:
        try:
            os.chdir(folder)
            os.environ.update(variables)
            print(repr(key(said)))
        except BaseException as problem:
            print(repr(problem))
        sys.stdout.flush()
        os._exit(0)
    os.wait()
"""
Asked = tuple[str, dict[str, str | bytes], dict[str, str]]


def keys(place: Path, asked: list[Asked], *, seed: int = 0) -> list[str]:
    """Of mechanisms in these files, each in a process of its own, which is forked from one that has just started."""
    cases = []
    for number, (said, files, variables) in enumerate(asked):
        for name, text in files.items():
            path = place / f"case{number}" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        cases.append([str(place / f"case{number}"), said, variables])
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    words = [sys.executable, "-c", KEYS]
    given = json.dumps(cases)
    done = subprocess.run(words, input=given, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.fixture
def key(tmp_path):
    """``key(files, "module:callable")``: of one mechanism."""

    def made(files, said, *, folder="one", seed=0):
        shutil.rmtree(tmp_path / folder, ignore_errors=True)
        (found,) = keys(tmp_path / folder, [(said, files, {})], seed=seed)
        return found

    return made


NOISY = "def noisy(data, rng):\n    return sum(data) + scale() * rng.laplace()\n"
MECH = "import os, json, functools, importlib\n"

# Kind of change: what is audited, the files of before, and what changes in them (variables in capitals).
KINDS = {
    "a lambda in tests that calls the package beside it": (
        "checks.test_it:mechanism",
        {
            "package/__init__.py": "",
            "package/core.py": "def noisy(data, rng):\n    return sum(data) + 1.0 * rng.laplace()\n",
            "checks/__init__.py": "",
            "checks/test_it.py": "import package.core\nmechanism = lambda data, rng: package.core.noisy(data, rng)\n",
        },
        {"package/core.py": "def noisy(data, rng):\n    return sum(data) + 0.5 * rng.laplace()\n"},
    ),
    "a float imported from a module": (
        "mech:noisy",
        {"config.py": "SCALE = 1.0\n", "mech.py": f"from config import SCALE\nscale = lambda: SCALE\n{NOISY}"},
        {"config.py": "SCALE = 0.5\n"},
    ),
    "names imported from a module": (
        "mech:noisy",
        {"config.py": "def scale():\n    return 1.0\n", "mech.py": f"from config import *\n{NOISY}"},
        {"config.py": "def scale():\n    return 0.5\n"},
    ),
    "an import inside a function": (
        "mech:noisy",
        {"helper.py": "S = 1.0\n", "mech.py": f"def scale():\n    import helper\n    return helper.S\n{NOISY}"},
        {"helper.py": "S = 0.5\n"},
    ),
    "an import inside a function that two calls do not reach": (
        "mech:noisy",
        {
            "helper.py": "S = 1.0\n",
            "mech.py": f"import os\ndef scale():\n    if not os.sep:\n        import helper\n    return 1\n{NOISY}",
        },
        {"helper.py": "S = 0.5\n"},
    ),
    "import_module": (
        "mech:noisy",
        {
            "helper.py": "S = 1.0\n",
            "mech.py": f"{MECH}scale = lambda: importlib.import_module('hel' + 'per').S\n{NOISY}",
        },
        {"helper.py": "S = 0.5\n"},
    ),
    "a settings file read at import": (
        "mech:noisy",
        {"s.json": "[1.0]", "mech.py": f"{MECH}FOUND = json.load(open('s.json'))\nscale = lambda: FOUND[0]\n{NOISY}"},
        {"s.json": "[0.5]"},
    ),
    "a settings file read by another module of one's own": (
        "mech:noisy",
        {
            "s.ini": "[a]\nb = 1\n",
            "reader.py": "import configparser\nclass R:\n    def __init__(self):\n"
            "        self.c = configparser.ConfigParser()\n        self.c.read('s.ini')\n",
            "mech.py": f"from reader import R\nscale = lambda: float(R().c['a']['b'])\n{NOISY}",
        },
        {"s.ini": "[a]\nb = 2\n"},
    ),
    "a settings file that appears": (
        "mech:noisy",
        {
            "mech.py": f"def scale():\n    try:\n        return float(open('s.txt').read())\n"
            f"    except OSError:\n        return 1.0\n{NOISY}"
        },
        {"s.txt": "0.5"},
    ),
    "an attribute that was replaced": (
        "patch:noisy",
        {
            "mech.py": f"scale = lambda: 1.0\n{NOISY}",
            "patch.py": "import mech\nimport values\nmech.scale = values.scale\nnoisy = mech.noisy\n",
            "values.py": "scale = lambda: 1.0\n",
        },
        {"values.py": "scale = lambda: 0.5\n"},
    ),
    "a constant that was replaced by nobody who is imported": (
        "mech:[setattr(loaded, 'S', len(loaded.os.environ['WANTED'])), noisy][1]",
        {"mech.py": f"import os\nS = 0.0\nscale = lambda: S\n{NOISY}"},
        {"WANTED": "0.5"},
    ),
    "a function of a library that was replaced": (
        "mech:[setattr(random, 'gauss', eval(environ['WANTED'])), noisy][1]",
        {"mech.py": f"import random\nfrom os import environ\nscale = lambda: random.gauss(0, 1)\n{NOISY}"},
        {"WANTED": "lambda a, b: 2"},
    ),
    "an environment variable read at import": (
        "mech:noisy",
        {"mech.py": f"import os\nS = [float(os.environ['WANTED'][-1])]\nscale = lambda: S[0]\n{NOISY}"},
        {"WANTED": "5"},
    ),
    "an environment variable read at call": (
        "mech:noisy",
        {"mech.py": f"import os\nscale = lambda: len(os.getenv('WANTED', ''))\n{NOISY}"},
        {"WANTED": "lambda a, b: 25"},
    ),
    "an environment variable read as bytes": (
        "mech:noisy",
        {"mech.py": f"import os\nscale = lambda: len(os.environb.get(b'WANTED', b''))\n{NOISY}"},
        {"WANTED": "lambda a, b: 25"},
    ),
    "a computed default": (
        "mech:noisy",
        {
            "values.json": "1.0",
            "mech.py": "import pathlib\ndef noisy(data, rng, scale=float(pathlib.Path('values.json').read_text())):\n"
            "    return scale * rng.laplace()\n",
        },
        {"values.json": "0.5"},
    ),
    "a computed default by keyword, of an object": (
        "mech:made(environ['WANTED'])",
        {
            "mech.py": "from os import environ\ndef made(text):\n    class Scale:\n        def __init__(self):\n"
            "            self.text = text\n    def noisy(data, rng, *, scale=Scale()):\n"
            "        return len(scale.text) * rng.laplace()\n    return noisy\n"
        },
        {"WANTED": "two"},
    ),
    "a closure of a closure": (
        "mech:outer(len(environ['WANTED']))",
        {
            "mech.py": "from os import environ\ndef outer(s):\n    def inner():\n        return s\n"
            "    return lambda data, rng: inner() * rng.laplace()\n"
        },
        {"WANTED": "two"},
    ),
    "__slots__": (
        "mech:Noisy(len(environ['WANTED']))",
        {
            "mech.py": "from os import environ\nclass Noisy:\n    __slots__ = ('s',)\n    def __init__(self, s):\n"
            "        self.s = s\n    def __call__(self, data, rng):\n        return self.s * rng.laplace()\n"
        },
        {"WANTED": "two"},
    ),
    "an object held by an object": (
        "mech:A(B(C(len(environ['WANTED']))))",
        {
            "mech.py": "from os import environ\nclass C:\n    def __init__(self, held):\n        self.held = held\n"
            "class B(C): pass\nclass A(C):\n    def __call__(self, data, rng):\n"
            "        return self.held.held.held * rng.laplace()\n"
        },
        {"WANTED": "two"},
    ),
    "a partial of a partial": (
        "mech:P(P(noisy, s=1), t=len(environ['WANTED']))",
        {
            "mech.py": "from os import environ\nfrom functools import partial as P\n"
            "def noisy(data, rng, s, t):\n    return s * t * rng.laplace()\n"
        },
        {"WANTED": "two"},
    ),
    "the object of a bound method": (
        "mech:Noisy(len(environ['WANTED'])).release",
        {
            "mech.py": "from os import environ\nclass Noisy:\n    def __init__(self, s):\n        self.s = [{'s': s}]\n"
            "    def release(self, data, rng):\n        return self.s[0]['s'] * rng.laplace()\n"
        },
        {"WANTED": "two"},
    ),
    "a class attribute": (
        "mech:[setattr(Noisy, 's', len(environ['WANTED'])), Noisy()][1]",
        {
            "mech.py": "from os import environ\nclass Noisy:\n    s = 0\n    def __call__(self, data, rng):\n"
            "        return self.s * rng.laplace()\n"
        },
        {"WANTED": "two"},
    ),
    "a class attribute of a base": (
        "mech:[setattr(Base, 's', len(environ['WANTED'])), Noisy().release][1]",
        {
            "mech.py": "from os import environ\nclass Base:\n    s = 0\nclass Noisy(Base):\n"
            "    def release(self, data, rng):\n        return self.s * rng.laplace()\n"
        },
        {"WANTED": "two"},
    ),
    "an attribute of a function": (
        "mech:[setattr(noisy, 's', len(environ['WANTED'])), noisy][1]",
        {"mech.py": "from os import environ\ndef noisy(data, rng):\n    return noisy.s * rng.laplace()\n"},
        {"WANTED": "two"},
    ),
    "a list that is longer inside": (
        "mech:noisy",
        {
            "values.py": "import os\nclass L(list): pass\nS = L([1] * len(os.environ['WANTED']))\n",
            "mech.py": f"import values\nscale = lambda: len(values.S)\n{NOISY}",
        },
        {"WANTED": "two"},
    ),
    "a compiled function of numba": (
        "mech:noisy",
        {
            "config.py": "S = 1.0\n",
            "mech.py": f"from numba import njit\nfrom config import S\n@njit\ndef scale():\n    return S\n{NOISY}",
        },
        {"config.py": "S = 0.5\n"},
    ),
    "a module that is run by its file": (
        "mech:noisy",
        {
            "helper.py": "S = 1.0\n",
            "mech.py": f"found = {{}}\nexec(open('helper.py').read(), found)\nscale = lambda: found['S']\n{NOISY}",
        },
        {"helper.py": "S = 0.5\n"},
    ),
    "a relative import": (
        "package.mech:noisy",
        {
            "package/__init__.py": "",
            "package/config.py": "S = {'a': 1.0}\n",
            "package/mech.py": f"from . import config\nscale = lambda: config.S['a']\n{NOISY}",
        },
        {"package/config.py": "S = {'a': 0.5}\n"},
    ),
    "an object that wraps a function": (
        "mech:Noisy(one, len(environ['WANTED']))",
        {
            "mech.py": "from functools import update_wrapper\nfrom os import environ\n"
            "def one(data, rng):\n    return 1.0\nclass Noisy:\n    def __init__(self, held, s):\n"
            "        update_wrapper(self, held)\n        self.s = s\n    def __call__(self, data, rng):\n"
            "        return self.__wrapped__(data, rng) + self.s * rng.laplace()\n"
        },
        {"WANTED": "two"},
    ),
    "settings that look up every name": (
        "mech:noisy",
        {
            "s.json": '{"scale": 1.0}',
            "mech.py": f"{MECH}class Settings:\n    def __getattr__(self, name):\n"
            f"        return json.load(open('s.json'))[name]\nS = Settings()\nscale = lambda: S.scale\n{NOISY}",
        },
        {"s.json": '{"scale": 0.5}'},
    ),
    "a dataclass with a default": (
        "mech:Noisy()",
        {
            "mech.py": "import os\nfrom dataclasses import dataclass\n"
            "@dataclass(frozen=True, slots=True)\nclass Noisy:\n"
            "    s: int = len(os.environ['WANTED'])\n    def __call__(self, data, rng):\n"
            "        return self.s * rng.laplace()\n"
        },
        {"WANTED": "two"},
    ),
}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """For each kind, the keys before, of the same in another place, and after the change."""
    place, variables = tmp_path_factory.mktemp("kinds"), {"WANTED": "lambda a, b: 1"}
    before = [(said, files, variables) for said, files, _ in KINDS.values()]
    after = [
        (
            said,
            files | {name: text for name, text in change.items() if not name.isupper()},
            variables | {name: text for name, text in change.items() if name.isupper()},
        )
        for said, files, change in KINDS.values()
    ]
    others = [(said, files, {**variables, "UNRELATED": "1"}) for said, files, _ in KINDS.values()]
    columns = keys(place / "a", before), keys(place / "b" / "deep", others, seed=7), keys(place / "c", after)
    return dict(zip(KINDS, zip(*columns, strict=True), strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_change_makes_another_key_and_nothing_else_does(found, kind):
    before, same, after = found[kind]
    assert before.startswith("CodeKey(text='")
    assert "unknown=''" in before
    assert same == before
    assert after != before
    assert "unknown=''" in after


OPAQUE = {
    "a file that is held open": "handle = open(__file__)\ndef made():\n    h = handle\n"
    "    return lambda data, rng: h and rng.laplace()\nmechanism = made()\n",
    "a generator": "def made(g):\n    return lambda data, rng: g and rng.laplace()\nmechanism = made(n for n in [1])\n",
    "a module without a file": "import sys, types\nsys.modules['nowhere'] = types.ModuleType('nowhere')\n"
    "import nowhere\n"
    "mechanism = lambda data, rng: nowhere and rng.laplace()\n",
}


@pytest.mark.parametrize("what", OPAQUE)
def test_what_cannot_be_told_has_no_key_and_is_named(key, what):
    said = key({"mech.py": OPAQUE[what]}, "mech:mechanism")
    assert "text=''" in said
    assert any(name in said for name in ("h in the closure", "g in the closure", "nowhere"))


def test_code_that_is_in_no_file_has_no_key():
    text = "import sys\nfrom dpverify.code_key.key import code_key\nprint(code_key(lambda data, rng: rng.laplace()))\n"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert "the module __main__ is in no file" in done.stdout


CYCLE = """
class Node:
    def __init__(self, s):
        self.s, self.next = s, None
    def __call__(self, data, rng):
        return self.s * rng.laplace()
first, last = Node(1), Node({last})
first.next, last.next = last, first
chain = Node(0)
for n in range(3_000):
    (inner := Node(n)).next = chain
    chain = inner
first.chain = chain
first.lock = __import__("threading").Lock()
first.coins = __import__("random").Random()
first.names = {{"a", "b", "c", "d", ("e", 1)}}
"""


def test_cycles_long_chains_locks_coins_and_sets_are_told(key):
    before = key({"mech.py": CYCLE.format(last=1)}, "mech:first")
    assert "unknown=''" in before
    assert key({"mech.py": CYCLE.format(last=1)}, "mech:first", seed=5) == before
    assert key({"mech.py": CYCLE.format(last=2)}, "mech:first") != before


COMPILED = """
#include <Python.h>
static PyObject *scale(PyObject *self, PyObject *args) { return PyFloat_FromDouble(SCALE); }
static PyMethodDef methods[] = {{"scale", scale, METH_NOARGS, ""}, {NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "fast", "", -1, methods};
PyMODINIT_FUNC PyInit_fast(void) { return PyModule_Create(&module); }
double plain(void) { return SCALE; }
"""


def _built(folder: Path, scale: str) -> bytes:
    import sysconfig

    source = folder / "fast.c"
    source.write_text(COMPILED)
    made = folder / "fast.so"
    headers = sysconfig.get_paths()["include"]
    words = ["cc", f"-DSCALE={scale}", "-shared", "-fPIC", f"-I{headers}", str(source), "-o", str(made)]
    if shutil.which("cc") is None or not Path(headers, "Python.h").exists():
        pytest.skip("no compiler of C, or no headers of Python")
    subprocess.run(words, check=True, capture_output=True)
    return made.read_bytes()


@pytest.mark.parametrize(
    "module",
    [
        f"from fast import scale\n{NOISY}",
        "import ctypes\nlib = ctypes.CDLL('./fast.so')\nlib.plain.restype = ctypes.c_double\n"
        f"scale = lambda: lib.plain()\n{NOISY}",
    ],
    ids=["extension", "ctypes"],
)
def test_a_rebuilt_library_makes_another_key(key, tmp_path, module):
    one, two = _built(tmp_path, "1.0"), _built(tmp_path, "0.5")
    before = key({"fast.so": one, "mech.py": module}, "mech:noisy")
    assert "unknown=''" in before
    assert key({"fast.so": one, "mech.py": module}, "mech:noisy", folder="other") == before
    assert key({"fast.so": two, "mech.py": module}, "mech:noisy") != before
