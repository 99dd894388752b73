from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragqa.ingest.document import Heading, Row
from ragqa.ingest.parsers.markdown import headings
from ragqa.ingest.split import CHUNK_SIZES, ChunkSize, Piece, split, split_rows
from ragqa.language import sentences

SENTENCE = "The lamp has five levels of brightness, and a timer that switches it off. "
SATZ_ZH = "台灯有五档亮度，并有定时功能，到时间后会自动关闭。"
SMALL = {"en": ChunkSize(120, 200), "zh": ChunkSize(60, 100)}


def markdown(text: str, **options: object) -> list[Piece]:
    return split(text, tuple(headings(text)), **options)  # type: ignore[arg-type]


def texts(text: str, pieces: list[Piece]) -> list[str]:
    assert [piece.start for piece in pieces] == [0, *(piece.end for piece in pieces)][:-1]
    assert pieces[-1].end == len(text)
    return [text[piece.start : piece.end] for piece in pieces]


WORDS = st.sampled_from(
    ["# A\n", "## B\n\n", "### C\n", "word ", "a. ", "。", "退货", "\n", "\n\n", "- item\n", "\r\n",
     " ", "x" * 300, "“好。”", "| a | b |\n", "```\n", "e.g. ", "3.5 ", "👨‍👩‍👧",
     "e\u0301", "\u3000", ":\n\n"]
)  # fmt: skip


@settings(max_examples=300)
@given(st.lists(WORDS, max_size=80).map("".join))
def test_pieces_make_up_the_text(text: str) -> None:
    for sizes in (CHUNK_SIZES, SMALL):
        pieces = markdown(text, sizes=sizes)
        if not text.strip():
            assert pieces == []
            continue
        for piece in texts(text, pieces):
            assert piece.strip()
            assert len(piece.strip()) <= sizes["en"].max_chars + sizes["en"].small_chars


@settings(max_examples=200)
@given(st.lists(st.sampled_from([SENTENCE, SATZ_ZH, "\n\n", "Short. ", "短句。"]), max_size=60))
def test_no_piece_begins_inside_a_sentence(parts: list[str]) -> None:
    text = "".join(parts)
    starts = {start for start, _ in sentences(text)}
    for piece in split(text, sizes=SMALL):
        body = text[piece.start : piece.end]
        assert piece.start + len(body) - len(body.lstrip()) in starts


@pytest.mark.parametrize("text", [SENTENCE * 100, SATZ_ZH * 100])
def test_long_paragraphs_come_near_the_target(text: str) -> None:
    size = CHUNK_SIZES["zh" if "台" in text else "en"]
    lengths = [len(piece) for piece in texts(text, split(text))]
    assert all(size.target_chars / 2 < length <= size.target_chars for length in lengths[:-1])


