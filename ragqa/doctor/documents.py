"""The index: is it there, does it fit the settings, and what could be asked about?"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice

from ragqa import app
from ragqa.app.home import home_of
from ragqa.app.parts import retriever_for
from ragqa.contract import Passage, Strategy
from ragqa.doctor.finding import HOW_TO_INDEX, Finding, broken
from ragqa.errors import RagqaError, RetrievalError
from ragqa.language import content_words, language_of
from ragqa.ports import SearchQuery
from ragqa.settings import Settings
from ragqa.settings.resolve import missing_for_retriever, require

_TITLES_TRIED = 5  # the first documents may be for certain groups only
_TOPIC_CHARS = 60
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,5}$")
_SEARCHED = "two searches were sent instead, with a vector where the search type takes one"
_TO_AZURE = "ragqa index PATH --to azure"
_ANOTHER_INDEX = (
    "It can stay. For the order of the embedded index, name a new one in AZURE_SEARCH_INDEX and "
    f"run: {_TO_AZURE}"
)


def index(settings: Settings, dimensions: int | None) -> tuple[Finding, str | None]:
    """Tell what the index is like, and a question about something that is in it.

    Args:
        settings: All settings.
        dimensions: Length of the embedding model's vectors, where it is known.
    """
    try:
        require(settings, missing_for_retriever(settings), purpose="to search documents")
        if settings.retriever == "azure":
            return _azure_index(settings, dimensions)
        return _embedded_index(settings)
    except RetrievalError as exc:
        is_local = settings.retriever == "embedded"
        missing = is_local and not (home_of(settings) / app.INDEX_FOLDER).exists()
        found = broken("index", exc)
        return (replace(found, status="not_configured", exit_code=0) if missing else found), None
    except RagqaError as exc:
        return broken("index", exc), None


def _embedded_index(settings: Settings) -> tuple[Finding, str | None]:
    stats = app.open_index(settings).stats()
    if not stats.chunks:
        return Finding("index", "not_configured", "it is empty", HOW_TO_INDEX), None
    detail = f"{stats.files} files, {stats.documents} documents, {stats.chunks} passages, "
    detail += f"{stats.size_bytes / 1e6:.1f} MB"
    return Finding("index", "ok", detail), _question_about(_passage(settings))


def _azure_index(settings: Settings, dimensions: int | None) -> tuple[Finding, str | None]:
    from ragqa.app.azure_search import azure_index_state

    state = azure_index_state(settings, dimensions)
    question = _question_about(state.passage)
    if state.field_count is None:
        detail = f"{state.name}: the key may not read its definition; {_SEARCHED}"
        hint = "An admin key, or the role 'Search Service Contributor', lets doctor look it over."
        if state.passage is None:
            detail += ", which found nothing"
        return Finding("index", "warning", detail, hint), question
    detail = f"{state.name}: {state.field_count} fields (its definition was read)"
    if state.faults:
        hint = f"Correct these settings, or make another index: {_TO_AZURE}"
        return Finding("index", "broken", f"{detail}; {'; '.join(state.faults)}", hint, 2), None
    if state.passage is None:
        detail += "; one search found nothing that a caller without groups may see"
        return Finding("index", "not_configured", detail, f"Run: {_TO_AZURE}"), None
    detail += "; they fit; one search found documents"
    if not state.is_older:
        return Finding("index", "ok", detail), question
    detail += "; it has no fields of words, so its passages are ranked in an order of its own"
    return Finding("index", "ok", detail, _ANOTHER_INDEX), question


def _passage(settings: Settings) -> Passage | None:
    """Return a passage of one of the first documents that a caller without groups may see."""
    retriever = retriever_for(settings)
    by_words = Strategy(search_type="keyword")
    for file in islice(app.open_index(settings).files().values(), _TITLES_TRIED):
        query = SearchQuery(_SUFFIX.sub("", file.title), k=_TITLES_TRIED, strategy=by_words)
        found = retriever.retrieve(query)
        own = (passage for passage in found if passage.title == file.title)
        if passage := next(own, next(iter(found), None)):
            return passage
    return None


def _question_about(passage: Passage | None) -> str | None:
    """Return a question about a passage."""
    if passage is None:
        return None
    topic = _topic(passage)
    if language_of(topic) == "zh":
        return f"关于{topic}，文档里怎么说？"
    return f"What do the documents say about {topic}?"


def _topic(passage: Passage) -> str:
    """Return the innermost heading, title or beginning with a word of matter in it.

    A question about "What is it?" or a file named a.txt would find nothing in any index.
    """
    title = _SUFFIX.sub("", passage.title)
    begin = " ".join(passage.text.split())[:_TOPIC_CHARS]
    named = (*reversed(passage.heading.split(" > ")), title, begin)
    topics = (topic.strip(" ?？") for topic in named)
    return next((topic for topic in topics if content_words(topic)), title)
