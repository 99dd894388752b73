"""Markdown: the document is the decoded file, and its headings are found in it.

Only what splitting needs is read, by the rules of CommonMark 0.31 (https://spec.commonmark.org):
headings with ``#``, underlined ones, and code fences and front matter, where a ``#`` is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragqa.ingest.decode import decode
from ragqa.ingest.document import Heading, ParsedFile, single

_LINE = re.compile(r"([^\r\n]*)(?:\r\n?|\n|\Z)")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^\r\n]*)")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*")
_UNDERLINE = re.compile(r" {0,3}(=+|-{3,})[ \t]*")
_NO_TITLE = re.compile(r"\s*$|\s*(?:[-*+>|]|\d+[.)])\s|\s{4}|.*\|")
_FRONT_MATTER = re.compile(
    r"---[ \t]*(?:\r\n?|\n)(?:.*?(?:\r\n?|\n))??(?:---|\.\.\.)[ \t]*(?:[\r\n]|\Z)", re.S
)
_LINK = re.compile(r"!?\[([^\]\[]*)\](?:\([^()\s]*(?:\s+\"[^\"]*\")?\)|\[[^\]\[]*\])")
_MARKS = re.compile(r"(?<!\\)(?:\*{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)|`+|<[^<>]{1,80}>|\{#[\w-]+\})")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


def parse(data: bytes) -> ParsedFile:
    """Parse a Markdown file."""
    text = decode(data)
    return single(text, tuple(headings(text)))


def headings(text: str) -> Iterator[Heading]:
    """Yield the headings of a Markdown text."""
    front = _FRONT_MATTER.match(text)
    fence, above, blank_before = "", None, True
    for line in _LINE.finditer(text, front.end() if front else 0):
        content = line.group(1)
        if fence:
            fence = "" if _closes(content, fence) else fence
            continue
        if opening := _FENCE.fullmatch(content):
            fence = opening.group(1) if "`" not in opening.group(2) else ""
        elif match := _HEADING.fullmatch(content):
            yield from _titled(line.start(), line.end(1), len(match.group(1)), match.group(2) or "")
        elif above is not None and (match := _UNDERLINE.fullmatch(content)):
            level = 1 if match.group(1).startswith("=") else 2
            yield from _titled(above.start(), line.end(1), level, above.group(1))
        title = blank_before and not fence and not _NO_TITLE.match(content)
        above, blank_before = (line if title else None), not content.strip()


def _closes(content: str, fence: str) -> bool:
    match = _FENCE.fullmatch(content)
    return match is not None and match.group(1).startswith(fence) and not match.group(2).strip()


def _titled(start: int, end: int, level: int, source: str) -> Iterator[Heading]:
    title = _ESCAPE.sub(r"\1", _MARKS.sub("", _LINK.sub(r"\1", source))).strip()
    if title:
        yield Heading(start, end, level, title)
