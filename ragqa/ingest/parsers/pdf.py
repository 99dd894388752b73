"""PDF: the text of every page, with page numbers; what cannot be read is said and why."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

from ragqa.errors import RetrievalError
from ragqa.ingest.document import Heading, ParsedDocument, ParsedFile, Problem, TextPage
from ragqa.ingest.parsers.pdf_layout import Layout
from ragqa.ingest.parsers.pdf_lines import Line, read_lines

_HEADER_WITHIN_BYTES = 1024  # as other readers do, the standard wants it at the very start
_RUN_OCR = "Run text recognition (OCR) on it, for instance: ocrmypdf in.pdf out.pdf"
_SAVE_AGAIN = "Open it in a PDF reader, save or print it to a new PDF and index that."
_UNREADABLE = re.compile(r"[\x00-\x08\x0e-\x1f\ue000-\uf8ff\ufffd\ufffe\uffff]")
_UNREADABLE_SHARE = 0.3
_PAGES_NAMED = 10

_pdfium = threading.Lock()  # PDFium is not thread-safe


def parse(data: bytes) -> ParsedFile:
    """Parse a PDF; every page has offsets of its own."""
    if b"%PDF-" not in data[:_HEADER_WITHIN_BYTES]:
        raise RetrievalError(f"is no PDF, {_kind(data)}", hint="Save or download it again.")
    with _pdfium:
        pages, scanned = _read(data)
    if not any(pages):
        raise RetrievalError(
            "holds no text, only images: a scan" if scanned else "holds no text", hint=_RUN_OCR
        )
    _check_readable(pages)
    return ParsedFile(
        (ParsedDocument(tuple(_text_pages(pages))),), tuple(_scans(scanned, len(pages)))
    )


def _kind(data: bytes) -> str:
    html = data[:_HEADER_WITHIN_BYTES].lstrip().lower().startswith((b"<!doctype html", b"<html"))
    return "but a web page, perhaps a sign-in page" if html else "though it is named one"


def _read(data: bytes) -> tuple[list[list[Line]], list[int]]:
    """Return the lines of every page, and the numbers of the pages that hold images alone."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as exc:
        raise _refusal(exc) from exc
    pages: list[list[Line]] = []
    scanned: list[int] = []
    with closing(document):
        if document.get_formtype():
            document.init_forms()
        for index in range(len(document)):
            try:
                with closing(_drawn(document, index)) as page:
                    lines = _lines_of(page)
                    if not lines and _has_image(page):
                        scanned.append(index + 1)
            except pypdfium2.PdfiumError:
                lines = []
                scanned.append(index + 1)
            pages.append(lines)
    return pages, scanned


def _drawn(document: Any, index: int) -> Any:
    """Return a page with its filled fields and typed-on text in it, where a reader sees them."""
    from pypdfium2.raw import FLAT_NORMALDISPLAY, FPDFPage_Flatten

    page = document[index]
    if any(_holds_text(page, at) for at in range(_annotations(page))):
        FPDFPage_Flatten(page, FLAT_NORMALDISPLAY)
        page.close()
        page = document[index]
    return page


def _annotations(page: Any) -> int:
    from pypdfium2.raw import FPDFPage_GetAnnotCount

    return int(FPDFPage_GetAnnotCount(page))


def _holds_text(page: Any, at: int) -> bool:
    from pypdfium2 import raw

    annotation = raw.FPDFPage_GetAnnot(page, at)
    try:
        kind = raw.FPDFAnnot_GetSubtype(annotation)
    finally:
        raw.FPDFPage_CloseAnnot(annotation)
    return kind in {raw.FPDF_ANNOT_WIDGET, raw.FPDF_ANNOT_FREETEXT}


def _refusal(exc: Any) -> RetrievalError:
    from pypdfium2.raw import FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY

    if exc.err_code in {FPDF_ERR_PASSWORD, FPDF_ERR_SECURITY}:
        return RetrievalError(
            "is locked with a password",
            hint="Save it without the password, for instance: qpdf --decrypt in.pdf out.pdf",
        )
    return RetrievalError("is broken and cannot be opened", hint=_SAVE_AGAIN)


def _lines_of(page: Any) -> list[Line]:
    with closing(page.get_textpage()) as textpage:
        return read_lines(textpage)


def _has_image(page: Any) -> bool:
    from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE

    return next(iter(page.get_objects(filter=[FPDF_PAGEOBJ_IMAGE])), None) is not None


def _check_readable(pages: Sequence[Sequence[Line]]) -> None:
    text = "".join(line.text for lines in pages for line in lines)
    if len(_UNREADABLE.findall(text)) > _UNREADABLE_SHARE * len(text):
        raise RetrievalError(
            "holds text that cannot be read: its fonts do not say which letters they show",
            hint=_RUN_OCR,
        )


def _text_pages(pages: Sequence[Sequence[Line]]) -> Iterator[TextPage]:
    layout = Layout(pages)
    above: list[Heading] = []
    for number, lines in enumerate(pages, start=1):
        text, headings = layout.compose(lines)
        yield TextPage(text, headings=headings, number=number, above=tuple(above))
        for heading in headings:
            above = [*(outer for outer in above if outer.level < heading.level), heading]


def _scans(scanned: Sequence[int], pages: int) -> Iterator[Problem]:
    if scanned:
        named = ", ".join(map(str, scanned[:_PAGES_NAMED]))
        more = f" and {len(scanned) - _PAGES_NAMED} more" if len(scanned) > _PAGES_NAMED else ""
        noun, verb = ("page", "holds") if len(scanned) == 1 else ("pages", "hold")
        yield Problem(f"{noun} {named}{more} of {pages} {verb} no text, only an image", _RUN_OCR)
