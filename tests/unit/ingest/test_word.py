from __future__ import annotations

import io
import re
import zipfile
from typing import Any

import docx
import pytest
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from ragqa.errors import RetrievalError
from ragqa.ingest.document import TextPage
from ragqa.ingest.parsers import word as parser
from tests.unit.ingest.files import word

_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def page(document: Any) -> TextPage:
    return parser.parse(word(document)).documents[0].pages[0]


def filled(table: Any, rows: list[list[str]]) -> Any:
    for at, row in enumerate(rows):
        for column, text in enumerate(row):
            table.cell(at, column).text = text
    return table


def test_hidden_text_is_not_read() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("Shown. ")
    for text, hidden in (("Hidden. ", True), ("Shown again.", False)):
        paragraph.add_run(text).font.hidden = hidden
    assert page(document).text == "Shown. Shown again."


def test_paragraphs_lists_and_tables_keep_their_order() -> None:
    document = docx.Document()
    document.add_paragraph("Before.")
    document.add_paragraph("one", style="List Bullet")
    document.add_paragraph("two", style="List Number")
    filled(document.add_table(2, 3), [["Model", "Colour", "Price"], ["L9", "red", "39"]])
    document.add_paragraph("After\tthe tab\nand the break.")
    document.add_paragraph("  ")
    assert page(document).text == (
        "Before.\n\n- one\n1. two\n\nModel: L9; Colour: red; Price: 39\n\n"
        "After\tthe tab\nand the break."
    )


def test_items_have_the_numbers_that_word_shows() -> None:
    document = docx.Document()
    for item, style in [
        ("one", "List Number"),
        ("deeper", "List Number 2"),
        ("two", "List Number"),
        ("loose", "List Bullet"),
        ("three", "List Number"),
    ]:
        document.add_paragraph(item, style=style)
    taken_out = document.add_paragraph("Text.", style="List Number")
    taken_out._p.get_or_add_pPr().get_or_add_numPr().get_or_add_numId().val = 0
    assert page(document).text == "1. one\n1. deeper\n2. two\n- loose\n3. three\n\nText."


def test_a_list_begins_where_it_says() -> None:
    document = docx.Document()
    document.add_paragraph("one", style="List Number")
    list_id = document.styles["List Number"].element.pPr.numPr.numId.val
    numbering = document.part.numbering_part.element
    kind = next(n for n in numbering.num_lst if n.numId == list_id).abstractNumId.val
    name = docx.oxml.ns.qn
    for one in numbering.iter(name("w:abstractNum")):
        if one.get(name("w:abstractNumId")) == str(kind):
            next(one.iter(name("w:start"))).set(name("w:val"), "4")
    assert page(document).text == "4. one"


def test_headings_have_levels_and_places() -> None:
    document = docx.Document()
    document.add_heading("Guide", 0)
    document.add_heading("Care", 1)
    document.add_heading("Bulbs", 2)
    document.add_paragraph("Text.")
    parsed = page(document)
    assert [(h.level, h.title) for h in parsed.headings] == [
        (0, "Guide"),
        (1, "Care"),
        (2, "Bulbs"),
    ]
    assert all(parsed.text[h.start : h.end] == h.title for h in parsed.headings)


def test_own_styles_and_outline_levels_are_headings_too() -> None:
    document = docx.Document()
    own = document.styles.add_style("Own", 1)
    own.base_style = document.styles["Heading 2"]
    document.add_paragraph("By its base", style="Own")
    outlined = document.add_paragraph("By its outline")
    outlined._p.get_or_add_pPr().append(parse_xml(f'<w:outlineLvl {nsdecls("w")} w:val="0"/>'))
    body = document.add_paragraph("Body by its outline", style="Heading 1")
    body._p.get_or_add_pPr().append(parse_xml(f'<w:outlineLvl {nsdecls("w")} w:val="9"/>'))
    titles = {h.title: h.level for h in page(document).headings}
    assert titles["By its base"] == 2
    assert titles["By its outline"] == 1


