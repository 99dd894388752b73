from __future__ import annotations

from dataclasses import replace

import pytest

from ragqa.errors import RetrievalError
from ragqa.ingest.document import TextPage
from ragqa.ingest.parsers import pdf as parser
from tests.unit.ingest.files import BEYOND, Ink, paragraph, pdf

FULL = "A line that is long enough for the next word not to fit into it"


def pages(*content: list[Ink] | None) -> list[TextPage]:
    return list(parser.parse(pdf(*content)).documents[0].pages)


def text(*lines: Ink) -> str:
    return pages(list(lines))[0].text


def test_every_page_has_its_number_and_its_own_text() -> None:
    first, second, third = pages([Ink("The first page.")], [], [Ink("The third page.")])
    assert [(page.number, page.text) for page in (first, second, third)] == [
        (1, "The first page."),
        (2, ""),
        (3, "The third page."),
    ]


def test_wrapped_lines_are_one_paragraph_and_gaps_part_them() -> None:
    lines = [
        *paragraph(f"{FULL},", "and then it ends."),
        *paragraph(f"{FULL}.", "It ends, too.", y=640),
    ]
    assert text(*lines) == f"{FULL}, and then it ends.\n\n{FULL}. It ends, too."


@pytest.mark.parametrize("end", ["Short end.", "An end that takes up half of the line."])
def test_a_line_that_had_room_left_ended_on_purpose(end: str) -> None:
    lines = paragraph(f"{FULL} yes", end, f"{FULL} yes", "Last.")
    assert text(*lines) == f"{FULL} yes {end}\n\n{FULL} yes Last."


def test_an_indented_line_begins_a_paragraph() -> None:
    lines = paragraph(f"{FULL} yes", f"{FULL} no.")
    indented = Ink("It begins anew", x=92, y=lines[-1].y - 14.3)
    assert text(*lines, indented) == f"{FULL} yes {FULL} no.\n\nIt begins anew"


def test_columns_follow_each_other() -> None:
    left = paragraph("The lamp has five levels of light, and", "the arm folds flat, so", x=72)
    right = paragraph("that it fits into a drawer or a larger bag.", "Wipe it dry.", x=320)
    assert text(*left, *right) == (
        "The lamp has five levels of light, and the arm folds flat, so\n\n"
        "that it fits into a drawer or a larger bag. Wipe it dry."
    )


def test_list_items_keep_to_themselves() -> None:
    lines = paragraph("1. " + FULL, "and goes on.", "2. The second.", "- a dash", "(a) a letter")
    assert text(*lines).split("\n") == [
        f"1. {FULL} and goes on.",
        "2. The second.",
        "- a dash",
        "(a) a letter",
    ]


def test_rows_of_figures_are_not_joined() -> None:
    lines = paragraph(
        "Cable 0.60 0.65 0.20 0.25 1,000.00 2,000.00",
        "Lamps 0.60 0.65 0.20 0.25 1,000.00 3,000.00",
        "Desks 0.60 0.65 0.20 0.25 1,000.00 4,000.00",
    )
    prose = Ink("These are figures of the year that ended in June.", y=lines[-1].y - 14.3)
    assert text(*lines, prose).split("\n\n") == [line.text for line in (*lines, prose)]


def test_lines_need_not_begin_at_exactly_the_same_place() -> None:
    first, second, third = paragraph(FULL, "a line that ends here, far from the edge.", "New text.")
    shifted = [replace(first, x=69), replace(second, x=71), replace(third, x=69)]
    assert text(*shifted) == f"{FULL} {second.text}\n\nNew text."


def test_chinese_lines_are_joined_without_a_blank() -> None:
    lines = paragraph("签收后三十天内可以退货，请保留完整的包装和全部", "配件。", size=12)
    assert text(*lines) == "签收后三十天内可以退货，请保留完整的包装和全部配件。"


@pytest.mark.parametrize(
    ("elsewhere", "first", "second", "expected"),
    [
        ("Read the information first.", "infor-", "mation", "information"),
        ("It is a well-known lamp.", "well-", "known", "well-known"),
        ("A day-to-day task.", "day-to-", "day", "day-to-day"),
        ("Wait for it.", "illumi-", "nation", "illumination"),
        ("The lamp shade. A desk.", "desk-", "lamp", "desk-lamp"),
        ("Wait for it.", "pre-", "and post-sales", "pre- and post-sales"),
    ],
)
def test_hyphens_at_line_ends_stay_where_the_word_has_them(
    elsewhere: str, first: str, second: str, expected: str
) -> None:
    lines = [Ink(elsewhere, y=760), *paragraph(f"{FULL} {first}", f"{second} follows here.")]
    assert text(*lines).endswith(f"{FULL} {expected} follows here.")


def test_larger_and_bold_lines_are_headings_and_hold_on_later_pages() -> None:
    body = paragraph(f"{FULL}.", f"{FULL}.", y=600)
    one, two, three = pages(
        [Ink("Lamp L9", y=740, size=20), Ink("Care", y=660, size=15), *body],
        body,
        [Ink("Bulbs", y=700, bold=True), *body],
    )
    assert [(h.level, h.title) for h in one.headings] == [(1, "Lamp L9"), (2, "Care")]
    assert all(one.text[h.start : h.end] == h.title for h in one.headings)
    assert one.text.startswith("Lamp L9\n\nCare\n\nA line")
    assert [h.title for h in two.above] == ["Lamp L9", "Care"]
    assert [h.title for h in three.headings] == ["Bulbs"]


