"""Sources are titles of retrieved documents that the caller may see."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ragqa.language.late import late
from ragqa.validation.fields import passed_with, sources_of
from ragqa.validation.gate import CheckContext, Fault, Outcome, Passed, Rejected
from ragqa.validation.grounded.titles import fitting
from ragqa.validation.grounded.visible import allowed_titles, hidden_titles, visible_passages

_NUMBER = late(
    r"[\[【(（<#^]{0,2}\s*(?:sources?|passages?|doc(?:ument)?s?|来源|文档|资料|段落)?\s*#?\s*"
    r"[\[【(（]?\s*(\d{1,3})\s*[\]】)）>.]{0,2}",
    re.IGNORECASE,
)
_NUMBER_AND_TITLE = late(
    r"\A\s*[\[【(（]\s*(\d{1,3})\s*[\]】)）]\s*[:：.-]?\s*(?=\S)"
    r"|\A\s*(?:sources?|passages?|doc(?:ument)?|来源|文档|资料|段落)\s*#?\s*(\d{1,3})\s*[:：]\s*(?=\S)"
    r"|(?<=\S)\s*[\[【]\^?(\d{1,3})[\]】]\s*\Z",
    re.IGNORECASE,
)
_BETWEEN = late(
    r"\s*[;；|\n]\s*|\s*[,，、]\s*|(?<=[\]】])\s*(?=[\[【])|\s+(?:and|und|et|&)\s+|\s*[和与及]\s*"
)
_BLANKS = late(r"\s{2,}")
_MAX_PIECES = 8
_MAX_SHOWN = 10
_MAX_CHARS = 100


class SourcesRetrieved:
    """Map each source to the one title that it fits, and refuse those that fit none or two.

    Case, blanks, quotes, brackets, folders in front, an extension more or less, Unicode form,
    ``%20``, Markdown links and page numbers do not matter where exactly one title fits; ``[2]``
    is the second passage of the prompt where the prompt numbered them.
    """

    name = "sources"

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass the value on with real titles as its sources."""
        sources, allowed = sources_of(value), allowed_titles(context)
        if not sources or allowed is None or all(source in allowed for source in sources):
            return Passed(value)
        resolved = [_resolved(source, allowed, context) for source in sources]
        faults = tuple(_faults(resolved, allowed, context))
        if faults:
            return Rejected(faults, value=value)
        titles = [title for each in resolved for title in each.titles]
        outcome = passed_with(value, {"sources": list(dict.fromkeys(titles))}, "source_mapped")
        if isinstance(outcome, Rejected) or len(set(titles)) == len(titles):
            return outcome
        return Passed(outcome.value, repairs=(*outcome.repairs, "duplicate_sources"))


@dataclass(frozen=True, slots=True)
class _Resolved:
    """A source with the titles it stands for; or the titles between which it does not say."""

    source: str
    titles: tuple[str, ...] = ()
    ambiguous: bool = False


def _resolved(source: str, allowed: Sequence[str], context: CheckContext) -> _Resolved:
    if source in allowed:
        return _Resolved(source, (source,))
    # Patterns with blanks on both sides of a mark would look at a long run of them again and again.
    source = _BLANKS.sub(lambda run: "\n" if "\n" in run[0] else " ", source)
    whole = _one(source, allowed, context)
    if whole.titles:
        return whole
    pieces = [piece for piece in _BETWEEN.split(source.strip(), maxsplit=_MAX_PIECES) if piece]
    if len(pieces) < 2 or len(pieces) > _MAX_PIECES:
        return whole
    parts = [_one(piece, allowed, context) for piece in pieces]
    if all(part.titles and not part.ambiguous for part in parts):
        return _Resolved(source, tuple(title for part in parts for title in part.titles))
    return whole


def _one(source: str, allowed: Sequence[str], context: CheckContext) -> _Resolved:
    """Resolve a source that names one document."""
    if source in allowed:
        return _Resolved(source, (source,))
    number = _NUMBER.fullmatch(source.strip())
    titles = fitting(source, allowed) or _of_number(number, allowed, context)
    if not titles:
        titles = _of_id(source.strip(), allowed, context)
    led = _NUMBER_AND_TITLE.search(source)
    if titles and led and (numbered := _of_number(led, allowed, context)):
        titles = tuple(dict.fromkeys((*titles, *numbered)))
    return _Resolved(source, titles, ambiguous=len(titles) > 1)


def _of_number(
    match: re.Match[str] | None, allowed: Sequence[str], context: CheckContext
) -> tuple[str, ...]:
    number = int(match[match.lastindex or 0]) if match else 0
    if not 0 < number <= len(context.numbered):
        return ()
    title = context.numbered[number - 1]
    return (title,) if title in allowed else ()


def _of_id(source: str, allowed: Sequence[str], context: CheckContext) -> tuple[str, ...]:
    """Return the title whose passage has this id or path, as the prompt may have shown it."""
    titles = {
        each.title
        for each in visible_passages(context) or ()
        if source and source in (each.id, each.chunk_id, each.path)
    }
    return tuple(title for title in allowed if title in titles)


def _faults(
    resolved: Sequence[_Resolved], allowed: Sequence[str], context: CheckContext
) -> Iterator[Fault]:
    hidden = tuple(hidden_titles(context))
    for each in resolved:
        if not each.titles:
            yield _unknown(each.source, allowed, hidden)
        elif each.ambiguous:
            named = " and ".join(repr(_shown(title)) for title in each.titles[:_MAX_SHOWN])
            yield Fault(
                "context.source_ambiguous",
                f"the source {_shown(each.source)!r} fits {named}",
                f"sources: {_shown(each.source)!r} may be {named}; copy the one title exactly.",
                "sources",
            )


def _unknown(source: str, allowed: Sequence[str], hidden: Sequence[str]) -> Fault:
    """Name the source, unless that would tell of a document that the caller may not see."""
    secret = bool(fitting(source, hidden)) if hidden else False
    what = "a source" if secret else repr(_shown(source))
    if allowed:
        cure = f"Use only these titles, copied exactly: {_listed(allowed)}; or [] if none fits."
    else:
        cure = "Nothing was retrieved, so sources must be [] and confidence at most 0.5."
    return Fault(
        "context.unknown_source",
        f"{what} is not a retrieved document",
        f"sources: {what} is not among the retrieved documents. {cure}",
        "sources",
    )


def _listed(titles: Sequence[str]) -> str:
    shown = "; ".join(_shown(title) for title in titles[:_MAX_SHOWN])
    more = len(titles) - _MAX_SHOWN
    return f"{shown}; and {more} more" if more > 0 else shown


def _shown(text: str) -> str:
    """Return a title on one line and not too long."""
    line = " ".join(text.split())
    return line if len(line) <= _MAX_CHARS else line[: _MAX_CHARS - 1] + "…"
