"""Bytes to text: every byte accounted for, no replacement characters, or a reason why not."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from ragqa.errors import RetrievalError
from ragqa.ingest import encodings

_BOMS = (  # UTF-32 first: its mark begins like the one of UTF-16
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (b"\x84\x31\x95\x33", "gb18030"),
)
_MAGIC = (
    (b"%PDF-", "a PDF"),
    (b"PK\x03\x04", "a zip archive or an Office document"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document"),
    (b"{\\rtf", "a rich text document (RTF)"),
    (b"\x89PNG\r\n", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (b"RIFF", "a sound, a film or an image"),
    (b"II*\0", "an image"),
    (b"MM\0*", "an image"),
    (b"\x1f\x8b", "a compressed file"),
    (b"7z\xbc\xaf\x27\x1c", "a compressed file"),
    (b"Rar!", "a compressed file"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\0", "a database"),
)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f]")
_HIGH_TO_BLANK = bytes(range(0x80)) + b" " * 0x80
_SHIFTED = b"\x1b$"  # Japanese of mails, in seven bits
_CONTROL_SHARE = 0.01  # of a text that still counts as one: a log with a stray byte
_SAMPLE_BYTES = 1 << 16
_Candidate = tuple[str, encodings.Plausibility]
_WIDE: tuple[_Candidate, ...] = tuple(
    (encoding, encodings.wide) for encoding in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
)
# In this order where two fit equally well.
_CANDIDATES: tuple[_Candidate, ...] = (
    ("gb18030", encodings.gb18030),
    ("big5hkscs", encodings.big5),
    ("cp932", encodings.japanese),
    ("cp949", encodings.korean),
    ("cp1252", encodings.western),
)
_PLAUSIBLE = 0.5
_CERTAIN = 0.75
_OTHER_CODE_PAGES = [
    "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258", "tis_620",
    "koi8_r", "koi8_u", "cp866", "cp437", "cp850", "euc_jp", "mac_roman",
]  # fmt: skip
_AS_UTF8 = "Save it as UTF-8 and index it again."


def decode(data: bytes, *, declared: str | None = None) -> str:
    """Return the text of a file without its byte order mark; line ends stay as they are.

    Tried in this order: byte order mark, UTF-16 and UTF-32 without one (they show NUL bytes),
    UTF-8, the declared encoding, then whichever of GB18030, Big5, Shift-JIS, Korean and Western
    European gives the most plausible text, then the code pages that charset-normalizer knows.

    Args:
        data: The whole file.
        declared: What the file says of itself, as an html page does.

    Raises:
        RetrievalError: If it is no text, a damaged one or one in an unknown encoding.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return _marked(data[len(mark) :], encoding)
    for magic, kind in _MAGIC:
        if data.startswith(magic):
            raise RetrievalError(f"is {kind}, not text", hint="Give it the suffix of its kind.")
    for encoding in _attempts(data, declared):
        text = _strict(data, encoding)
        if text is not None and not _looks_binary(text):
            return text
    raise _refusal(data)


def decode_data(data: bytes) -> str:
    """Return the text of a table or of JSON, without a second byte order mark.

    Programs that mark text which is marked already leave two; the second one would become part of
    the first column's name. Characters of prose are counted in the file, so it keeps them.

    Raises:
        RetrievalError: As ``decode`` does.
    """
    return decode(data).lstrip("\ufeff")


def _attempts(data: bytes, declared: str | None) -> Iterator[str]:
    if b"\0" in data:
        yield from _ranked(data, _WIDE)
    if _is_binary(data):
        return
    if data.isascii():
        if _SHIFTED in data:
            yield "iso2022_jp_ext"
        yield "utf-8"
        return
    if encodings.doubtful_utf8(data[:_SAMPLE_BYTES].decode("utf-8", errors="replace")):
        yield from _ranked(data, _CANDIDATES[:1])
    yield "utf-8"
    if b"\0" in data:
        return
    if _is_damaged_utf8(data):
        yield from _ranked(data, _CANDIDATES[:1], _CERTAIN)
        return
    if declared and (encoding := _known(declared)):
        yield encoding
    yield from _ranked(data, _CANDIDATES)
    yield from _detected(data)


