import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.frontier.references import Reference, parsed_reference, references_of, without_privacy
from dpverify.sampling.streams import stream


def table(rows=300, classes=2):
    rng = np.random.default_rng(4)
    marks = rng.integers(0, classes, rows)
    features = rng.normal(size=(rows, 4)) * 0.1 + 0.5 * np.eye(4)[marks]
    labels = 2.0 * marks - 1 if classes == 2 else marks.astype(float)
    return Table(features=features, labels=labels).normalised()


def reference(name, **words):
    return Reference(**{"name": name, "classes": 2, "delta": 1e-5, "relation": "add-remove", **words})


@pytest.mark.parametrize("name", ["dp-sgd", "obj-pert", "dp-adam"])
def test_a_reference_costs_no_more_than_was_asked_and_learns(name):
    found = reference(name)
    assert 7.2 < found.at(8.0, 300).epsilon <= 8.0
    model = found.train(table(), epsilon=8.0, rng=stream(0, "test"))
    assert np.mean(model.outputs(table().features)[1] == table().labels) > 0.7  # by chance 0.5 +- 0.03


def test_a_batch_becomes_the_algorithms_own_field():
    assert reference("dp-sgd").settings(10_000)["rate"] == pytest.approx(0.2048)
    assert reference("dp-sgd").settings(100)["rate"] == 1.0
    assert reference("dp-sgd-fixed-size").settings(10_000)["batch_size"] == 2048
    assert reference("dp-sgd").chosen
    assert not reference("priv-gene").chosen
    assert reference("dp-sgd", classes=3).settings(100)["model"] == "softmax:3"


def test_settings_of_ones_own_are_over_the_chosen_ones():
    own = reference("dp-sgd(steps=7, batch=30, clip=2)")
    assert own.settings(300) == {**reference("dp-sgd").settings(300), "steps": 7, "rate": 0.1, "clip": 2}
    assert own.at(8.0, 300).algorithm.steps == 7
    assert own.at(8.0, 300).epsilon <= 8.0
    assert own.chosen
    assert reference("dp-sgd(rate=0.25)").settings(300)["rate"] == 0.25
    assert reference("priv-gene(rounds=3)").settings(300)["rounds"] == 3


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("dp-sgd(step=7)", "step of the reference dp-sgd; allowed: .*steps"),
        ("dp-sgd(noise_multiplier=0.1)", "the noise follows from epsilon and delta"),
        ("dp-sgd(steps=-1)", "steps"),
    ],
)
def test_settings_that_cannot_be_are_one_line(name, says):
    with pytest.raises(InputError, match=says):
        reference(name).at(1.0, 300)


def test_several_classes():
    data = table(classes=3)
    model = reference("dp-adam", classes=3).train(data, epsilon=8.0, rng=stream(0, "test"))
    assert set(model.outputs(data.features)[1]) <= {0.0, 1.0, 2.0}
    best = without_privacy(data, 3)
    assert np.mean(best.outputs(data.features)[1] == data.labels) > 0.9


def test_what_cannot_be_certified_is_one_line():
    for name, words, says in (
        ("majority", {}, "Majority"),
        ("out-pert-gd", {}, "one is under replace"),
        ("laplace", {}, "trains no model"),
    ):
        with pytest.raises(InputError, match=says):
            reference(name, **words).at(1.0, 300)


NAMES = st.from_regex(r"[a-z]+(-[a-z]+)?", fullmatch=True)
KEYS = st.from_regex(r"[a-z_]+", fullmatch=True)
VALUES = st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.booleans()


def text_of(name, settings):
    words = {True: "true", False: "false"}
    inside = ", ".join(f"{k}={words[v] if isinstance(v, bool) else repr(v)}" for k, v in settings.items())
    return f"{name}({inside})" if settings else name


@given(st.lists(st.tuples(NAMES, st.dictionaries(KEYS, VALUES, max_size=3)), max_size=4))
def test_what_is_written_is_read(references):
    texts = [text_of(*each) for each in references]
    assert references_of(" ,".join(texts)) == tuple(texts)
    assert [parsed_reference(each) for each in texts] == references


def test_texts_need_no_quotes_and_nothing_is_no_reference():
    assert parsed_reference("dp-sgd(model=mlp:4-2, l='x')") == ("dp-sgd", {"model": "mlp:4-2", "l": "x"})
    assert references_of("") == references_of(" , ") == ()


@pytest.mark.parametrize("text", ["dp-sgd(steps)", "dp-sgd(steps=1, steps=2)", "(steps=1)", "dp-sgd(steps=1", "a b"])
def test_another_form_is_one_line(text):
    with pytest.raises(InputError, match="reference"):
        parsed_reference(text)
