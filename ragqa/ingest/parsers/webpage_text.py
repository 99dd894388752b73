"""Walks the tree of a web page and writes down its text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragqa.ingest.parsers.webpage_tables import data_rows, is_data_table
from ragqa.ingest.tables import table_lines
from ragqa.ingest.text_builder import TextBuilder, raised
from ragqa.language import has_han, is_question

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


def tags(names: str) -> frozenset[str]:
    """Return the names of elements that a text lists."""
    return frozenset(names.split())


_LEFT_OUT = tags(
    "script style noscript template nav footer head iframe object embed svg canvas audio video "
    "select datalist textarea noframes noembed "
    "del s strike "  # no longer holds
    "rt rp rtc "  # readings above characters, which would cut the words
    "annotation annotation-xml"  # formulas a second time
)
_BLOCKS = tags(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu ol p pre "
    "search section summary table tbody td tfoot th thead tr ul"
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_NO_GAP = frozenset({"sub", "sup", "wbr"})
_APART = frozenset({"label", "button", "output"})
_STYLING = tags("span font b strong i em u s small big mark code bdi ruby")
_DEEPEST_TABLE = 12  # every check looks through all that is inside
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))
_LISTS = frozenset({"ol", "ul", "menu"})
_DIGITS = 4
"""No list begins with a number of so many digits."""

_BLANKS = re.compile(r"[^\S\n]*\n[^\S\n]*|[^\S\n]+")


class PageText(TextBuilder):
    """The text of a page, block by block.

    Neighbouring elements are kept apart even where the source has no blank between them:
    ``<a>Home</a><a>Shop</a>`` are two words, and so are ``<b>Weight</b>2 kg``, but not
    ``<b>W</b>ord``. Inside a word of Chinese, which editors cut into styled pieces at will, and
    around sub- and superscripts nothing is put between.
    """

    def __init__(self) -> None:
        super().__init__()
        self._inline: list[str] = []
        self._edges: list[str] = []  # inline tags since the last text: "b" opened, "/b" closed
        self._preformatted = 0
        self._raised = 0  # superscripts around here
        self._layouts = 0  # tables around here that lay out the page
        self._item = False
        self._numbers: list[int | None] = []  # of the lists around here; None without an order
        self._term = False

    def read(self, root: LexborNode) -> None:
        """Write down everything below a node."""
        stack: list[tuple[LexborNode, bool]] = [(root, False)]
        while stack:  # pages nest deeper than Python recurses
            node, left = stack.pop()
            if left:
                self._leave(node)
                continue
            if node.next is not None and node is not root:
                stack.append((node.next, False))
            if self._enter(node):
                stack.append((node, True))
                if node.first_child is not None:
                    stack.append((node.first_child, False))
        self._flush()

    def _enter(self, node: LexborNode) -> bool:
        """Take note of a node; tell whether to go below it."""
        tag = node.tag or ""
        if node.is_text_node:
            self._text(node.text_content or "")
            return False
        if not node.is_element_node or tag in _LEFT_OUT or _is_hidden(node):
            return False
        if tag == "table":
            if self._layouts < _DEEPEST_TABLE and is_data_table(node):
                self._table(node)
                return False
            self._layouts += 1
        if tag == "br":
            self._inline.append("\n")
        elif tag in _BLOCKS:
            self._open_block(tag)
            self._count(node, tag)
        else:
            self._raised += tag == "sup"
            self._edges.append(tag)
        return True

    def _leave(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if tag in _HEADINGS:
            self._end_heading(_HEADINGS[tag])
        elif tag == "dt":
            self._term = bool("".join(self._inline).strip())
        elif tag in _BLOCKS:
            self._flush()
            self._preformatted -= tag == "pre"
            self._layouts -= tag == "table"
            if tag in _LISTS:
                self._numbers.pop()
        elif tag != "br":
            self._raised -= tag == "sup"
            self._edges.append(f"/{tag}")
            return
        self._edges.clear()

    def _open_block(self, tag: str) -> None:
        term = "".join(self._inline).rstrip()
        if tag == "dd" and self._term and not is_question(term):  # "term: definition" on one line
            self._inline = [term, " " if term.endswith((":", "：")) else ": "]
        else:
            self._flush()
        self._term = False
        self._edges.clear()
        self._item = tag == "li" or (self._item and tag in {"p", "div"})
        self._preformatted += tag == "pre"

    def _count(self, node: LexborNode, tag: str) -> None:
        """Number the items of a list that has an order."""
        if tag in _LISTS:
            first = (node.attributes or {}).get("start") or "1"
            number = int(first) if first.isdecimal() and len(first) < _DIGITS else 1
            self._numbers.append(number - 1 if tag == "ol" else None)
        elif tag == "li" and self._numbers and self._numbers[-1] is not None:
            self._numbers[-1] += 1

    def _text(self, text: str) -> None:
        text = text.translate(_INVISIBLE)
        if not self._preformatted:
            text = " ".join(re.split(r"\s+", text))
        if not text:
            return
        if self._edges and self._needs_blank(text):
            self._inline.append(" ")
        if self._raised:
            text = raised(text, self._last())
        self._inline.append(text)
        self._edges.clear()

    def _needs_blank(self, text: str) -> bool:
        tags = {edge.removeprefix("/") for edge in self._edges}
        if self._preformatted or _NO_GAP & tags:
            return False
        before = self._last() or " "
        if self._edges[0].startswith("/") and not self._edges[-1].startswith("/"):
            return not (has_han(before) and has_han(text[0]) and _STYLING.issuperset(tags))
        changes = before.islower() and (text[0].isupper() or text[0].isdigit())
        return changes or bool(_APART & tags)

    def _last(self) -> str:
        """Return the last character of the block so far."""
        return next((piece[-1] for piece in reversed(self._inline) if piece), "")

    def _end_heading(self, level: int) -> None:
        title = "".join(self._inline)
        self._inline.clear()
        self.heading(title, level)

    def _flush(self) -> None:
        block = "".join(self._inline)
        self._inline.clear()
        if not self._preformatted:
            block = _BLANKS.sub(lambda run: "\n" if "\n" in run.group() else " ", block).strip()
        number = self._numbers[-1] if self._numbers else None
        self.add(block.strip("\n"), item=self._item, number=number)
        self._item = self._item and not block.strip()

    def _table(self, table: LexborNode) -> None:
        self._flush()
        caption, rows, header_rows = data_rows(table, inline_text)
        self.add(caption)
        for line in table_lines(rows, header_rows):
            self.add(line)
        self._edges.clear()


def _is_hidden(node: LexborNode) -> bool:
    attributes = node.attributes
    if not attributes:
        return False
    return (
        "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or attributes.get("role") in {"navigation", "contentinfo"}
        or _HIDDEN_STYLE.search(attributes.get("style") or "") is not None
    )


def inline_text(node: LexborNode) -> str:
    """Return the text below a node on one line."""
    page = PageText()
    page.read(node)
    return " ".join(page.text.split())
