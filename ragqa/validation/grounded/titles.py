"""Titles in the forms in which models write them, and which real title a form fits."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from ragqa.language.late import late

_INVISIBLE = late(r"[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\u00ad]")
_DASHES = late(r"[\u2010-\u2015\u2212]")
_QUOTES = " \t\r\n\"'`*_“”‘’«»„"
_EDGES = " \t\r\n\"'`*_“”‘’«»„<>()[]{}（）【】《》「」『』〈〉,;，；、"
_LINK = late(r"!?\[([^\]]{1,300})\]\(<?([^)\s>]{1,500})>?(?:\s+[^)]{0,200})?\)")
_LABEL = late(
    r"(?:(?:sources?|passages?|doc(?:ument)?|来源|文档|资料|段落)\s*#?\s*\d{0,3}|title|file(?:name)?"
    r"|标题|文件名?|出处)\s*[:：]\s*(?=\S)",
    re.IGNORECASE,
)
_LED = late(r"[\[【(（]?\s*\d{1,3}\s*[\]】)）.、:：]\s*(?=\S)")
_ADDRESS = late(r"(?:[a-z][a-z0-9+.-]{1,20}:)?//[^/\s]{0,200}/|file:/{1,3}", re.IGNORECASE)
_FRAGMENT = late(r"(?:#[^#/]{0,80}|\?[^?/]{0,200})$")
_PAGE = late(
    r"[\s,，;(（\[:：》」』-]{0,4}"
    r"(?:(?<![A-Za-z0-9])(?:pages?|pp?\.?|slide|sheet|chunk|section|part|line)s?[\s.=:]{0,2}\d{1,5}"
    r"(?:\s?[-–]\s?\d{1,5})?|第\s?[\d一二三四五六七八九十]{1,5}\s?(?:[页頁节章段条款]|部分)"
    r"|\d{1,5}\s?[页頁])\s?[)）\]]?$",
    re.IGNORECASE,
)
_NOTE = late(r"\s*[\[【]\^?\d{1,3}[\]】]$")
_HEADING = late(r"\s*(?:>|»|§|::)\s*[^/\\]{1,200}$")
_EXTENSION = late(r"(?<=[^./\s])\.[A-Za-z][A-Za-z0-9]{0,4}$")
_SEPARATORS = late(r"[\s_.·・-]+")

Parts = tuple[str, ...]
"""A title as a path: its folders and its name."""


def fitting(source: str, titles: Sequence[str]) -> tuple[str, ...]:
    """Return the titles that a source may mean: one that is equal, else all that fit best.

    The nearest form decides: a title that is equal but for case and blanks goes before one that
    lies in another folder, and that before one with an extension more or less.
    """
    if source in titles:
        return (source,)
    known = [(title, _parts(_even(title))) for title in titles]
    for form in _forms(source):
        wanted = _parts(form)
        if not wanted or not any(wanted):
            continue
        for fits in (_same, _suffix, _same_stem, _same_letters):
            found = tuple(dict.fromkeys(title for title, parts in known if fits(wanted, parts)))
            if found:
                return found
    return ()


def _even(text: str) -> str:
    """Return a text in one Unicode form, without case, invisible marks and doubled blanks.

    Models like to write the hyphen of a file name as one that does not break, or as a dash.
    """
    visible = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    return " ".join(_DASHES.sub("-", visible).split()).casefold()


def _forms(source: str) -> Iterator[str]:
    """Yield what a source may be meant to say, the most literal form first."""
    plain = _even(source)
    yield plain
    seen = {plain}
    for form in _undressed(source):
        even = _even(form)
        if even and even not in seen:
            seen.add(even)
            yield even


def _undressed(source: str) -> Iterator[str]:
    """Yield a source without what models put around a title."""
    for link in _LINK.finditer(source):
        yield from _undressed_text(link[2])
        yield from _undressed_text(link[1])
    # 【0†returns.md】, returns.md†L1-L5: marks of services that cite on their own
    if "†" in source:
        for piece in source.split("†"):
            yield from _undressed_text(piece) if piece.strip(_EDGES) != "source" else ()
    yield from _undressed_text(source)


def _undressed_text(text: str) -> Iterator[str]:
    text = unquote(text) if "%" in text else text
    text = _INVISIBLE.sub("", text).strip(_QUOTES)
    yield text
    yield (text := _NOTE.sub("", text))
    yield (text := text.strip(_EDGES))
    text = _LABEL.sub("", text, count=1).strip(_EDGES)
    yield text
    text = _HEADING.sub("", text).rstrip(".。")
    yield (shorter := _PAGE.sub("", text).strip(_EDGES))
    yield (shorter := _FRAGMENT.sub("", shorter).strip(_EDGES))
    yield (address := _FRAGMENT.sub("", _ADDRESS.sub("", shorter, count=1)).strip(_EDGES))
    yield _LED.sub("", address, count=1).strip(_EDGES)


def _parts(path: str) -> Parts:
    pieces = path.replace("\\", "/").split("/")
    return tuple(piece.strip() for piece in pieces if piece.strip() not in {"", ".", ".."})


def _same(wanted: Parts, title: Parts) -> bool:
    return wanted == title


def _suffix(wanted: Parts, title: Parts) -> bool:
    """Tell whether both are one file, of which one is given with more folders."""
    shared = min(len(wanted), len(title))
    return shared > 0 and wanted[-shared:] == title[-shared:]


def _same_stem(wanted: Parts, title: Parts) -> bool:
    """Tell whether both are one file, where one lacks the extension."""
    if not wanted or not title:
        return False
    stem, other = _EXTENSION.sub("", wanted[-1]), _EXTENSION.sub("", title[-1])
    if stem != wanted[-1] and other != title[-1]:
        return _suffix(wanted, (*title[:-1], other))  # manual.v2 and manual.v2.pdf
    return bool(stem) and _suffix((*wanted[:-1], stem), (*title[:-1], other))


def _same_letters(wanted: Parts, title: Parts) -> bool:
    """Tell whether both are one file but for blanks, hyphens and underscores."""
    if not wanted or not title:
        return False
    squeezed, other = _squeezed(wanted), _squeezed(title)
    if not all(squeezed) or not all(other):
        return False
    return _same_stem(squeezed, other) or _suffix(squeezed, other)


def _squeezed(parts: Parts) -> Parts:
    ending = _EXTENSION.search(parts[-1])
    end = ending.group() if ending else ""
    names = (*parts[:-1], parts[-1].removesuffix(end))
    squeezed = [_SEPARATORS.sub("", name) for name in names]
    return (*squeezed[:-1], squeezed[-1] + end if squeezed[-1] else "")
