import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditors.privacy.event.cell_lookup import add_steps, cell_counts, cell_numbers, look_up

NUMBERS = st.floats(-1e300, 1e300) | st.sampled_from([0.0, -0.0, 1.0, 5e-324])


def test_a_number_at_an_edge_lies_above_it():
    edges = np.array([-1.0, 0.0, 2.0])
    assert cell_numbers(np.array([-2.0, -1.0, -0.5, 0.0, -0.0, 1.0, 2.0, 3.0]), edges).tolist() == [
        0, 1, 1, 2, 2, 2, 3, 3,
    ]  # fmt: skip


def test_without_edges_there_is_one_cell():
    assert cell_numbers(np.array([1.0, -1.0]), np.empty(0)).tolist() == [0, 0]
    total = np.ones(2)
    add_steps(total, np.array([1.0, -1.0]), np.empty(0), np.array([0.5]))
    assert total.tolist() == [1.5, 1.5]


def test_infinite_numbers_lie_outside_all_edges():
    """Of few edges, and of many, with and without padding (15 need none)."""
    for count in (6, 7, 14, 15):
        assert cell_numbers(np.array([-np.inf, np.inf]), np.arange(float(count))).tolist() == [0, count]


@given(values=st.lists(NUMBERS, max_size=40), edges=st.lists(NUMBERS, max_size=20, unique_by=lambda x: x + 0.0))
def test_numpy_finds_the_same_cells(values, edges):
    x, table = np.array(values, dtype=np.float64), np.sort(np.array(edges, dtype=np.float64))
    assert (cell_numbers(x, table) == np.searchsorted(table, x, side="right")).all()


@pytest.mark.parametrize("count", [1, 2, 3, 26, 255, 256, 600])
@pytest.mark.parametrize("size", [1, 1023, 1024, 1025, 5000])
def test_blocks_and_paddings_of_every_size(count, size):
    rng = np.random.default_rng(0)
    edges = np.unique(rng.integers(-500, 500, count) / 4.0)
    values, steps = rng.integers(-600, 600, size) / 4.0, rng.normal(size=edges.size + 1)
    cells = np.searchsorted(edges, values, side="right")
    assert (cell_numbers(values, edges) == cells).all()
    assert (cell_counts(values, edges) == np.bincount(cells, minlength=edges.size + 1)).all()
    total = rng.normal(size=size)
    expected = total + steps[cells]
    add_steps(total, values, edges, steps)
    assert (total == expected).all()


@pytest.mark.parametrize("crowd", [1, 2, 3, 4, 5, 40])
@pytest.mark.parametrize("times", [1, 100])
def test_edges_close_together_and_others_far_away(crowd, times):
    """Up to four in a piece are compared one by one, of more the cell is found by halving; with few numbers and with so
    many that pieces are finer. The first crowd stands at the start of the span, the second at its end."""
    close = np.arange(crowd) * 2.0**-30
    for edges in (
        np.append(1.0 + close, 1e6 + 1e5 * np.arange(12)),
        np.append(np.arange(-12.0, 0.0) * 1e5, 1e6 + close),
    ):
        near = np.concatenate([edges, np.nextafter(edges, -np.inf), np.nextafter(edges, np.inf), [-np.inf, np.inf]])
        values = np.tile(near, times)
        assert (cell_numbers(values, edges) == np.searchsorted(edges, values, side="right")).all()


@pytest.mark.parametrize("more", [0, 20])
def test_spans_beyond_all_numbers_and_below_all_differences(more):
    """Of few edges and of many: a span that overflows, one that is below what a product can tell apart."""
    far, tiny = np.linspace(-1e300, 1e300, more), np.arange(2, 2 + more) * 5e-324
    for edges in (np.unique([-1.7e308, *far, 0.0, 1.7e308]), np.array([0.0, 5e-324, *tiny])):
        near = np.concatenate([edges, np.nextafter(edges, -np.inf), np.nextafter(edges, np.inf)])
        values = np.append(near, [-np.inf, -1.0, -0.0, 5e-324, 1.0, np.inf])
        assert (cell_numbers(values, edges) == np.searchsorted(edges, values, side="right")).all()


@pytest.mark.parametrize("kind", [np.int8, np.int64, np.float32])
def test_other_types_and_strides_count_as_their_numbers(kind):
    values = np.arange(12).reshape(4, 3).astype(kind)
    assert cell_numbers(values[:, 1], np.array([1.0, 4.5, 10.0])).tolist() == [1, 1, 2, 3]


@given(
    known=st.dictionaries(st.integers(0, 2**64 - 1), st.floats(-9, 9), min_size=1, max_size=40),
    others=st.lists(st.integers(0, 2**64 - 1), max_size=20),
)
def test_keys_are_looked_up_as_a_dictionary_does(known, others):
    keys = np.array(sorted(known), dtype=np.uint64)
    asked = [*known, *others, 0, 2**64 - 1]
    found = np.full(len(asked), 100.0)
    look_up(np.array(asked, dtype=np.uint64), keys, np.array([known[key] for key in sorted(known)]), found)
    assert found.tolist() == [known.get(key, 100.0) for key in asked]
