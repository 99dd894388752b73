from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ragqa.errors import RetrievalError
from ragqa.retrieval.embedded import EmbeddedIndex
from tests.unit.retrieval.shelf import WordEmbeddings, chunks, file, put, titles

Opened = Callable[..., EmbeddedIndex]

REPOSITORY = Path(__file__).parents[3]


def test_an_exception_discards_everything(opened: Opened, embeddings: WordEmbeddings) -> None:
    for index in (opened(), opened(embeddings=embeddings)):
        put(index, {"a.md": "kettle", "b.md": "kettle"})
        before = index.version()
        with pytest.raises(KeyboardInterrupt), index.writer() as writer:  # noqa: PT012
            writer.remove("a.md")
            writer.replace(file("b.md"), chunks("b.md", "pan"))
            writer.replace(file("c.md"), chunks("c.md", "pan"))
            raise KeyboardInterrupt
        assert index.version() == before
        assert titles(index, "kettle", search_type="keyword") == ["a.md", "b.md"]
        assert titles(index, "pan", search_type="keyword") == []
        put(index, {"c.md": "pot"})
        assert titles(index, "pot", search_type="keyword") == ["c.md"]
        assert titles(index, "pan", search_type="keyword") == [], "nothing of it comes back"


def test_nothing_is_visible_before_the_writer_is_left(opened: Opened) -> None:
    writing, reading = opened(), opened()
    put(writing, {"a.md": "kettle"})
    with writing.writer() as writer:
        writer.replace(file("a.md", "2"), chunks("a.md", "pan"))
        for index in (reading, writing, opened()):
            assert titles(index, "kettle") == ["a.md"]
            assert titles(index, "pan") == []
            assert index.files()["a.md"].content_hash == "1"
    for index in (reading, writing, opened()):
        assert titles(index, "kettle") == []
        assert index.files()["a.md"].content_hash == "2"


def test_a_second_writer_waits_for_the_first(opened: Opened) -> None:
    put(opened(), {"a.md": "kettle"})
    entered, order = threading.Event(), []

    def first() -> None:
        with opened().writer() as writer:
            entered.set()
            time.sleep(0.3)
            writer.replace(file("a.md"), chunks("a.md", "kettle first"))
            order.append("first")

    thread = threading.Thread(target=first)
    thread.start()
    entered.wait()
    with opened(lock_wait_s=30.0).writer() as writer:
        order.append("second")
        writer.replace(file("b.md"), chunks("b.md", "kettle second"))
    thread.join()
    assert order == ["first", "second"]
    assert set(titles(opened(), "first second")) == {"a.md", "b.md"}


def test_a_second_writer_gives_up_in_the_end(opened: Opened) -> None:
    waiting, began_s = opened(lock_wait_s=0.2), time.monotonic()
    with opened().writer(), pytest.raises(RetrievalError) as caught, waiting.writer():
        pass
    assert time.monotonic() - began_s >= 0.2
    assert "Another process is indexing" in caught.value.message
    assert caught.value.hint


def run(code: str, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *args],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


FULL_DISK = """
    import resource, signal, sys
    from pathlib import Path
    from ragqa.errors import RetrievalError
    from ragqa.retrieval.embedded import EmbeddedIndex
    from tests.unit.retrieval.shelf import WordEmbeddings, put

    embeddings = WordEmbeddings(dimensions=1024) if sys.argv[2] == "vectors" else None
    index = EmbeddedIndex(Path(sys.argv[1]), embeddings=embeddings)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
    try:
        put(index, {f"{n}.md": " ".join(f"w{n * m}" for m in range(500)) for n in range(500)})
    except RetrievalError as error:
        print(error.message, "|", error.hint)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs RLIMIT_FSIZE")
@pytest.mark.parametrize("kind", ["text", "vectors"])
def test_a_full_disk_leaves_the_old_index(index: EmbeddedIndex, kind: str) -> None:
    put(index, {"a.md": "kettle"})
    done = run(FULL_DISK, str(index.folder), kind)
    assert "disk is full" in done.stdout, done.stderr
    assert "ragqa index PATH" in done.stdout
    assert "Traceback" not in done.stderr
    assert titles(index, "kettle") == ["a.md"]
    put(index, {"b.md": "kettle"})
    assert set(titles(index, "kettle")) == {"a.md", "b.md"}
