"""Whatever text or file a parser is given, of any length: a value or one line, in time linear in the size.

Inputs are pieces of the grammar, repeated up to some hundred thousand times, and whole inputs with slices taken out,
doubled or replaced: what makes a parser look at one place again and again is repetition. The limit is processor time,
some ten times what the slowest input was seen to take; a parser that is quadratic at 10 ns a step exceeds it a
hundredfold at the longest inputs. ``pytest --hypothesis-profile explore`` tries a thousand others each.
"""

from __future__ import annotations

import io
import json
import time
import zipfile

import numpy as np
import pandas  # noqa: F401 - loaded before anything is timed
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from dpverify.accounting.composition_grammar import parse_number, parse_steps
from dpverify.accounting.composition_spec import read_composition
from dpverify.adapters.literals import load_dataset
from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.definitions.grammar import parse_guarantee
from dpverify.reporting.read_records import read_records
from dpverify.scores.recorded_scores import read_scores

START, A_BYTE = 0.5, 2e-5
"""Seconds, and seconds for each byte."""

LONGEST = 20
"""Doublings of a piece."""

fuzz = settings(
    max_examples=settings.default.max_examples // 4,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)

NUMBERS = ["9", "0", ".", "e", "E+", "1e308", "5e-324", "1/3", "inf", "nan", "-", "+", "_", "x", "²", "１"]
SIGNS = [*"()[]{},=*/+-'\"#:;\\", " ", "\n", "\t", "\x00", "\ud800", "\u2028", "é"]
CLAIMS = ["PureDP(epsilon=", "RDP(orders=(2,4),epsilons=(1,2))", "log(", "sqrt(", "epsilon=1,", "at_delta="]
STEPS = ["gaussian(sigma=1)", "poisson-gaussian(q=0.1,sigma=", "step=", "a-", "+", "*10", "log(", "/1.7", "/3"]
TOML = ["[a]\n", "[[a]]\n", "a.", "a=", '"""', "'''", '\\"', "a={", "[", "#", "1979-05-27T07:32:00", "'a'.", "\r\n"]
JSON = ['{"steps":[', '{"step":"gaussian","sigma":1},', '"count":', "null,", "[1,2],", '{"a":', "\\u0041", "NaN", "]}"]
TABLES = ["in,out\n", "score,included\n", "1,2\n", "true,", ",", "\r", '"', '""', "1e999", "in,"]
WHOLE = {
    "claim": ["RDP(orders=(2, 4), epsilons=(0.5, 1))", "SubsampledGaussian(rate=0.1, sigma=1, steps=10)"],
    "step": ["poisson-gaussian(q=256/50000, sigma=1.1)*10 + laplace(scale=log(3))", "discrete(p=(0.5, 0.5), q=(1, 0))"],
    "toml": ['[[steps]]\nstep = "gaussian"\nsigma = 1.0\ncount = 10\n'],
    "json": ['{"steps": [{"step": "gaussian", "sigma": 1, "count": 10}]}', '[[1, 2.5], ["a", null, true]]'],
    "table": ["in,out\n1,2\n3,\n", "score,included\n0.5,true\n-1,false\n"],
}


@st.composite
def texts(draw, kind, *pieces):
    """Repeated pieces, or a whole input that something was done to."""
    some = st.sampled_from([*pieces, *NUMBERS, *SIGNS])
    repeated = st.builds(lambda piece, doublings: piece * 2**doublings, some, st.integers(0, LONGEST))
    if draw(st.booleans()):
        return draw(st.lists(st.one_of(some, repeated), max_size=8).map("".join))[: 2**LONGEST]
    text = draw(st.sampled_from(WHOLE[kind]))
    for _ in range(draw(st.integers(1, 4))):
        start, stop = sorted((draw(st.integers(0, len(text))), draw(st.integers(0, len(text)))))
        middle = draw(st.one_of(some, repeated, st.just(text[start:stop] * 2)))
        text = (text[:start] + middle + text[stop:])[: 2**LONGEST]
    return text


def soon(read, given, size):
    """Read it: an InputError of one line, or anything at all, in time."""
    begun, said = time.process_time(), ""
    try:
        read(given)
    except InputError as problem:
        said = str(problem)
    spent = time.process_time() - begun
    assert "\n" not in said and len(said) < 5000
    assert spent < START + A_BYTE * size, f"{spent:.2f} s for {size} bytes"


@pytest.fixture(scope="module", autouse=True)
def known():
    """Loaded before anything is timed."""
    return registry()


@fuzz
@given(texts("claim", *CLAIMS))
@example("PureDP(epsilon=" + "9" * 19_000 + "x)")
@example("PureDP(epsilon=" + "log(" * 4_000)
@example("PureDP(" + " " * 19_000 + "\x00")
def test_claims(known, text):
    definitions = dict(known.definitions.items())
    soon(lambda text: parse_guarantee(text, definitions), text, len(text))


@fuzz
@given(texts("step", *STEPS))
@example("gaussian(sigma=" + "9" * 19_000 + "x)")
@example(" " * 20_000)
@example("gaussian(sigma=" + "/".join(["1.2345678901234567"] * 1_000) + ")")
@example("g(sigma=" * 2_000)
@example('"' * 19_999)
def test_compositions(known, text):
    soon(parse_steps, text, len(text))
    soon(lambda text: parse_number(text, "q"), text, len(text))


@fuzz
@given(texts("step", *STEPS).filter(lambda text: not text.endswith((".json", ".toml")) and "\0" not in text))
def test_compositions_with_their_steps(known, text):
    soon(lambda text: read_composition(text, known), text, len(text))


def written(path, text):
    path.write_bytes(content := text.encode("utf-8", errors="surrogatepass"))
    return len(content)


@fuzz
@given(texts("toml", *TOML))
@example("a." * 50_000 + "a=1")
@example("[" + "a ." * 30_000 + "a]")
@example("a=" + "[" * 100_000)
@example('a="' + '\\"' * 100_000)
@example("a=" + "9" * 100_000)
def test_toml(known, tmp_path, text):
    path = tmp_path / "c.toml"
    soon(lambda path: read_composition(str(path), known), path, written(path, text))


@fuzz
@given(texts("json", *JSON))
@example("[" * 100_000)
@example('{"a":' * 100_000)
@example('"' + '\\"' * 100_000)
@example("[" + "9" * 100_000 + "]")
@example('{"steps":[' + '{"name":"a","step":' * 90 + "1" + "}" * 90 + "]}")
def test_json(known, tmp_path, text):
    path = tmp_path / "c.json"
    size = written(path, text)
    for read in (
        lambda path: read_composition(str(path), known),
        lambda path: load_dataset(str(path), "--d0"),
        read_scores,
        read_records,
    ):
        soon(read, path, size)
    if "\0" not in text and not text.endswith((".json", ".npy", ".csv")):
        soon(lambda text: load_dataset(text, "--d0"), text, size)


@fuzz
@given(texts("table", *TABLES))
@example(",".join(f"c{place}" for place in range(20_000)) + "\n1" * 20_000)
@example("in,out\n" + '"' * 200_000)
@example("score,included\n" + "1,1\n" * 50_000)
def test_tables(tmp_path, text):
    path = tmp_path / "s.csv"
    size = written(path, text)
    soon(read_scores, path, size)
    soon(lambda path: load_dataset(str(path), "--d0"), path, size)


HEADERS = st.builds(
    lambda descr, shape, more: f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}{more}",
    st.sampled_from(
        ["'<f8'", "'|O'", "'<U0'", "'|V0'", "[('in', '<f8')]", "'<m8'", "'" + "(" * 3000, "['a'] * 3", "'S9999999999'"]
    ),
    st.one_of(
        st.lists(st.integers(-1, 10**20), max_size=3).map(tuple).map(str),
        st.sampled_from(["(10**12,)", "(0, 10)", "(1000000000000, 0)", "(2, 2)", "(True,)", "3", "(" * 200]),
    ),
    st.sampled_from(["", " " * 100, "(" * 5000, " " * 60_000]),
)


