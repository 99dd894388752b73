"""Ingestion into the real index on disk: incremental, and whole whenever the process dies."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ragqa.ingest import sync
from ragqa.ports import SearchQuery
from ragqa.retrieval.embedded import EmbeddedIndex


@pytest.fixture
def project(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "returns.md").write_text("# Returns\n\nA lamp can be returned within 45 days.\n")
    (docs / "退货.txt").write_bytes("台灯签收后45天内可退货。".encode("gbk"))
    (docs / "prices.csv").write_text("model;price\nL9;39\nL8;29\n")
    return tmp_path


def test_documents_are_found_once_however_often_they_are_indexed(project: Path) -> None:
    index = EmbeddedIndex(project / ".ragqa/index")
    home = project / ".ragqa"
    assert sync([str(project)], index, project=project, home=home).added == 3
    version, files = index.version(), index.files()
    report = sync([str(project)], index, project=project, home=home)
    assert (report.added, report.updated, report.unchanged, report.removed) == (0, 0, 3, 0)
    assert (index.version(), index.files()) == (version, files)
    (passage,) = index.retrieve(SearchQuery("How long can I return a lamp?"))
    assert (passage.title, passage.heading) == ("returns.md", "Returns")
    assert passage.text == "# Returns\n\nA lamp can be returned within 45 days.\n"
    (passage,) = index.retrieve(SearchQuery("台灯多少天内可以退货？"))
    assert passage.text == "台灯签收后45天内可退货。"
    (passage,) = index.retrieve(SearchQuery("price of L8"), None)[:1]
    assert passage.text == "model: L8; price: 29\n"


def test_namesakes_are_renamed_in_the_index(project: Path) -> None:
    index = EmbeddedIndex(project / ".ragqa/index")
    sync([str(project / "docs")], index, project=project)
    (project / "old").mkdir()
    (project / "old/returns.md").write_text("A lamp could be returned within 10 days.\n")
    sync([str(project / "old")], index, project=project)
    titles = {passage.title for passage in index.retrieve(SearchQuery("returned lamp"))}
    assert titles == {"docs/returns.md", "old/returns.md"}
    (project / "old/returns.md").unlink()
    assert sync([str(project / "old")], index, project=project).removed == 1
    assert {p.title for p in index.retrieve(SearchQuery("returned lamp"))} == {"returns.md"}


_INDEXING = """
import sys
from pathlib import Path
from ragqa.ingest import sync
from ragqa.retrieval.embedded import EmbeddedIndex

project = Path(sys.argv[1])
def progress(done, total, path):
    print(done, flush=True)
sync([str(project / "docs")], EmbeddedIndex(project / "index"), project=project, progress=progress)
"""


@pytest.mark.parametrize("files_done", [1, 150, 299, 300])
def test_a_killed_process_leaves_the_old_or_the_new_index(project: Path, files_done: int) -> None:
    index = EmbeddedIndex(project / "index")
    sync([str(project / "docs")], index, project=project)
    before = set(index.files())
    for number in range(297):
        text = f"Lamp number {number} has {number} levels. " * 40
        (project / f"docs/lamp{number:03}.txt").write_text(text)
    process = subprocess.Popen(
        [sys.executable, "-c", _INDEXING, str(project)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    with process.stdout:
        for line in process.stdout:
            if int(line) == files_done:
                break
        time.sleep(0.02 if files_done == 300 else 0)  # in the middle of the commit
        process.send_signal(signal.SIGKILL)
        process.wait()
    opened = EmbeddedIndex(project / "index")
    after = set(opened.files())
    assert after == before or len(after) == 300
    assert len(opened.retrieve(SearchQuery("returned within 45 days", k=1))) == 1
    report = sync([str(project / "docs")], opened, project=project)
    assert report.added + report.unchanged == 300
    assert len(opened.files()) == 300
