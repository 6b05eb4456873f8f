"""Tables as experiments prepare them."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.datasets.shaped import centred_pixels, first_rows, unit_rows
from dpverify.datasets.table import Table

TABLE = Table(features=np.array([[0.0, 1.0], [3.0, 4.0], [0.5, 0.0]]), labels=np.ones(3))


def test_rows_in_the_ball():
    assert np.allclose(unit_rows(TABLE).features, [[0, 1], [0.6, 0.8], [0.5, 0]])


def test_pixels_about_zero():
    assert np.allclose(centred_pixels(TABLE).features[0], [-1.0, 1.0])


def test_the_first_records():
    assert first_rows(TABLE, count=2).rows == 2
    with pytest.raises(InputError, match="the first 4 of 3 records"):
        first_rows(TABLE, count=4)
