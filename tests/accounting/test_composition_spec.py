"""Composition files: JSON, TOML and literals say the same; each mistake is one line that says where."""

import json
import tomllib

import pytest

from dpverify.accounting.composition_spec import DEEPEST_VALUES, LARGEST_COUNT, MOST_PARTS, parse_toml, read_composition
from dpverify.accounting.steps.discrete import DiscreteStep
from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.core.composition import Composition, Part
from dpverify.core.errors import InputError
from dpverify.core.plugins import registry

EXPECTED = Composition(
    parts=(
        Part(step=PoissonGaussianStep(q=0.01, sigma=1.1), count=10000),
        Part(step=DiscreteStep(p=("1/3", "2/3"), q=(0.5, 0.5))),
    )
)
STEPS = [
    {"step": "poisson-gaussian", "q": 0.01, "sigma": 1.1, "count": 9000},
    {"step": "discrete", "p": ["1/3", "2/3"], "q": [0.5, 0.5]},
    {"step": "poisson-gaussian", "q": 0.01, "sigma": 1.1, "count": 1e3},
]
TOML = """
[[steps]]
step = "poisson-gaussian"
q = 0.01
sigma = 1.1
count = 10_000
[[steps]]
step = "discrete"
p = ["1/3", "2/3"]
q = [0.5, 0.5]
"""


def read(text):
    return read_composition(str(text), registry())


def test_files_and_literals_say_the_same(tmp_path):
    (tmp_path / "c.json").write_text(json.dumps({"steps": STEPS}))
    (tmp_path / "c.toml").write_text(TOML)
    assert read(tmp_path / "c.json") == EXPECTED
    assert read(tmp_path / "c.toml") == EXPECTED
    assert read(json.dumps({"steps": STEPS})) == EXPECTED
    assert read("poisson-gaussian(q=0.01, sigma=1.1)*10000 + discrete(p=(1/3, 2/3), q=(1/2, 1/2))") == EXPECTED


def test_a_step_inside_a_step(monkeypatch):
    class Wrapped:
        relation = "any"

        def __init__(self, *, q, step):
            self.q, self.step = q, step

        def text(self):
            return f"wrapped(q={self.q}, step={self.step.text()})"

        def __eq__(self, other):
            return (self.q, self.step) == (other.q, other.step)

        def __hash__(self):
            return hash((self.q, self.step))

    monkeypatch.setitem(registry().steps._items, "wrapped", Wrapped)
    expected = Composition.repeat(Wrapped(q=0.5, step=GaussianStep(sigma=2)), 3)
    inner = {"step": "gaussian", "sigma": 2}
    assert read(json.dumps({"steps": [{"name": "wrapped", "q": 0.5, "step": inner, "count": 3}]})) == expected
    assert read("wrapped(q=0.5, step=gaussian(sigma=2))*3") == expected
    with pytest.raises(InputError, match="a count inside a step"):
        read(json.dumps({"steps": [{"name": "wrapped", "q": 0.5, "step": inner | {"count": 2}}]}))


def test_a_count_of_nothing_leaves_the_step_out():
    assert read("gaussian(sigma=1)*0 + laplace(scale=1)").size == 1


