from __future__ import annotations

import gc
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ragqa.errors import RetrievalError
from ragqa.ports import SearchQuery
from ragqa.retrieval.embedded import EmbeddedIndex
from ragqa.retrieval.faults import DamagedIndexError
from ragqa.retrieval.opening import Links
from ragqa.retrieval.text_index import TextIndex
from tests.unit.retrieval.shelf import put, titles

Opened = Callable[..., EmbeddedIndex]


@pytest.fixture
def filled(index: EmbeddedIndex) -> EmbeddedIndex:
    put(index, {f"{n}.md": f"kettle number{n} " * 30 for n in range(20)})
    put(index, {"3.md": "changed kettle"})
    return index


def files_of(folder: Path, suffix: str) -> list[Path]:
    return [path for path in (folder / "text-1").iterdir() if path.name.endswith(suffix)]


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def halved(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flipped(path: Path) -> None:
    path.write_bytes(bytes(byte ^ 0xFF for byte in path.read_bytes()))


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-3])


def deleted(path: Path) -> None:
    path.unlink()


SUFFIXES = ["meta.json", ".term", ".idx", ".pos", ".store", ".fast", ".fieldnorm", ".del"]


@pytest.mark.parametrize("damage", [emptied, halved, flipped, cut, deleted])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_damaged_index_says_so_and_indexing_mends_it(
    filled: EmbeddedIndex, opened: Opened, suffix: str, damage: Callable[[Path], None]
) -> None:
    damage(files_of(filled.folder, suffix)[0])
    with pytest.raises(DamagedIndexError) as caught:
        opened().retrieve(SearchQuery("kettle"))
    assert "ragqa index PATH" in caught.value.hint
    assert caught.value.exit_code == 4
    mended = opened()
    assert dict(mended.files()) == {}, "nothing counts as indexed"
    put(mended, {"a.md": "kettle"})
    assert titles(mended, "kettle") == titles(opened(), "kettle") == ["a.md"]
    assert [path.name for path in filled.folder.iterdir()] == ["text-1"]


def test_damage_while_it_is_open(filled: EmbeddedIndex) -> None:
    assert titles(filled, "number7") == ["7.md"]
    shutil.rmtree(filled.folder)
    with pytest.raises(RetrievalError, match="no index"):
        titles(filled, "number7")
    put(filled, {"a.md": "kettle"})
    assert titles(filled, "kettle") == ["a.md"]


def test_an_index_of_another_format_asks_for_indexing(
    filled: EmbeddedIndex, opened: Opened
) -> None:
    (filled.folder / "text-1").rename(filled.folder / "text-0")
    index = opened()
    with pytest.raises(RetrievalError, match="another version") as caught:
        titles(index, "kettle")
    assert "ragqa index PATH" in caught.value.hint
    assert dict(index.files()) == {}
    with pytest.raises(ZeroDivisionError), index.writer():
        raise ZeroDivisionError
    assert (filled.folder / "text-0").exists(), "the old one stays until there is a new one"
    put(index, {"a.md": "kettle"})
    assert titles(index, "kettle") == ["a.md"]
    assert not (filled.folder / "text-0").exists()


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    index = EmbeddedIndex(tmp_path / "file" / "index")
    with pytest.raises(RetrievalError, match="access is denied") as caught:
        put(index, {"a.md": "kettle"})
    assert "RAGQA_HOME" in caught.value.hint
    with pytest.raises(RetrievalError):
        titles(index, "kettle")
    assert index.version() == "none"


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere"
)
@pytest.mark.parametrize("mode", [0o500, 0o000])
def test_a_folder_that_may_not_be_written(filled: EmbeddedIndex, opened: Opened, mode: int) -> None:
    inner = filled.folder / "text-1"
    inner.chmod(mode)
    try:
        with pytest.raises(RetrievalError) as caught:
            put(opened(), {"a.md": "kettle"})
        assert "RAGQA_HOME" in caught.value.hint
    finally:
        inner.chmod(0o700)


def test_the_folder_is_private(filled: EmbeddedIndex) -> None:
    assert filled.folder.stat().st_mode & 0o077 == 0


def test_two_that_make_the_index_at_once_share_one(folder: Path) -> None:
    first, second = TextIndex(folder, lock_wait_s=0), TextIndex(folder, lock_wait_s=0)
    assert first.state() == second.state() == "missing"
    first._make(instead=False)
    writer = first.open_writer()
    second._make(instead=False)
    assert first.view().version == second.view().version
    with pytest.raises(RetrievalError, match="Another process"):
        second.open_writer()
    writer.wait_merging_threads()
    assert [path.name for path in folder.iterdir()] == ["text-1"]


def test_leftovers_of_a_dead_process_are_swept_when_they_are_old(filled: EmbeddedIndex) -> None:
    old, young = filled.folder / "new-0a", filled.folder / "new-0b"
    for path in (old, young):
        path.mkdir()
    hours_ago_s = time.time() - 7200
    os.utime(old, (hours_ago_s, hours_ago_s))
    put(filled, {"a.md": "kettle"})
    assert not old.exists()
    assert young.exists()


def test_many_small_changes_leave_few_files_and_little_waste(index: EmbeddedIndex) -> None:
    text = " ".join(f"word{n}" for n in range(3000))
    put(index, {"a.md": text, "b.md": text})
    first_bytes = index.stats().size_bytes
    for round_ in range(40):
        put(index, {"a.md": f"{text} {round_}"})
    assert index.stats().size_bytes < 8 * first_bytes
    assert len(list((index.folder / "text-1").iterdir())) < 120
    assert titles(index, "39") == ["a.md"]


def deny(folder: Path) -> Path:
    """Make tantivy's lock for reading fail as on a disk that is read only, for root too."""
    lock = next((folder / "text-1").glob(".tantivy-meta.lock"))
    lock.unlink()
    lock.symlink_to("/dev/null/none")
    return lock


def test_an_index_that_cannot_be_locked_is_read_through_links(filled: EmbeddedIndex) -> None:
    lock = deny(filled.folder)
    reader = EmbeddedIndex(filled.folder)
    assert titles(reader, "number7") == ["7.md"]
    version = reader.version()
    lock.unlink()
    put(filled, {"new.md": "kettle number77"})
    deny(filled.folder)
    assert titles(reader, "number77") == ["new.md"]
    assert reader.version() != version


def test_links_go_when_nobody_holds_them(filled: EmbeddedIndex) -> None:
    links = Links(filled.folder / "text-1")
    folder = links.folder
    assert (folder / "meta.json").is_symlink()
    assert not list(folder.glob("*.lock"))
    del links
    gc.collect()
    assert not folder.exists()
    assert titles(filled, "number7") == ["7.md"]
