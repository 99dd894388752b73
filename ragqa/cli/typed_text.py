"""What people type or pipe in: text in the encoding of their terminal, which need not be UTF-8."""

from __future__ import annotations

import os
from codecs import BOM_UTF16_BE, BOM_UTF16_LE


def text_of(raw: bytes) -> str:
    """Return the text of bytes in UTF-8, else in the encoding that makes the most sense of them.

    >>> text_of("保修期多久？".encode("gbk"))
    '保修期多久？'

    Raises:
        RetrievalError: If they are no text in any encoding that is known.
    """
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        from ragqa.ingest.decode import decode

        return decode(raw)


def question_of(raw: bytes) -> str:
    """Return the question that bytes hold; odd bytes that make no text are left out."""
    from ragqa.errors import RetrievalError

    try:
        return text_of(raw)
    except RetrievalError:
        return raw.decode("utf-8-sig", errors="replace")


def output_of(raw: bytes) -> str:
    """Return what a model wrote: UTF-8, or UTF-16 with its mark, as PowerShell saves it.

    Bytes that are no UTF-8 come as lone surrogates: the gates say what they make of them.
    """
    if raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return raw.decode("utf-16", errors="replace")
    return raw.decode("utf-8", errors="surrogateescape")


def argument(word: str) -> str:
    """Return an argument that Python could not decode, as it was typed.

    Such bytes come as lone surrogates: from a terminal of another encoding, or where the locale
    knows ASCII alone (PEP 383).
    """
    try:
        word.encode()
    except UnicodeEncodeError:
        return question_of(os.fsencode(word))
    return word
