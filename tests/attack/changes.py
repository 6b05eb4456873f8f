"""Changes of code, and of what it reads, after which kept work of before must not count."""

from __future__ import annotations

from collections.abc import Mapping

# Whose noise is right, or a tenth of what it should be, by `scale()`.
NOISY = "def noisy(data, size, rng):\n    return sum(data) + scale() * rng.laplace(size=size)\n"
CLASS = "class Noisy:\n    def __init__(self, held):\n        self.held = held\n"

Files = Mapping[str, str]

# What is changed: the files, the mechanism in a test, and what is other the second time (a file, or VARIABLE).
CHANGES: dict[str, tuple[Files, str, Files]] = {
    "a float imported from a module": (
        {"mech.py": f"from config import SCALE\nscale = lambda: SCALE\n{NOISY}", "config.py": "SCALE = {}\n"},
        "mech.noisy",
        {"config.py": "SCALE = {}\n"},
    ),
    "what a lambda in the tests calls of the package beside it": (
        {
            "package/__init__.py": "",
            "package/core.py": f"scale = lambda: {{}}\n{NOISY}",
            "mech.py": "import package.core\nnoisy = lambda data, size, rng: package.core.noisy(data, size, rng)\n",
        },
        "lambda data, size, rng: mech.noisy(data, size, rng)",
        {"package/core.py": f"scale = lambda: {{}}\n{NOISY}"},
    ),
    "an environment variable read at import": (
        {"mech.py": f"import os\nS = float(os.environ['SCALE'])\nscale = lambda: S\n{NOISY}"},
        "mech.noisy",
        {"SCALE": "{}"},
    ),
    "an environment variable read at call": (
        {"mech.py": f"import os\nscale = lambda: float(os.getenv('SCALE', ''))\n{NOISY}"},
        "mech.noisy",
        {"SCALE": "{}"},
    ),
    "a settings file read at import": (
        {"mech.py": f"import json\nFOUND = json.load(open('s.json'))\nscale = lambda: FOUND[0]\n{NOISY}"},
        "mech.noisy",
        {"s.json": "[{}]"},
    ),
    "an import inside a function": (
        {"mech.py": f"def scale():\n    import helper\n    return helper.S\n{NOISY}"},
        "mech.noisy",
        {"helper.py": "S = {}\n"},
    ),
    "import_module": (
        {"mech.py": f"import importlib\nscale = lambda: importlib.import_module('hel' + 'per').S\n{NOISY}"},
        "mech.noisy",
        {"helper.py": "S = {}\n"},
    ),
    "names imported with a star": (
        {"mech.py": f"from helper import *\n{NOISY}"},
        "mech.noisy",
        {"helper.py": "scale = lambda: {}\n"},
    ),
    "a computed default": (
        {
            "mech.py": "from pathlib import Path\nimport helper\n"
            "def noisy(data, size, rng, s=helper.found()):\n    return sum(data) + s * rng.laplace(size=size)\n",
            "helper.py": "import os\nfound = lambda: float(os.environ['SCALE'])\n",
        },
        "lambda data, size, rng: mech.noisy(data, size, rng)",
        {"SCALE": "{}"},
    ),
    "a closure of a closure": (
        {
            "mech.py": "import os\ndef outer(s):\n    inner = lambda: s\n"
            "    return lambda data, size, rng: sum(data) + inner() * rng.laplace(size=size)\n"
            "noisy = outer(float(os.environ['SCALE']))\n"
        },
        "mech.noisy",
        {"SCALE": "{}"},
    ),
    "an object held by an object, in slots": (
        {
            "mech.py": f"import os\n{CLASS}    __slots__ = ('held',)\n"
            "    def sample(self, data, size, rng):\n"
            "        return sum(data) + self.held.held * rng.laplace(size=size)\n"
            "noisy = Noisy(Noisy(float(os.environ['SCALE']))).sample\n"
        },
        "mech.noisy",
        {"SCALE": "{}"},
    ),
    "a partial": (
        {
            "mech.py": "import os, functools\ndef plain(data, size, rng, s):\n"
            "    return sum(data) + s[0] * rng.laplace(size=size)\n"
            "noisy = functools.partial(plain, s=[float(os.environ['SCALE'])])\n"
        },
        "mech.noisy",
        {"SCALE": "{}"},
    ),
    "an attribute of a class": (
        {
            "mech.py": "import os\nclass Noisy:\n    s = float(os.environ['SCALE'])\n"
            "    def sample(self, data, size, rng):\n        return sum(data) + self.s * rng.laplace(size=size)\n"
            "noisy = Noisy().sample\n"
        },
        "mech.noisy",
        {"SCALE": "{}"},
    ),
    "a function that another module replaces": (
        {
            "core.py": f"scale = lambda: 1.0\n{NOISY}",
            "mech.py": "import core, patch\nnoisy = core.noisy\n",
        },
        "mech.noisy",
        {"patch.py": "import core\ncore.scale = lambda: {}\n"},
    ),
    "a file that compiled code opens": (
        {
            "mech.py": "import pyarrow.csv\nfrom pathlib import Path\nDATA = Path('data')\n"
            f"scale = lambda: pyarrow.csv.read_csv(DATA / 's.csv')[0][0].as_py()\n{NOISY}",
        },
        "mech.noisy",
        {"data/s.csv": "s\n{}\n"},
    ),
    "text that is executed": (
        {"mech.py": f"found = {{{{}}}}\nexec(open('helper.txt').read(), found)\nscale = lambda: found['S']\n{NOISY}"},
        "mech.noisy",
        {"helper.txt": "S = {}\n"},
    ),
}
