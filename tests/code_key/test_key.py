"""Keys of what an audit follows from: every kind of change makes another key, and nothing else does."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dpverify.code_key.key import MOST, code_key, named_files
from tests.code_key.keys import keys
from tests.code_key.kinds_of_change import KINDS, NOISY


@pytest.fixture
def key(tmp_path):
    """``key(files, "module:callable")``: of one mechanism."""

    def made(files, said, *, folder="one", seed=0):
        shutil.rmtree(tmp_path / folder, ignore_errors=True)
        (found,) = keys(tmp_path / folder, [(said, files, {})], seed=seed)
        return found

    return made


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


def test_files_are_found_in_the_working_folder_beside_modules_in_named_folders_and_at_home(tmp_path, monkeypatch):
    for name in ("here/a", "here/sub/b", "beside/c", "else/where/d", "home/e", "else/unnamed"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    texts = ["a", "sub/b", "c", b"d", "~/e", str(tmp_path / "else/where"), "", "\0", "a\nb", "x" * 5000, "no", "sub"]
    found, unknown = named_files(texts, [str(tmp_path / "beside")])
    assert found == {str(tmp_path / name) for name in ("here/a", "here/sub/b", "beside/c", "else/where/d", "home/e")}
    assert not unknown


def test_a_vocabulary_is_looked_up_and_too_many_paths_are_not_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "word7").write_text("")
    found, unknown = named_files([f"word{each}" for each in range(2 * MOST)], [])
    assert (found, unknown) == ({str(tmp_path / "word7")}, "")
    assert "may name files" in named_files([f"a/{each}" for each in range(MOST + 1)], [])[1]


WRITES = """
import pyarrow.csv
def noisy(data, rng):
    with open("log.csv", {mode!r}) as log:
        log.write("line")
    return sum(data) + rng.laplace()
"""


def test_what_the_mechanism_writes_itself_is_none_of_its_settings(tmp_path):
    found = []
    for number, (mode, before) in enumerate([(mode, text * 9) for mode in ("w", "a", "r+") for text in "xy"]):
        files = {"log.csv": before, "mech.py": WRITES.format(mode=mode)}
        found += keys(tmp_path / str(number), [("mech:noisy", files, {})])
    assert found[0] == found[1]
    assert found[2] == found[3]
    assert found[4] != found[5]
    assert all("unknown=''" in each for each in found)


def test_records_that_name_files_are_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = set()
    for content in "ab":
        (tmp_path / "Ada").write_text(content * 9)
        found.add(code_key(len, ["Ada"]).text)
    assert len(found - {""}) == len(found) == 1
