"""Real documents, where the shared data lies beside the repository."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from ragqa import samples
from ragqa.ingest import sync
from ragqa.ingest.chunks import chunks_of
from ragqa.ingest.parse import parse
from ragqa.language import sentences
from tests.unit.ingest.files import MemoryStore

DATA = Path(__file__).parents[3].parent / "shared" / "data"

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data is not here")


def documents(root: Path, *suffixes: str) -> list[Path]:
    return sorted(path for path in root.rglob("*") if path.suffix in suffixes)


def assert_exact(path: Path) -> None:
    parsed = parse(path)
    chunks = iter(chunks_of(parsed, path=path.name))
    for document in parsed.documents:
        for page in document.pages:
            starts = {start for start, _ in sentences(page.text)}
            done = 0
            while done < len(page.text):
                chunk = next(chunks)
                assert (chunk.start, chunk.page) == (done, page.number)
                assert chunk.text == page.text[chunk.start : chunk.end]
                blanks = len(chunk.text) - len(chunk.text.lstrip())
                assert chunk.start + blanks in starts
                done = chunk.end
    assert next(chunks, None) is None


@pytest.mark.parametrize(
    "path", documents(samples.SHOP, ".md", ".html", ".csv", ".jsonl", ".pdf", ".docx"), ids=str
)
def test_every_sample_splits_into_exact_chunks(path: Path) -> None:
    assert_exact(path)


@needs_data
@pytest.mark.parametrize("folder", ["azure_demo", "contoso", "azure_wire", "qa/en", "qa/zh"])
def test_every_real_document_splits_into_exact_chunks(folder: str) -> None:
    paths = documents(DATA / folder, ".md", ".csv", ".pdf", ".json", ".yaml")
    paths += documents(DATA / folder, ".jsonl") if folder.startswith("qa") else []
    usable = [path for path in paths if path.name != "questions.jsonl"]
    assert usable
    for path in usable:
        assert_exact(path)


@needs_data
def test_cited_pages_are_where_the_answers_stand() -> None:
    """The page that a truth cites is the one that shares most of its rare words, or a neighbour."""
    folder = DATA / "azure_demo"
    pages = {
        path.name: [set(page.text.lower().split()) for page in parse(path).documents[0].pages]
        for path in documents(folder, ".pdf")
    }
    assert sum(map(len, pages.values())) == 273
    right = near = asked = 0
    for line in (folder / "ground_truth.jsonl").read_text(encoding="utf-8").splitlines():
        truth, _, citation = json.loads(line)["truth"].rpartition("[")
        name, _, number = citation.rstrip("]").partition("#page=")
        if name not in pages:
            continue
        asked += 1
        words = {word for word in truth.lower().split() if len(word) > 3}
        found = [page & words for page in pages[name]]
        spread = Counter(word for page in found for word in page)
        scores = [sum(1 / spread[word] for word in page) for page in found]
        best = scores.index(max(scores)) + 1
        right += best == int(number)
        near += abs(best - int(number)) <= 1
    assert asked > 200
    assert right / asked > 0.65
    assert near / asked > 0.75


@needs_data
def test_the_whole_folder_is_indexed_in_one_go() -> None:
    store = MemoryStore()
    report = sync([str(DATA / "azure_demo"), str(DATA / "contoso")], store, project=DATA)
    assert report.added == 7 + 1 + 21 + 2  # PDFs, the overview, manuals and products, two licences
    assert [skip.path for skip in report.skipped] == ["azure_demo/ground_truth.jsonl"]
    titles = list(store.titles().values())
    assert len(set(titles)) == len(titles)
    assert {"azure_demo/LICENSE", "contoso/LICENSE"} < set(titles)
