import json

import pytest

from ragqa.contract import Citation
from ragqa.evaluation.sources import is_verbatim
from ragqa.samples import SHOP


def cited(path, id, quote, start, page=None):
    return Citation(
        title="t", id=id, path=path, page=page, quote=quote, start=start, end=start + len(quote),
        verified=True,
    )  # fmt: skip


@pytest.fixture
def project(tmp_path):
    (tmp_path / "a.md").write_bytes("\ufeffTea.\r\nTents: 5 years. 茶具。".encode())
    lines = [{"id": "r1", "title": "T", "text": "Lamps: 14 days."}, {"text": "No id here."}]
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return tmp_path


@pytest.mark.parametrize(
    ("citation", "held"),
    [
        (cited("a.md", "a.md", "Tents: 5 years.", 6), True),
        (cited("a.md", "a.md", "茶具。", 22), True),
        (cited("a.md", "a.md", "Tents: 5 years.", 5), False),
        (cited("a.md", "a.md", "Tents: 6 years.", 6), False),
        (cited("a.md", "other", "Tents: 5 years.", 6), False),
        (cited("a.md", "a.md", "Tea.", 0, page=1), False),
        (cited("r.jsonl", "r1", "14 days", 7), True),
        (cited("r.jsonl", "r.jsonl#2", "No id", 0), True),
        (cited("r.jsonl", "r1", "No id", 0), False),
        (cited("gone.md", "gone.md", "x", 0), None),
        (cited(None, "x", "x", 0), None),
        (cited("a\x00b", "x", "x", 0), None),
    ],
)
def test_a_quote_is_held_against_its_file(project, citation, held):
    assert is_verbatim(citation, project) is held


def test_a_file_that_changed_is_read_again(project):
    citation = cited("a.md", "a.md", "Tea.", 0)
    assert is_verbatim(citation, project)
    (project / "a.md").write_text("Coffee, and no tea at all.")
    assert is_verbatim(citation, project) is False


def test_a_file_that_cannot_be_read_any_more_tells_nothing(project):
    (project / "a.md").write_bytes(b"")
    assert is_verbatim(cited("a.md", "a.md", "Tea.", 0), project) is None


def test_pages(project):
    pdf = next(path for path in SHOP.rglob("*.pdf"))
    from ragqa.ingest.parse import parse

    page = parse(pdf).documents[0].pages[0]
    quote = page.text[5:25]
    assert is_verbatim(cited(str(pdf), str(pdf), quote, 5, page=page.number), project)
    assert is_verbatim(cited(str(pdf), str(pdf), quote, 6, page=page.number), project) is False