@fuzz
@given(HEADERS, st.binary(max_size=64), st.sampled_from([b"\x01\x00", b"\x02\x00", b"\x03\x00", b"\x09\x00"]))
def test_arrays(tmp_path, header, data, version):
    text = header.encode()[:65_000]
    content = b"\x93NUMPY" + version + len(text).to_bytes(2 if version == b"\x01\x00" else 4, "little") + text + data
    (tmp_path / "d.npy").write_bytes(content)
    with zipfile.ZipFile(tmp_path / "s.npz", "w") as archive:
        archive.writestr("in.npy", content)
        archive.writestr("out.npy", content)
    soon(lambda path: load_dataset(str(path), "--d0"), tmp_path / "d.npy", len(content))
    soon(read_scores, tmp_path / "d.npy", len(content))
    soon(read_scores, tmp_path / "s.npz", len(content))


@fuzz
@given(st.sampled_from(["npy", "npz"]), st.data())
def test_damaged_arrays(tmp_path, kind, data):
    stream = io.BytesIO()
    array = np.array([[0.5, 1.0], [0.2, 0.0], [0.1, 1.0]])
    np.save(stream, array) if kind == "npy" else np.savez_compressed(stream, score=array[:, 0], included=array[:, 1])
    content = bytearray(stream.getvalue())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path / f"s.{kind}"
    path.write_bytes(content[: data.draw(st.integers(0, len(content)))] if data.draw(st.booleans()) else content)
    soon(read_scores, path, len(content))
    if kind == "npy":
        soon(lambda path: load_dataset(str(path), "--d0"), path, len(content))


@fuzz
@given(
    st.recursive(
        st.none() | st.integers() | st.floats() | st.text(),
        lambda each: (
            st.lists(each)
            | st.dictionaries(
                st.sampled_from(["in", "out", "score", "included", "steps", "step", "name", "sigma", "count"]), each
            )
        ),
    )
)
def test_any_json_value(known, tmp_path, value):
    path = tmp_path / "c.json"
    path.write_text(text := json.dumps(value))
    for read in (lambda path: read_composition(str(path), known), read_scores, read_records):
        soon(read, path, len(text))
