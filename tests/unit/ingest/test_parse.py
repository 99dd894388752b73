from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ragqa.errors import RetrievalError
from ragqa.ingest import parse
from ragqa.ingest.parse import FORMATS
from tests.unit.ingest.files import Ink, pdf


def text(name: str, content: str | bytes) -> str:
    data = content if isinstance(content, bytes) else content.encode()
    return parse(Path(name), data).documents[0].pages[0].text


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.txt", "# no heading", "# no heading"),
        ("A.TXT", "text", "text"),
        ("a.Html", "<p>text", "text"),
        ("a.HTM", "<p>text", "text"),
        ("a.Pdf", pdf([Ink("text")]), "text"),
        ("a.CSV", "a;b\n1;2\n", "a: 1; b: 2\n"),
        ("a.tsv", "a\tb\n1\t2\n", "a: 1; b: 2\n"),
        ("a.JSON", '{"a": 1}', "a: 1"),
        ("a.ndjson", '{"text": "x"}', "x"),
        ("a.rst", "Title\n=====\n", "Title\n=====\n"),
        ("a.yaml", "a: 1\n", "a: 1\n"),
        ("a.log", "12:00 started\n", "12:00 started\n"),
        ("README", "text", "text"),
        ("archive.tar.md", "text", "text"),
    ],
)
def test_the_suffix_chooses_the_parser_whatever_its_case(
    name: str, content: str | bytes, expected: str
) -> None:
    assert text(name, content) == expected


def test_a_file_is_read_from_disk(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("text\r\n", newline="")
    assert parse(tmp_path / "a.txt").documents[0].pages[0].text == "text\r\n"


@pytest.mark.parametrize("suffix", [*FORMATS, ".xyz", ""])
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" \r\n\t ",
        b"\xff\xfe",
        b"\0" * 100,
        b"\x00\x01\x02\x03\x04\x05" * 50,
        b"PK\x03\x04" + bytes(200),
        b"%PDF-1.7" + bytes(200),
        b"\x89PNG\r\n\x1a\n" + bytes(200),
    ],
)
def test_rubbish_of_any_name_is_refused_with_reason_and_hint(suffix: str, data: bytes) -> None:
    with pytest.raises(RetrievalError) as caught:
        parse(Path(f"a{suffix}"), data)
    assert caught.value.message
    assert caught.value.hint


def test_an_unknown_format_names_the_known_ones() -> None:
    with pytest.raises(RetrievalError, match="not supported") as caught:
        parse(Path("a.xlsx"), b"PK\x03\x04" + bytes(100))
    for name in ("txt", "md", "html", "pdf", "docx", "csv", "json", "jsonl"):
        assert name in caught.value.hint


def test_importing_ingestion_loads_no_parser() -> None:
    heavy = {"charset_normalizer", "docx", "lxml", "pypdfium2", "selectolax", "langchain_core"}
    code = f"import sys, ragqa.ingest; print({heavy | {'numpy', 'rjieba'}} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