def _marked(data: bytes, encoding: str) -> str:
    text = _strict(data, encoding)
    if text is None:
        raise RetrievalError(
            f"begins like {encoding.upper()}, but is damaged further down", hint=_AS_UTF8
        )
    if _looks_binary(text):
        raise RetrievalError("is not text", hint="Index the document it was made from.")
    return text


def _strict(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeError, LookupError):
        return None


_WIDER = {
    "gb2312": "gb18030", "gbk": "gb18030", "big5": "big5hkscs", "shift_jis": "cp932",
    "iso8859-1": "cp1252", "ascii": "cp1252", "euc_kr": "cp949", "iso8859-9": "cp1254",
    "iso8859-11": "cp874", "tis-620": "cp874",
}  # fmt: skip
_LABEL = re.compile(r"(?:x-)?(?:(windows-|cp)(?=\d)|)(.+?)(?:(?<=8859-8)-[ei])?")


def _known(declared: str) -> str | None:
    """Return the codec to read a declared encoding with, as browsers do (WHATWG Encoding)."""
    label = declared.strip().lower()
    found = _LABEL.fullmatch(label)
    plain = f"{'cp' if found[1] else ''}{found[2]}" if found else label
    for name in (label, plain):
        try:
            known = codecs.lookup(name).name
        except LookupError:
            continue
        return _WIDER.get(known, known)
    return None


def _looks_binary(text: str) -> bool:
    controls = len(_CONTROL.findall(text))
    return controls > max(2, len(text) * _CONTROL_SHARE)


def _is_binary(data: bytes) -> bool:
    """Tell whether bytes below the printable ones stand in what is no UTF-16."""
    return _looks_binary(data[:_SAMPLE_BYTES].translate(_HIGH_TO_BLANK).decode("ascii"))


_MOSTLY_UTF8 = 4  # characters beyond ASCII for every broken one
_BAD_BYTES = re.compile("[\udc80-\udcff]+")


def _is_damaged_utf8(data: bytes) -> bool:
    """Tell whether a text that is no UTF-8 is so in the main; such a file is not guessed at."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="surrogateescape")
    text = decoder.decode(data[:_SAMPLE_BYTES], len(data) <= _SAMPLE_BYTES)
    bad = _BAD_BYTES.findall(text)
    good = sum(1 for char in text if char > "\x7f") - sum(map(len, bad))
    return good > 0 and good >= _MOSTLY_UTF8 * len(bad)


def _broken_at(data: bytes) -> int:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as exc:
        return exc.start
    return len(data)


def _ranked(
    data: bytes, candidates: tuple[_Candidate, ...], at_least: float = _PLAUSIBLE
) -> Iterator[str]:
    """Yield the encodings that give a plausible text, the most plausible first."""
    scores = []
    for encoding, plausibility in candidates:
        sample = _sample(data, encoding)
        if sample is not None and (score := plausibility(sample)) >= at_least:
            scores.append((score, encoding))
    for _, encoding in sorted(scores, key=lambda pair: -pair[0]):
        yield encoding


def _sample(data: bytes, encoding: str) -> str | None:
    decoder = codecs.getincrementaldecoder(encoding)()
    final = len(data) <= _SAMPLE_BYTES
    try:
        return decoder.decode(data[:_SAMPLE_BYTES], final)
    except UnicodeDecodeError:
        return None


def _detected(data: bytes) -> Iterator[str]:
    from charset_normalizer import from_bytes  # 20 ms: only for code pages that are rare here

    best = from_bytes(data[:_SAMPLE_BYTES], cp_isolation=_OTHER_CODE_PAGES).best()
    if best is not None:
        yield best.encoding


def _refusal(data: bytes) -> RetrievalError:
    if _is_binary(data):
        return RetrievalError("is not text", hint="Index the document it was made from.")
    if _is_damaged_utf8(data):
        return RetrievalError(f"is UTF-8, but damaged at byte {_broken_at(data)}", hint=_AS_UTF8)
    return RetrievalError("has an encoding that could not be recognised", hint=_AS_UTF8)
