"""MNIST and Fashion-MNIST: always with small files of the same shape, and with the real ones where they are."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.datasets import files
from dpverify.datasets.dataset import load_table
from dpverify.datasets.files import DataFile
from dpverify.datasets.mnist import IMAGE_SETS, parse_idx

IMAGES = bytes([0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 51, 102, 255])
LABELS = bytes([0, 0, 8, 1, 0, 0, 0, 2, 9, 4])


def put(folder: Path, name: str, content: bytes) -> DataFile:
    (folder / f"{name}.gz").write_bytes(gzip.compress(content))
    return DataFile(folder=folder.name, name=name, packing=".gz", sha256=hashlib.sha256(content).hexdigest())


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with tiny files in the place of MNIST's."""
    folder = tmp_path / "mnist"
    folder.mkdir()
    known = (put(folder, "images", IMAGES), put(folder, "labels", LABELS))
    monkeypatch.setitem(IMAGE_SETS, "mnist", replace(IMAGE_SETS["mnist"], files=known))
    monkeypatch.setattr(files, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setenv(files.VARIABLE, str(tmp_path))
    return folder


def test_images_become_rows_in_the_unit_box(toy: Path) -> None:
    assert IMAGE_SETS["mnist"].available()
    table = IMAGE_SETS["mnist"].load()
    assert table.features.tolist() == [[0.0, 0.2], [0.4, 1.0]]
    assert table.labels.tolist() == [9.0, 4.0]
    assert table.name == "mnist"
    assert table.sha256 == "+".join(hashlib.sha256(content).hexdigest() for content in (IMAGES, LABELS))


def test_it_is_parsed_once_and_again_when_a_file_changes(toy: Path) -> None:
    first = IMAGE_SETS["mnist"].load()
    assert IMAGE_SETS["mnist"].load() is first
    (toy / "labels.gz").write_bytes(gzip.compress(LABELS, compresslevel=0))  # another size
    assert IMAGE_SETS["mnist"].load() is not first


def test_a_damaged_or_missing_file_is_one_line(toy: Path) -> None:
    (toy / "labels.gz").write_bytes(gzip.compress(LABELS[:-1] + b"\5"))
    with pytest.raises(InputError, match="sha256"):
        IMAGE_SETS["mnist"].load()
    (toy / "labels.gz").unlink()
    assert not IMAGE_SETS["mnist"].available()
    with pytest.raises(InputError, match=r"mnist/labels\.gz is not here.*DPVERIFY_DATA"):
        IMAGE_SETS["mnist"].load()


def test_as_many_labels_as_images(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    labels = put(toy, "labels", bytes([0, 0, 8, 1, 0, 0, 0, 1, 9]))
    toys = IMAGE_SETS["mnist"]
    monkeypatch.setitem(IMAGE_SETS, "mnist", replace(toys, files=(toys.files[0], labels)))
    with pytest.raises(InputError, match="features of shape"):
        IMAGE_SETS["mnist"].load()


def test_another_name() -> None:
    with pytest.raises(InputError, match="mnist-test"):
        load_table("mnist-train")


if all(
    each.available() for each in IMAGE_SETS.values()
):  # definitions and no skips: without the files nothing is to be said

    def check(name: str, rows: int, mean: float, spread: float, counts: list[int]) -> None:
        """Against the pixels' mean and standard deviation that the field normalises with."""
        table = load_table(name)
        assert (table.rows, table.columns, table.name) == (rows, 784, name)
        assert np.bincount(table.labels.astype(int)).tolist() == counts
        assert (table.features.min(), table.features.max()) == (0.0, 1.0)
        assert table.features.mean() == pytest.approx(mean, abs=5e-5)
        assert table.features.std() == pytest.approx(spread, abs=5e-5)

    def test_the_real_test_sets() -> None:
        check("mnist-test", 10_000, 0.1325, 0.3105, [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009])
        check("fashion-mnist-test", 10_000, 0.2868, 0.3524, [1000] * 10)

    @pytest.mark.slow
    def test_the_real_training_sets() -> None:
        counts = [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]
        check("mnist", 60_000, 0.1307, 0.3081, counts)
        check("fashion-mnist", 60_000, 0.2860, 0.3530, [6000] * 10)
        files.forget()  # 750 MB


IDX_IMAGES = bytes([0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 1, 2, 3, 4, 5, 255])


def test_small_images() -> None:
    assert parse_idx(IDX_IMAGES, dimensions=3).tolist() == [[[1, 2, 3]], [[4, 5, 255]]]
    assert parse_idx(bytes([0, 0, 8, 1, 0, 0, 0, 0]), dimensions=1).shape == (0,)


def test_dimensions_are_big_endian() -> None:
    content = bytes([0, 0, 8, 1, 0, 0, 1, 2]) + bytes(258)
    assert parse_idx(content, dimensions=1).shape == (258,)
    assert parse_idx(content, dimensions=1).dtype == np.uint8


@pytest.mark.parametrize(
    "content",
    [
        b"",
        IDX_IMAGES[:3],
        IDX_IMAGES[:10],
        IDX_IMAGES[:-1],
        IDX_IMAGES + b"x",
        b"\1" + IDX_IMAGES[1:],
        IDX_IMAGES[:2] + b"\x0d" + IDX_IMAGES[3:],
        IDX_IMAGES[:3] + b"\1" + IDX_IMAGES[4:],
    ],
)
def test_what_is_no_such_file_is_one_line(content: bytes) -> None:
    with pytest.raises(InputError, match="pictures"):
        parse_idx(content, dimensions=3, name="pictures")
