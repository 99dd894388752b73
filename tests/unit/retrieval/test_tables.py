"""Rows of csv files come back from the index as they were, for those who may see them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragqa.agent.calculator.calculate import Calculator
from ragqa.contract import Caller
from ragqa.ingest.chunks import chunks_of
from ragqa.ingest.parsers import delimited
from ragqa.ports import StoredFile
from ragqa.retrieval.embedded import EmbeddedIndex

LONG = "very " * 1500
CSV = f"id,name,price,note\n1,Tent,250.0,\n1,Tent,250.0,\n2,Stove,,{LONG}\n3,Mug,9.5,red\n"


@pytest.fixture
def index(tmp_path: Path) -> EmbeddedIndex:
    made = EmbeddedIndex(tmp_path / "index")
    with made.writer() as writer:
        for path, groups in (
            ("a/sales.csv", ("*",)),
            ("b/sales.csv", ("*",)),
            ("pay.tsv", ("hr",)),
        ):
            text = CSV.replace(",", "\t") if path.endswith("tsv") else CSV
            chunks = chunks_of(delimited.parse(text.encode()), path=path, groups=groups)
            name = Path(path).name
            writer.replace(StoredFile(path, "1", name, path, chunks=len(chunks)), chunks)
    return made


def test_rows_are_whole_and_each_counts_once(index):
    rows = index.tables(Caller())["sales.csv"]()

    assert [row["id"] for row in rows] == ["1", "1", "2", "3"]
    assert [row.get("price") for row in rows] == ["250.0", "250.0", None, "9.5"]


def test_tables_of_one_name_are_told_apart_by_their_paths(index):
    assert set(index.tables(Caller())) == {"sales.csv", "b/sales.csv"}


def test_tables_that_a_caller_may_not_see_are_not_there(index):
    assert "pay.tsv" not in index.tables(Caller())
    assert "pay.tsv" in index.tables(Caller(groups=("hr",)))
    with Calculator(index.tables(Caller())) as calculator:
        assert not calculator.run("table('pay.tsv')").ok


def test_a_calculation_uses_the_rows(index):
    with Calculator(index.tables(Caller())) as calculator:
        assert "'price' float" in calculator.tables.described()
        code = "sum(row['price'] or 0 for row in table('sales.csv'))"
        assert calculator.run(code).text == "result: 509.5"
