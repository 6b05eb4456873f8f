"""Names of references: apart at commas outside of parentheses, with settings of one's own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.frontier.reference_text import parsed_reference, references_of

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