def test_a_large_paragraph_is_no_heading() -> None:
    body = [ink for at in range(5) for ink in paragraph(f"{FULL}.", y=500 - at * 40)]
    for motto in (
        ["Set in large letters,", "over lines"],
        ["It ends with a stop."],
        ["and goes on from the page before"],
        ["Over", "more", "lines", "than titles"],
        ["2025"],
    ):
        assert pages([*paragraph(*motto, y=740, size=18), *body])[0].headings == ()


def test_letters_that_the_page_scales_are_as_large_as_they_look() -> None:
    body = [ink for at in range(5) for ink in paragraph(f"{FULL}.", y=500 - at * 40)]
    page = pages([Ink("Care", y=740, size=20, scaled=True), *body])[0]
    assert [h.title for h in page.headings] == ["Care"]


def test_characters_of_higher_planes_move_nothing() -> None:
    lines = paragraph(f"{BEYOND * 9} {FULL}", f"{BEYOND * 9} {FULL}", "and the end.")
    assert text(*lines) == " ".join(line.text for line in lines)


def test_the_last_word_of_a_page_is_a_word() -> None:
    _, page = pages([Ink("It is well-known")], paragraph(f"{FULL} well-", "known at the end."))
    assert "well-known at the end" in page.text


def test_words_that_stand_nowhere_else_go_with_the_other_line_ends() -> None:
    known = paragraph("A lamp. A desk. Read the information first.", y=760)
    divided = paragraph(f"{FULL} infor-", f"mation and {FULL[:40]} desk-", "lamp at the end.")
    assert "information" in text(*known, *divided)
    assert "desklamp" in text(*known, *divided)


def test_a_heading_over_two_lines_is_one() -> None:
    body = paragraph(f"{FULL}.", f"{FULL}.", y=600)
    page = pages([*paragraph("Returns and", "refunds", y=740, size=20), *body])[0]
    assert [h.title for h in page.headings] == ["Returns and refunds"]


def test_what_people_typed_survives() -> None:
    assert text(Ink("{0} %s <script> (a) 50% & more")) == "{0} %s <script> (a) 50% & more"


@pytest.mark.parametrize(
    ("data", "reason", "hint"),
    [
        (pdf(None, None), "only images", "OCR"),
        (pdf([]), "holds no text", "OCR"),
        (pdf([Ink("secret")], password="open sesame"), "locked with a password", "without"),
        (pdf([Ink("x")])[:250], "broken", "new PDF"),
        (b"%PDF-1.7\n" + bytes(range(256)) * 8, "broken", "new PDF"),
        (b"<!DOCTYPE html><html>Sign in</html>", "web page", "again"),
        (b"\n <html>Sign in</html>", "web page", "again"),
        (b"just text", "no PDF", "again"),
    ],
)
def test_a_pdf_without_usable_text_is_refused_with_reason_and_hint(
    data: bytes, reason: str, hint: str
) -> None:
    with pytest.raises(RetrievalError, match=reason) as caught:
        parser.parse(data)
    assert hint in caught.value.hint


def test_scanned_pages_among_others_are_named() -> None:
    parsed = parser.parse(pdf([Ink("Text.")], None, [], None))
    assert [problem.reason for problem in parsed.problems] == [
        "pages 2, 4 of 4 hold no text, only an image"
    ]


def test_letters_without_meaning_are_refused() -> None:
    private = "".join(chr(0xE000 + at) for at in range(40))
    with pytest.raises(RetrievalError, match="cannot be read"):
        parser.parse(pdf([Ink(private)]))


def test_a_mark_before_the_header_is_tolerated() -> None:
    assert parser.parse(b"\n\n" + pdf([Ink("Text.")])).documents[0].pages[0].text == "Text."


@pytest.mark.parametrize("mark_x", [117, 120])
def test_small_raised_digits_are_no_part_of_a_number(mark_x: int) -> None:
    mark = Ink("12", x=mark_x, y=704, size=6)
    assert text(Ink("within 30"), mark, Ink("days.", x=128)) == "within 30¹² days."
    assert text(Ink("within 30"), replace(mark, y=700), Ink("days.", x=128)).count("12") == 1


def test_a_raised_digit_does_not_cut_a_line() -> None:
    operators = (
        b"BT /F1 11 Tf 72 700 Td (The price) Tj /F1 7 Tf 4 Ts (1) Tj 0 Ts /F1 11 Tf ( is 49 euros, "
        b"30) Tj /F1 7 Tf 4 Ts (2) Tj 0 Ts /F1 11 Tf ( with a lid.) Tj ET"
    )
    page = parser.parse(pdf(operators)).documents[0].pages[0]
    assert page.text == "The price1 is 49 euros, 30² with a lid."


def test_filled_fields_and_typed_text_are_read() -> None:
    data = pdf([Ink("Order form")], [], fields=["Model K2"], typed=["Urgent"])
    first, second = parser.parse(data).documents[0].pages
    assert first.text == "Order form\n\nModel K2\n\nUrgent"
    assert second.text == "Model K2\n\nUrgent"