def test_merged_cells_fill_what_they_cover() -> None:
    document = docx.Document()
    table = filled(
        document.add_table(3, 3),
        [["Model", "Colour", "Price"], ["L9", "red", "39"], ["", "blue", "41"]],
    )
    table.cell(1, 0).merge(table.cell(2, 0))
    assert (
        page(document).text
        == "Model: L9; Colour: red; Price: 39\n\nModel: L9; Colour: blue; Price: 41"
    )


def test_two_columns_are_names_and_values() -> None:
    document = docx.Document()
    filled(document.add_table(2, 2), [["Weight", "1 kg"], ["Warranty", "two years"]])
    assert page(document).text == "Weight: 1 kg\n\nWarranty: two years"


def test_content_controls_insertions_and_deletions() -> None:
    document = docx.Document()
    body = document.element.body
    namespace = nsdecls("w")
    body.insert(
        0,
        parse_xml(
            f"<w:sdt {namespace}><w:sdtContent><w:p><w:r><w:t>Controlled.</w:t></w:r></w:p>"
            "</w:sdtContent></w:sdt>"
        ),
    )
    body.insert(
        1,
        parse_xml(
            f"<w:p {namespace}><w:ins><w:r><w:t>In</w:t></w:r></w:ins><w:del><w:r>"
            "<w:delText>out</w:delText></w:r></w:del><w:r><w:noBreakHyphen/><w:t>side</w:t></w:r>"
            "<w:r><w:instrText>PAGE</w:instrText></w:r></w:p>"
        ),
    )
    assert page(document).text == "Controlled.\n\nIn-side"


def test_text_boxes_are_read_once() -> None:
    document = docx.Document()
    inner = "<w:txbxContent><w:p><w:r><w:t>Boxed.</w:t></w:r></w:p></w:txbxContent>"
    document.element.body.insert(
        0,
        parse_xml(
            f"<w:p {nsdecls('w')} "
            'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><w:r>'
            f"<w:t>Around.</w:t><mc:AlternateContent><mc:Choice>{inner}</mc:Choice>"
            f"<mc:Fallback>{inner}</mc:Fallback></mc:AlternateContent></w:r></w:p>"
        ),
    )
    assert page(document).text == "Around.\n\nBoxed."


def element(source: str) -> Any:
    return parse_xml(re.sub(r"^<[\w:]+", rf"\g<0> {nsdecls('w')}", source))


def with_notes(document: Any, kind: str, notes: dict[int, str]) -> bytes:
    """Return a document with a part of notes, which python-docx cannot make."""
    part = PackURI(f"/word/{kind}s.xml")
    body = "".join(
        f'<w:{kind} w:id="{number}"><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:{kind}>'
        for number, text in notes.items()
    )
    source = f"<w:{kind}s {nsdecls('w')}>{body}</w:{kind}s>".encode()
    content_type = f"application/vnd.openxmlformats-officedocument.wordprocessingml.{kind}s+xml"
    notes_part = Part(part, content_type, source, document.part.package)
    document.part.relate_to(notes_part, f"{_RELATIONS}/{kind}s")
    return word(document)


@pytest.mark.parametrize("kind", ["footnote", "endnote"])
def test_notes_stand_behind_what_they_belong_to(kind: str) -> None:
    document = docx.Document()
    mark = element(f'<w:r><w:{kind}Reference w:id="2"/></w:r>')
    document.add_paragraph("Thirty days to return.")._p.append(mark)
    document.add_paragraph("Next.")
    table = filled(document.add_table(2, 3), [["Model", "Days", "Place"], ["T2", "60", "shop"]])
    mark = element(f'<w:r><w:{kind}Reference w:id="3"/></w:r>')
    table.cell(1, 1).paragraphs[0]._p.append(mark)
    notes = {2: "Except for tents.", 3: "Since May.", 4: "Nobody refers to it."}
    data = with_notes(document, kind, notes)
    assert parser.parse(data).documents[0].pages[0].text == (
        "Thirty days to return.\n\nExcept for tents.\n\nNext.\n\n"
        "Model: T2; Days: 60 Since May.; Place: shop"
    )


