"""Kinds of change, each of which must make another key: of code, of values, and of what both read."""

from __future__ import annotations

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
    "a file that compiled code opens": (
        "mech:noisy",
        {
            "s.csv": "s\n1.0\n",
            "mech.py": "import pyarrow.csv\nscale = lambda: pyarrow.csv.read_csv('s.csv')[0][0].as_py()\n" + NOISY,
        },
        {"s.csv": "s\n0.5\n"},
    ),
    "a file beside the module that compiled code opens": (
        "package.mech:noisy",
        {
            "package/s.csv": "s\n1.0\n",
            "package/mech.py": "import pyarrow.csv\nfrom pathlib import Path\n"
            "scale = lambda: pyarrow.csv.read_csv(Path(__file__).parent / 's.csv')[0][0].as_py()\n" + NOISY,
        },
        {"package/s.csv": "s\n0.5\n"},
    ),
    "a file in a folder that a path names": (
        "mech:noisy",
        {
            "data/s.csv": "s\n1.0\n",
            "mech.py": "import pyarrow.csv\nfrom pathlib import Path\nDATA = {'x': [Path('data')]}\n"
            "def scale(name='s.csv'):\n    return pyarrow.csv.read_csv(DATA['x'][0] / name)[0][0].as_py()\n" + NOISY,
        },
        {"data/s.csv": "s\n0.5\n"},
    ),
    "a file whose name in bytes is in a closure": (
        "mech:made(b'data/s.csv')",
        {
            "data/s.csv": "s\n1.0\n",
            "mech.py": "import os, pyarrow.csv\ndef made(*names):\n    return lambda data, rng: rng.laplace(scale="
            "pyarrow.csv.read_csv(os.fsdecode(names[0]))[0][0].as_py())\n",
        },
        {"data/s.csv": "s\n0.5\n"},
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
