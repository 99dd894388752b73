"""html: what a reader of the page sees, in order, with its headings and tables."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from ragqa.errors import RetrievalError
from ragqa.ingest.decode import decode
from ragqa.ingest.document import Heading, ParsedDocument, ParsedFile, TextPage
from ragqa.ingest.parsers.webpage_text import PageText, tags

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_DECLARED = re.compile(
    rb"<(?:meta|\?xml)\b[^>]{0,200}?(?:charset|encoding)\s*=\s*[\"']?([\w.:-]+)", re.I
)
_DECLARED_WITHIN_BYTES = 4096
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_VOID = tags("area base br col embed hr img input link meta source track wbr")
# Tags that close by themselves do not nest, however many of them are open.
_CLOSES_ITSELF = _VOID | tags(
    "p li dt dd tr td th tbody thead tfoot option optgroup colgroup rt rp html head body"
)
_EMPTY_ELEMENT = re.compile(r"<([a-zA-Z][\w:-]*)((?:\s[^<>]*)?)/>")
_CDATA = re.compile(r"<!\[CDATA\[((?:(?!<!\[CDATA\[).)*?)\]\]>", re.S)
# lexbor looks through all open elements at every tag: 0.1 s at this depth, 2 minutes at 200,000.
_MAX_DEPTH = 10_000


def parse(data: bytes) -> ParsedFile:
    """Parse a web page."""
    from selectolax.lexbor import LexborHTMLParser

    declared = _DECLARED.search(data[:_DECLARED_WITHIN_BYTES])
    label = declared.group(1).decode("ascii") if declared else None
    source = _as_html(decode(data, declared=label))
    if _depth(source) > _MAX_DEPTH:
        raise RetrievalError(
            f"nests its elements more than {_MAX_DEPTH:,} deep", hint="Save it as plain text."
        )
    tree = LexborHTMLParser(source)
    page = PageText()
    if tree.root is not None:
        page.read(tree.root)
    above = () if page.headings else _title(tree)
    return ParsedFile(
        (ParsedDocument((TextPage(page.text, headings=tuple(page.headings), above=above),)),)
    )


def _as_html(source: str) -> str:
    """Return a page that is XML as html, where ``<script/>`` would hide all that follows."""
    if not source.lstrip().startswith("<?xml"):
        return source
    closed = _EMPTY_ELEMENT.sub(_closed, source)
    return _CDATA.sub(lambda match: escape(match.group(1), quote=False), closed)


def _closed(match: re.Match[str]) -> str:
    name = match.group(1)
    return match.group() if name.lower() in _VOID else f"<{name}{match.group(2)}></{name}>"


def _depth(source: str) -> int:
    depth = deepest = 0
    for match in _TAG.finditer(source):
        if match.group(2).lower() not in _CLOSES_ITSELF:
            depth = max(depth - 1, 0) if match.group(1) else depth + 1
            deepest = max(deepest, depth)
    return deepest


def _title(tree: LexborHTMLParser) -> tuple[Heading, ...]:
    """Return the page's title, which heads a page without headings."""
    node = tree.css_first("title")
    title = " ".join(node.text().split()) if node is not None else ""
    return (Heading(0, 0, 1, title),) if title else ()