def test_a_note_whose_mark_was_deleted_is_not_read() -> None:
    document = docx.Document()
    mark = '<w:del w:id="9"><w:r><w:footnoteReference w:id="2"/></w:r></w:del>'
    document.add_paragraph("Kept.")._p.append(element(mark))
    data = with_notes(document, "footnote", {2: "Gone."})
    assert parser.parse(data).documents[0].pages[0].text == "Kept."


def test_struck_text_is_not_read() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("It costs ")
    paragraph.add_run("49 ").font.strike = True
    paragraph.add_run("39 ").font.strike = False
    paragraph.add_run("59 ").font.double_strike = True
    paragraph.add_run("euros.")
    assert page(document).text == "It costs 39 euros."


def test_superscripts_are_no_part_of_a_number() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("30")
    paragraph.add_run("1").font.superscript = True
    paragraph.add_run(" days, 5 m")
    paragraph.add_run("2").font.superscript = True
    assert page(document).text == "30¹ days, 5 m2"


def test_readings_above_characters_do_not_cut_words() -> None:
    document = docx.Document()
    reading = "<w:rt><w:r><w:t>shui</w:t></w:r></w:rt>"
    ruby = f"<w:ruby>{reading}<w:rubyBase><w:r><w:t>水</w:t></w:r></w:rubyBase></w:ruby>"
    document.add_paragraph()._p.append(element(f"<w:r>{ruby}<w:t>壶</w:t></w:r>"))
    assert page(document).text == "水壶"


def test_cells_that_a_row_leaves_out_keep_the_columns() -> None:
    document = docx.Document()
    table = filled(document.add_table(2, 3), [["Model", "Price", "Stock"], ["", "49", "7"]])
    row = table.rows[1]._tr
    row.remove(row.tc_lst[0])
    row.insert(0, element('<w:trPr><w:gridBefore w:val="1"/></w:trPr>'))
    assert page(document).text == "Price: 49; Stock: 7"


def test_a_senseless_number_does_no_harm() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("Text.")
    paragraph._p.get_or_add_pPr().append(element('<w:outlineLvl w:val="x"/>'))
    table = filled(document.add_table(1, 2), [["A", "B"]])
    table.cell(0, 0)._tc.get_or_add_tcPr().append(element('<w:gridSpan w:val="x"/>'))
    assert page(document).text == "Text.\n\nA: B"


def bomb(part: str, size_bytes: int) -> bytes:
    buffer = io.BytesIO(word(docx.Document()))
    with (
        zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open(part, "w", force_zip64=True) as target,
    ):
        for _ in range(size_bytes // 2**24 + 1):
            target.write(bytes(2**24))
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"PK\x03\x04 nothing more", "broken"),
        (word(docx.Document())[:1000], "broken"),
        (b"<html>", "broken or no Word document"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "old kind"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
            "locked with a password",
        ),
    ],
)
def test_what_is_no_word_document_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(RetrievalError, match=reason) as caught:
        parser.parse(data)
    assert caught.value.hint


def test_a_document_that_would_fill_the_memory_is_refused() -> None:
    data = bomb("word/media/image1.bmp", 501 * 2**20)
    assert len(data) < 2**22  # the limit on the file would let it pass
    with pytest.raises(RetrievalError, match=r"unpacks to 5\d\d MB"):
        parser.parse(data)


def test_entities_are_not_expanded() -> None:
    buffer = io.BytesIO(word(docx.Document()))
    laughs = "".join(
        f'<!ENTITY l{at} "{f"&l{at - 1};" * 10 if at else "ha" * 10}">' for at in range(12)
    )
    source = (
        f'<?xml version="1.0"?><!DOCTYPE d [{laughs}]><w:document {nsdecls("w")}><w:body><w:p>'
        "<w:r><w:t>&l11;</w:t></w:r></w:p></w:body></w:document>"
    )
    target = io.BytesIO()
    with zipfile.ZipFile(buffer) as old, zipfile.ZipFile(target, "w") as new:
        for entry in old.infolist():
            is_document = entry.filename == "word/document.xml"
            new.writestr(entry, source.encode() if is_document else old.read(entry))
    try:
        text = parser.parse(target.getvalue()).documents[0].pages[0].text
    except RetrievalError:
        return
    assert len(text) < 1000
