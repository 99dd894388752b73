"""What a killed process leaves behind: the old index or the new one, and no lock."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ragqa.contract import Strategy
from ragqa.errors import RetrievalError
from ragqa.ports import SearchQuery
from ragqa.retrieval.embedded import EmbeddedIndex
from tests.unit.retrieval.shelf import WordEmbeddings, put

REPOSITORY = Path(__file__).parents[3]
FILES = 6

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")

WRITER = f"""
    import sys
    from pathlib import Path
    from ragqa.retrieval.embedded import EmbeddedIndex
    from tests.unit.retrieval.shelf import WordEmbeddings, put

    folder, kind, round_ = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    embeddings = None
    if kind == "vectors":
        import numpy
        embeddings = WordEmbeddings()
    print("ready", flush=True)
    while True:
        round_ += 1
        texts = [f"kettle round{{round_}}", "pan " * 500]
        put(EmbeddedIndex(folder, embeddings=embeddings),
            {{f"{{n}}.md": texts for n in range({FILES})}})
        print("committed", flush=True)
"""

HOLDER = """
    import sys, time
    from pathlib import Path
    from ragqa.retrieval.embedded import EmbeddedIndex

    with EmbeddedIndex(Path(sys.argv[1])).writer():
        print("ready", flush=True)
        time.sleep(float(sys.argv[2]))
"""


@contextmanager
def process(code: str, *args: object) -> Iterator[subprocess.Popen[str]]:
    """Start a process and wait until it says that it is ready."""
    started = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, args)],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert started.stdout is not None
        assert started.stdout.readline().strip() == "ready"
        yield started
    finally:
        started.kill()
        started.communicate()


def files_of(round_: int) -> dict[str, str]:
    return {f"{n}.md": f"kettle round{round_}" for n in range(FILES)}


def round_in(index: EmbeddedIndex, search_type: str | None = None) -> int:
    """Return the round that all files are of; fail where they differ or some are missing."""
    query = SearchQuery("kettle", k=10 * FILES, strategy=Strategy(search_type=search_type))
    passages = [p for p in index.retrieve(query) if p.text.startswith("kettle")]
    assert sorted(p.title for p in passages) == [f"{n}.md" for n in range(FILES)]
    assert sorted(index.files()) == [f"{n}.md" for n in range(FILES)]
    (round_,) = {int(p.text.removeprefix("kettle round")) for p in passages}
    return round_


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", ["text", "vectors"])
def test_killed_at_any_moment(folder: Path, kind: str) -> None:
    chance = random.Random(kind)
    embeddings = WordEmbeddings() if kind == "vectors" else None
    newest = 1
    put(EmbeddedIndex(folder, embeddings=embeddings), files_of(newest))
    for attempt in range(15):
        with process(WRITER, folder, kind, newest) as writer:
            if attempt % 3 == 0:
                assert writer.stdout is not None
                writer.stdout.readline()  # once committed, it is killed in a later round
            time.sleep(chance.uniform(0.0, 0.2))
            writer.send_signal(signal.SIGKILL)
        index = EmbeddedIndex(folder, embeddings=embeddings, lock_wait_s=0)
        kept = round_in(index)
        assert kept > newest if attempt % 3 == 0 else kept >= newest
        newest = kept + 1
        put(index, files_of(newest))
        assert round_in(index) == newest


def test_killed_before_there_is_an_index(folder: Path) -> None:
    chance = random.Random(1)
    for _ in range(5):
        with process(WRITER, folder, "text", 0) as writer:
            time.sleep(chance.uniform(0.0, 0.03))
            writer.send_signal(signal.SIGKILL)
        index = EmbeddedIndex(folder, lock_wait_s=0)
        if index.files():
            assert round_in(index) > 0
    put(index, files_of(1))
    assert round_in(index) == 1


def test_the_lock_is_free_after_a_kill(folder: Path) -> None:
    with process(HOLDER, folder, 60) as holder:
        index = EmbeddedIndex(folder, lock_wait_s=0.2)
        with pytest.raises(RetrievalError, match="Another process is indexing"), index.writer():
            pass
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        put(index, {"a.md": "kettle"})
    assert list(index.files()) == ["a.md"]


def test_a_writer_waits_for_another_process(folder: Path) -> None:
    with process(HOLDER, folder, 0.5):
        index = EmbeddedIndex(folder, lock_wait_s=30)
        put(index, {"a.md": "kettle"})
    assert list(index.files()) == ["a.md"]


READER = """
    import sys
    from pathlib import Path
    from ragqa.retrieval.embedded import EmbeddedIndex
    from tests.unit.retrieval.test_killed import round_in

    index = EmbeddedIndex(Path(sys.argv[1]))
    print("ready", flush=True)
    seen = [round_in(index)]
    while len(set(seen)) < 5:
        seen.append(round_in(index))
    print(seen == sorted(seen), flush=True)
"""


@pytest.mark.timeout(120)
def test_processes_read_while_one_writes(folder: Path) -> None:
    index = EmbeddedIndex(folder)
    put(index, files_of(0))
    with (
        process(READER, folder) as first,
        process(READER, folder) as second,
        process(WRITER, folder, "text", 0),
    ):
        mine = [round_in(index)]
        while len(set(mine)) < 5:
            mine.append(round_in(index))
        said = [reader.communicate(timeout=60)[0] for reader in (first, second)]
    assert mine == sorted(mine)
    assert [text.strip() for text in said] == ["True", "True"]
