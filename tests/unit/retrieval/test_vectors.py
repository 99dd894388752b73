from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from ragqa.errors import RetrievalError
from ragqa.retrieval.vectors import VectorFiles


def keys(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.uint64)


def rows(*values: float) -> np.ndarray:
    return np.array([[value, 1.0] for value in values], dtype=np.float32)


@pytest.fixture
def files(tmp_path: Path) -> VectorFiles:
    return VectorFiles(tmp_path, "model")


def held(files: VectorFiles) -> dict[int, float]:
    vectors = files.read()
    assert vectors is not None
    return dict(zip(vectors.keys.tolist(), vectors.rows[:, 0].tolist(), strict=True))


def on_disk(tmp_path: Path) -> list[str]:
    return sorted(path.suffix for path in tmp_path.rglob("*") if path.is_file())


def test_rows_are_kept_by_key(files: VectorFiles, tmp_path: Path) -> None:
    assert files.read() is None
    files.append(keys(1, 2**64 - 1), rows(0.5, 0.25))
    assert held(files) == {1: 0.5, 2**64 - 1: 0.25}
    files.append(keys(3), rows(0.125))
    again = VectorFiles(tmp_path, "model")
    assert held(files) == held(again) == {1: 0.5, 2**64 - 1: 0.25, 3: 0.125}
    assert VectorFiles(tmp_path, "other").read() is None


def test_scores_are_cosines(files: VectorFiles) -> None:
    files.append(keys(1, 2), np.array([[1.0, 0.0], [0.6, 0.8]], dtype=np.float32))
    vectors = files.read()
    assert vectors is not None
    scores = vectors.scores(np.array([[0.0, 1.0]], dtype=np.float32))
    assert scores.tolist() == pytest.approx([0.0, 0.8])


@pytest.mark.parametrize("torn", ["rows", "keys"])
def test_what_was_written_by_halves_does_not_count(
    files: VectorFiles, tmp_path: Path, torn: str
) -> None:
    files.append(keys(1), rows(0.5))
    (path,) = tmp_path.rglob(f"*.{torn}")
    with path.open("ab") as file:
        file.write(b"\x01\x02\x03" if torn == "keys" else bytes(8 + 3))
    fresh = VectorFiles(tmp_path, "model")
    assert held(fresh) == {1: 0.5}
    fresh.append(keys(2), rows(0.25))
    assert held(fresh) == {1: 0.5, 2: 0.25}


def test_vectors_of_another_size_begin_anew(files: VectorFiles) -> None:
    files.append(keys(1), rows(0.5))
    files.append(keys(2), np.ones((1, 3), dtype=np.float32))
    vectors = files.read()
    assert vectors is not None
    assert vectors.keys.tolist() == [2]
    with pytest.raises(RetrievalError, match="2 numbers") as caught:
        vectors.scores(rows(1.0))
    assert "ragqa index PATH" in caught.value.hint


def test_orphans_are_swept_where_they_are_many(files: VectorFiles, tmp_path: Path) -> None:
    files.append(keys(*range(20)), rows(*range(20)))
    files.sweep(keys(*range(1, 20)))
    assert len(held(files)) == 20, "one in twenty may stay"
    files.sweep(keys(*range(3, 20)))
    assert held(files) == {n: float(n) for n in range(3, 20)}
    assert on_disk(tmp_path) == [".json", ".keys", ".rows"]


def test_which_version_is_covered_is_kept_with_the_rows(files: VectorFiles, tmp_path: Path) -> None:
    files.covers("v1")
    files.append(keys(1, 2), rows(0.5, 0.25))
    files.covers("v1")
    again = VectorFiles(tmp_path, "model")
    vectors = again.read()
    assert vectors is not None
    assert vectors.cover("v1")
    assert not vectors.cover("v2")
    for path in tmp_path.rglob("*.rows"):
        path.write_bytes(path.read_bytes()[:8])
    lost = again.read()
    assert lost is not None
    assert not lost.cover("v1")


def test_a_key_that_was_written_twice_is_kept_once(files: VectorFiles) -> None:
    files.append(keys(1, 1, 1, 2), rows(0.5, 0.5, 0.5, 0.25))
    files.sweep(keys(1, 2))
    vectors = files.read()
    assert vectors is not None
    assert vectors.keys.tolist() == [1, 2]


def test_nothing_is_left_where_all_are_orphans(files: VectorFiles) -> None:
    files.append(keys(1), rows(0.5))
    files.sweep(keys())
    assert held(files) == {}
    files.append(keys(2), rows(0.25))
    assert held(files) == {2: 0.25}


@pytest.mark.skipif(sys.platform == "win32", reason="a mapped file cannot be deleted there")
def test_a_reader_keeps_what_it_read_through_a_sweep(tmp_path: Path) -> None:
    writing, reading = VectorFiles(tmp_path, "model"), VectorFiles(tmp_path, "model")
    writing.append(keys(1, 2), rows(0.5, 0.25))
    old = reading.read()
    writing.sweep(keys(2))
    assert old is not None
    assert old.rows[:, 0].tolist() == [0.5, 0.25]
    assert held(reading) == {2: 0.25}


def test_a_sweep_deletes_the_vectors_of_other_models(tmp_path: Path) -> None:
    old, new = VectorFiles(tmp_path, "old"), VectorFiles(tmp_path, "new")
    old.append(keys(1), rows(0.5))
    new.append(keys(1), rows(0.5))
    assert held(old)
    new.sweep(keys(1))
    assert old.read() is None
    assert held(new) == {1: 0.5}


@pytest.mark.parametrize("lost", ["rows", "keys"])
def test_files_that_were_lost_begin_anew(files: VectorFiles, tmp_path: Path, lost: str) -> None:
    files.append(keys(1), rows(0.5))
    next(tmp_path.rglob(f"*.{lost}")).unlink()
    assert files.read() is None
    files.append(keys(2), rows(0.25))
    assert held(files) == {2: 0.25}


@pytest.mark.parametrize("text", ["", "{", "[]", '{"model": "m"}', "\x00"])
def test_a_manifest_that_cannot_be_read_counts_as_none(
    files: VectorFiles, tmp_path: Path, text: str
) -> None:
    files.append(keys(1), rows(0.5))
    (path,) = tmp_path.rglob("manifest.json")
    path.write_text(text)
    assert files.read() is None
    files.append(keys(2), rows(0.25))
    assert held(files) == {2: 0.25}