GAUSSIAN = {"step": "gaussian", "sigma": 1}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ([GAUSSIAN], "no list of steps"),
        ({"steps": []}, "an empty one"),
        ({"steps": GAUSSIAN}, "no list of steps"),
        ({"steps": [GAUSSIAN], "stpes": []}, "more than that"),
        ({"steps": [GAUSSIAN, 3]}, "steps[1]: 3"),
        ({"steps": [{"sigma": 1}]}, "steps[0]: a step without a name"),
        ({"steps": [{"step": GAUSSIAN}]}, "steps[0]: a step without a name"),
        ({"steps": [GAUSSIAN, {"step": "gausian", "sigma": 1}]}, "steps[1]: no steps called 'gausian'"),
        ({"steps": [{"step": "gaussian"}]}, "steps[0]: gaussian: missing a required argument: 'sigma'"),
        ({"steps": [GAUSSIAN | {"scale": 1}]}, "unexpected keyword argument 'scale'"),
        ({"steps": [GAUSSIAN | {"sigma": 0}]}, "steps[0]: gaussian: sigma = 0"),
        ({"steps": [GAUSSIAN | {"sigma": "1"}]}, "sigma = '1'"),
        ({"steps": [GAUSSIAN | {"sigma": None}]}, "sigma = None"),
        ({"steps": [GAUSSIAN | {"sigma": True}]}, "sigma = True"),
        ({"steps": [GAUSSIAN | {"sigma": [1]}]}, "sigma = (1,)"),
        ({"steps": [GAUSSIAN | {"sigma": float("nan")}]}, "sigma = nan"),
        ({"steps": [GAUSSIAN | {"sigma": {"step": "no-op"}}]}, "sigma = NoOpStep()"),
        ({"steps": [GAUSSIAN | {"count": -1}]}, "count = -1"),
        ({"steps": [GAUSSIAN | {"count": 1.5}]}, "count = 1.5"),
        ({"steps": [GAUSSIAN | {"count": True}]}, "count = True"),
        ({"steps": [GAUSSIAN | {"count": "3"}]}, "count = '3'"),
        ({"steps": [GAUSSIAN | {"count": LARGEST_COUNT + 1}]}, "from 0 to 1e12"),
        ({"steps": [GAUSSIAN | {"count": 10**300}]}, "from 0 to 1e12"),
        ({"steps": [GAUSSIAN | {"count": 10**400}]}, "an integer of 401 digits"),
        ({"steps": [{"step": "discrete", "p": [[1]], "q": [1]}]}, "discrete: p"),
    ],
)
def test_wrong_content_says_where(tmp_path, content, said):
    path = tmp_path / "c.json"
    path.write_text(json.dumps(content))
    with pytest.raises(InputError) as caught:
        read(path)
    assert said in str(caught.value)
    assert "c.json" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("c.json", None, "no file"),
        ("c.json", b"{", "is not JSON"),
        ("c.json", b"\xff\xfe", "cannot be read"),
        ("c.json", b'{"steps": [{"step": "gaussian", "sigma": 1, "sigma": 2}]}', "'sigma' twice"),
        ("c.json", b'{"steps": [{"step": "gaussian", "sigma": ' + b"9" * 5000 + b"}]}", "is not JSON"),
        ("c.json", b"[" * 100_000, "is not JSON"),
        ("c.toml", b"[[steps]", "cannot be read"),
        ("c.toml", b'[[steps]]\nstep = "no-op"\ncount = ' + b"9" * 5000, "cannot be read"),
        ("c.toml", b'[[steps]]\nstep = "no-op"\ncount = 0x' + b"f" * 5000, "count = a huge number"),
        ("c.toml", b'[[steps]]\nstep = "gaussian"\nsigma = 0x' + b"f" * 5000, "sigma = a huge number"),
    ],
)
def test_unreadable_files(tmp_path, name, content, said):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read(path)
    assert said in str(caught.value)


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "c.json").mkdir()
    with pytest.raises(InputError, match="cannot be read"):
        read(tmp_path / "c.json")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a.b.c = 1\n[d.'e.f'.\"g.h\"]\ni = 1.5 # [[[ a.b.c.d.e.f.g.h.i.j",
        'a = """\n"[[[" a.b.c.d.e.f.g.h.i.j \\" """\nb = \'\'\'[[["""\'\'\'',
        "a = " + "[" * DEEPEST_VALUES + "]" * DEEPEST_VALUES,
        "a = [" + "1.5, " * 1000 + "]",
        "a = [" + "[1], {b = 2}, " * 1000 + "]",
        ".".join("a" * MOST_PARTS) + " = 1",
        'a = "' + "b." * 100 + '"',
        "t = 1979-05-27T07:32:00.999-07:00",
    ],
)
def test_what_is_toml_is_read_as_ever(text):
    assert parse_toml(text) == tomllib.loads(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (".".join("a" * (MOST_PARTS + 1)) + " = 1", "more than 8 parts"),
        ("[" + " . ".join("a" * (MOST_PARTS + 1)) + "]", "more than 8 parts"),
        (".".join(["'a'", '"b"'] * 5) + " = 1", "more than 8 parts"),
        ("a = " + "[" * (DEEPEST_VALUES + 1), "more than 50 deep"),
        ("a = " + "{a = " * (DEEPEST_VALUES + 1), "more than 50 deep"),
        ("a = ", "Invalid value"),
    ],
)
def test_what_is_none_is_a_value_error(text, said):
    with pytest.raises(ValueError, match=said):
        parse_toml(text)
