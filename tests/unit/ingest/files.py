"""Files made on the fly: PDFs down to the byte, Word documents, and an index in memory."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import docx

from ragqa.ports import Chunk, StoredFile


@dataclass(frozen=True)
class Ink:
    """A run of text on a PDF page."""

    text: str
    x: float = 72
    y: float = 700
    size: float = 11
    bold: bool = False
    scaled: bool = False  # size 1, made larger by the text matrix


def paragraph(*lines: str, y: float = 700, size: float = 11, x: float = 72) -> list[Ink]:
    """Return lines that stand one below the other, as an editor sets them."""
    return [Ink(line, x=x, y=y - at * 1.3 * size, size=size) for at, line in enumerate(lines)]


_FONTS = (
    b"<< /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >> "
    b"/F2 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >> "
    b"/F3 << /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H "
    b"/DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light "
    b"/CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> /DW 1000 >>] >> "
    b"/F4 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 5 0 R >> >>"
)
BEYOND = "\U00020bb7"  # a character of a higher plane, which the font F4 shows for an X
_TO_UNICODE = b"1 beginbfchar\n<58> <D842DFB7>\nendbfchar"
_IMAGE = (
    b"<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceRGB "
    b"/BitsPerComponent 8 /Length 3 >>\nstream\n\x10\x20\x30\nendstream"
)


def pdf(
    *pages: Sequence[Ink] | bytes | None,
    password: str | None = None,
    fields: Sequence[str] = (),
    typed: Sequence[str] = (),
) -> bytes:
    """Return a PDF.

    Args:
        pages: A page that is ``None`` is a scan, an empty one is blank, bytes are its operators.
        password: Needed to open it.
        fields: Filled into a form on every page.
        typed: Typed onto every page, as a reader's program does.
    """
    objects: dict[int, bytes] = {3: _FONTS, 4: _IMAGE, 5: _stream(_TO_UNICODE)}
    marks = [_annotation(b"Widget /FT /Tx /V", text, at) for at, text in enumerate(fields)]
    marks += [_annotation(b"FreeText /Contents", text, at + 9) for at, text in enumerate(typed)]
    objects.update(enumerate(marks, start=6))
    annotations = b" ".join(b"%d 0 R" % number for number in objects if number > 5)
    kids = []
    for page in pages:
        number = max(objects) + 1
        objects[number] = _stream(page if isinstance(page, bytes) else _operators(page))
        objects[number + 1] = (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "
            b"/Resources << /Font 3 0 R /XObject << /Im0 4 0 R >> >> /Annots [%s] >>"
            % (number, annotations)
        )
        kids.append(b"%d 0 R" % (number + 1))
    form = b"/AcroForm << /Fields [%s] /DR << /Font 3 0 R >> >>" % annotations if fields else b""
    objects[1] = b"<< /Type /Catalog /Pages 2 0 R %s >>" % form
    objects[2] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), len(kids))
    return _assembled(objects, _encryption(password) if password else b"")


def _annotation(kind: bytes, text: str, at: int) -> bytes:
    box = b"/Rect [72 %d 400 %d] /F 4 /DA (/F1 11 Tf 0 g)" % (600 - 20 * at, 616 - 20 * at)
    return b"<< /Type /Annot /T (t%d) /Subtype /%s (%s) %s >>" % (at, kind, text.encode(), box)


def _operators(page: Sequence[Ink] | None) -> bytes:
    return b"q 612 0 0 792 0 0 cm /Im0 Do Q" if page is None else b"\n".join(map(_ink, page))


def _stream(content: bytes) -> bytes:
    return b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content)


def _ink(ink: Ink) -> bytes:
    plain = ink.text.replace(BEYOND, "X")
    if plain.isascii():
        font = b"F4" if plain != ink.text else b"F2" if ink.bold else b"F1"
        text = b"(%s)" % re.sub(rb"[()\\]", rb"\\\g<0>", plain.encode())
    else:
        font, text = b"F3", b"<%s>" % ink.text.encode("utf-16-be").hex().encode()
    if ink.scaled:
        place = b"/%s 1 Tf %g 0 0 %g %g %g Tm" % (font, ink.size, ink.size, ink.x, ink.y)
    else:
        place = b"/%s %g Tf %g %g Td" % (font, ink.size, ink.x, ink.y)
    return b"BT %s %s Tj ET" % (place, text)


def _assembled(objects: dict[int, bytes], trailer: bytes) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    offsets = {}
    for number in sorted(objects):
        offsets[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, objects[number])
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for number in sorted(objects):
        out += b"%010d 00000 n \n" % offsets[number]
    out += b"trailer\n<< /Size %d /Root 1 0 R %s >>\n" % (len(objects) + 1, trailer)
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % start)


_PAD = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")


def _encryption(password: str) -> bytes:
    """Return the trailer's part of the standard security handler, revision 2 (ISO 32000-1 7.6)."""
    padded = (password.encode() + _PAD)[:32]
    owner = _rc4(hashlib.md5(padded).digest()[:5], padded)
    permissions = (-4).to_bytes(4, "little", signed=True)
    identity = b"0123456789abcdef"
    key = hashlib.md5(padded + owner + permissions + identity).digest()[:5]
    return (
        b"/ID [<%s> <%s>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <%s> /U <%s> >>"
        % tuple(part.hex().encode() for part in (identity, identity, owner, _rc4(key, _PAD)))
    )


def _rc4(key: bytes, data: bytes) -> bytes:
    state, j = list(range(256)), 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def word(document: object) -> bytes:
    """Return a Word document as a file's bytes."""
    buffer = io.BytesIO()
    document.save(buffer)  # type: ignore[attr-defined]
    return buffer.getvalue()


def empty_word() -> object:
    """Return a Word document to be filled."""
    return docx.Document()


class MemoryStore:
    """An index in memory: what a writer did is there once it is left without error."""

    def __init__(self) -> None:
        self.stored: dict[str, StoredFile] = {}
        self.chunks: dict[str, list[Chunk]] = {}
        self.writers_opened = 0
        self.replaced: list[str] = []

    def files(self) -> dict[str, StoredFile]:
        return dict(self.stored)

    @contextmanager
    def writer(self) -> Iterator[_MemoryWriter]:
        self.writers_opened += 1
        writer = _MemoryWriter(dict(self.stored), dict(self.chunks))
        yield writer
        self.stored, self.chunks = writer.stored, writer.chunks
        self.replaced += writer.replaced

    def titles(self) -> dict[str, str]:
        return {path: file.title for path, file in self.stored.items()}

    def text(self, path: str) -> str:
        return "".join(chunk.text for chunk in self.chunks[path])


@dataclass
class _MemoryWriter:
    stored: dict[str, StoredFile]
    chunks: dict[str, list[Chunk]]

    def __post_init__(self) -> None:
        self.replaced: list[str] = []

    def replace(self, file: StoredFile, chunks: Sequence[Chunk]) -> None:
        self.stored[file.path] = file
        self.chunks[file.path] = list(chunks)
        self.replaced.append(file.path)

    def remove(self, path: str) -> None:
        self.stored.pop(path, None)
        self.chunks.pop(path, None)
