"""What of a context its caller may see: titles, passages, texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragqa.contract import Passage
from ragqa.validation.fields import sources_of
from ragqa.validation.gate import CheckContext


def visible_passages(context: CheckContext) -> tuple[Passage, ...] | None:
    """Return the passages that the caller may see; None where no texts are known."""
    if context.passages is None:
        return None
    return tuple(each for each in context.passages if context.caller.may_see(each.groups))


def hidden_titles(context: CheckContext) -> frozenset[str]:
    """Return titles of which the caller may see no passage. They must not be repeated anywhere."""
    visible = {each.title for each in visible_passages(context) or ()}
    return frozenset(each.title for each in context.passages or () if each.title not in visible)


def allowed_titles(context: CheckContext) -> tuple[str, ...] | None:
    """Return the titles that may be cited; None where they are unknown."""
    titles: Sequence[str] | None = context.titles
    if titles is None:
        passages = visible_passages(context)
        return None if passages is None else tuple(dict.fromkeys(each.title for each in passages))
    hidden = hidden_titles(context)
    return tuple(title for title in dict.fromkeys(titles) if title not in hidden)


def cited_passages(value: Any, context: CheckContext) -> tuple[Passage, ...] | None:
    """Return the visible passages of the cited titles; all where the schema has no sources."""
    passages, sources = visible_passages(context), sources_of(value)
    if passages is None or sources is None:
        return passages
    cited = frozenset(sources)
    return tuple(each for each in passages if each.title in cited)