def test_a_paragraph_that_fits_is_not_cut() -> None:
    for sentence, size in ((SENTENCE, CHUNK_SIZES["en"]), (SATZ_ZH, CHUNK_SIZES["zh"])):
        one = (sentence * (size.max_chars // len(sentence))).strip()
        assert size.target_chars < len(one) <= size.max_chars
        text = f"{one}\n\n{one}\n\n{one}"
        assert [piece.strip() for piece in texts(text, split(text))] == [one] * 3


def test_paragraphs_are_put_together_up_to_the_target() -> None:
    text = "\n\n".join([SENTENCE.strip()] * 30)
    pieces = texts(text, split(text))
    assert len(pieces) == 3
    assert all(piece.startswith("The lamp") for piece in pieces)


def test_a_sentence_longer_than_a_chunk_is_cut_between_clauses_words_or_anywhere() -> None:
    clauses = "when the lamp is on, " * 120
    assert all(piece.endswith(", ") for piece in texts(clauses, split(clauses))[:-1])
    words = "lamp " * 800
    assert all(piece.endswith(" ") for piece in texts(words, split(words))[:-1])
    letters = "x" * 5000
    assert {len(piece) for piece in texts(letters, split(letters))[:-1]} == {900}
    han = "灯" * 3000
    assert {len(piece) for piece in texts(han, split(han))[:-1]} == {500}
    accents = "x" + "e\u0301" * 4000
    assert all(piece.startswith("e") for piece in texts(accents, split(accents))[1:])


def test_a_short_rest_goes_with_what_is_before_it() -> None:
    text = f"{SENTENCE * 12}\n\nIt has a warranty of two years from the day of delivery."
    assert 900 < len(text) < 1000
    assert len(split(text)) == 1


def test_no_piece_is_blank() -> None:
    text = f"First.{' ' * 4000}\n\n{chr(10) * 4000}Second.\n\n{' ' * 4000}"
    assert all(piece.strip() for piece in texts(text, split(text)))


def test_tables_and_lists_are_cut_between_rows() -> None:
    rows = "".join(f"| lamp {at} | five levels of brightness | {at} euros |\n" for at in range(90))
    for piece in texts(rows, split(rows)):
        assert piece.startswith("| lamp")
        assert piece.endswith("|\n")
    items = "".join(f"- item number {at} without a full stop\n" for at in range(90))
    assert all(piece.startswith("- item") for piece in texts(items, split(items)))


def test_every_piece_knows_the_headings_above_it() -> None:
    text = (
        "Preface text.\n\n# Lamp\n\nAbout it. It shines.\n\n## Care\n\nWipe it dry.\n\n"
        "### Bulbs\n\nChange them yearly.\n\n## Data\n\nIt weighs a kilogram.\n\n"
        "# Desk\n\nA desk. Fine.\n"
    )
    assert [
        (piece.heading, text[piece.start : piece.end].strip().split("\n")[0])
        for piece in markdown(text)
    ] == [
        ("", "Preface text."),
        ("Lamp", "# Lamp"),
        ("Lamp > Care", "## Care"),
        ("Lamp > Care > Bulbs", "### Bulbs"),
        ("Lamp > Data", "## Data"),
        ("Desk", "# Desk"),
    ]


def test_a_heading_never_stands_alone() -> None:
    text = "# Guide\n\n## Set-up\n\n### Poles\n\nJoin the poles.\n\n## End\n"
    pieces = markdown(text)
    assert [piece.heading for piece in pieces] == ["Guide > Set-up > Poles"]
    assert texts(text, pieces) == [text]
    long = f"## Care\n\n{(SENTENCE * 19).strip()}\n"
    assert len(markdown(long)) == 1


def test_labels_stay_together_under_what_they_share() -> None:
    labels = "# Lamp L9\n\n## Brand\nFern\n\n## Colour\nred\n\n"
    text = labels + "## Use\n\nPut it on a desk. Switch it on.\n"
    assert [(piece.heading, text[piece.start : piece.end]) for piece in markdown(text)] == [
        ("Lamp L9", labels),
        ("Lamp L9 > Use", "## Use\n\nPut it on a desk. Switch it on.\n"),
    ]
    apart = "# Brand\nFern\n\n# Colour\nred\n"
    assert [piece.heading for piece in markdown(apart)] == ["Brand", "Colour"]


def test_titles_and_introductions_go_with_what_follows() -> None:
    body = SENTENCE * 6
    text = f"{body}\n\nReplacing the bulb\n\n{body}\n\nYou need these:\n\n- {body}"
    for piece in texts(text, split(text)):
        last = piece.strip().split("\n")[-1]
        assert not last.endswith(":")
        assert last != "Replacing the bulb"


def test_headings_of_earlier_pages_hold() -> None:
    above = (Heading(0, 0, 1, "Lamp"), Heading(0, 0, 2, "Care"))
    text = "Wipe it dry.\n\nData\n\nIt weighs a kilogram."
    own = (Heading(14, 18, 2, "Data"),)
    assert [piece.heading for piece in split(text, own, above=above)] == [
        "Lamp > Care",
        "Lamp > Data",
    ]


def test_rows_are_pieces_and_long_rows_several() -> None:
    text = "a: 1\nb: 2\n" + SENTENCE * 40 + "\n"
    pieces = list(split_rows(text, [Row(0, {"a": "1"}), Row(5, {"b": "2"}), Row(10)]))
    assert [text[piece.start : piece.end] for piece, _ in pieces[:2]] == ["a: 1\n", "b: 2\n"]
    assert [row.values for _, row in pieces[:2]] == [{"a": "1"}, {"b": "2"}]
    assert len(pieces) > 4
    assert "".join(text[piece.start : piece.end] for piece, _ in pieces) == text


@pytest.mark.parametrize(
    "unit",
    ["a", "word ", "A. ", SENTENCE, SATZ_ZH, "灯", "short line\n", "\n", " ", "(", ", ", ".", '."',
     "# h\n\ntext\n\n", "## h\n", "| a | b |\n", "1. ", "x:\n\n", "abc\r", "\t\n", "👨‍👩‍👧"],
)  # fmt: skip
def test_splitting_takes_linear_time(unit: str) -> None:
    text = unit * (300_000 // len(unit)) + "x"  # quadratic time would exceed the test's limit
    assert texts(text, markdown(text))


def test_sizes_can_be_chosen() -> None:
    text = SENTENCE * 20
    assert max(map(len, texts(text, split(text, sizes=SMALL)))) <= 120
    assert re.sub(r"\s", "", "".join(texts(text, split(text, sizes=SMALL)))) == re.sub(
        r"\s", "", text
    )
