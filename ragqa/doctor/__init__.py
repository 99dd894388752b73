"""Look into everything that an answer depends on, and say what is broken and what to do."""

from __future__ import annotations

from collections.abc import Iterator

from ragqa.doctor import documents, machine, models, reach
from ragqa.doctor.finding import Finding, Status, broken
from ragqa.doctor.machine import settings_in_use
from ragqa.doctor.trial import NAME, trial
from ragqa.errors import RagqaError
from ragqa.settings import Settings
from ragqa.settings.resolve import provider_of

__all__ = ["Finding", "Status", "findings", "settings_in_use"]

_SEARCH = "connection AZURE_SEARCH_ENDPOINT"


def findings(question: str | None = None) -> Iterator[Finding]:
    """Yield what is found, one thing after the other, cheap things first.

    Args:
        question: The trial question; by default one about something that is in the index.
    """
    yield machine.python()
    yield from machine.packages()
    try:
        settings = Settings.load()
    except RagqaError as exc:
        yield broken("settings", exc)
        return
    yield from machine.settings_found(settings)
    yield machine.state_folder(settings)
    yield from _services(settings, question)


def _services(settings: Settings, question: str | None) -> Iterator[Finding]:
    model = models.configured(settings)
    yield model
    connections = [reach.reachable(*endpoint) for endpoint in reach.endpoints(settings)]
    yield from connections
    away = {found.name for found in connections if found.status == "broken"}
    dimensions = None
    if model.status in ("ok", "warning") and not away - {_SEARCH}:
        yield from models.replies(settings)
    if provider_of(settings) != "none" and model.status != "broken" and not away - {_SEARCH}:
        embedding, dimensions = models.embeds(settings)
        if embedding is not None:
            yield embedding
    index, suggested = documents.index(settings, dimensions)
    yield index
    yield _trial(settings, index, question, suggested)


def _trial(
    settings: Settings, index: Finding, question: str | None, suggested: str | None
) -> Finding:
    if index.status not in ("ok", "warning"):
        return Finding(NAME, "not_configured", "there is nothing to ask about", index.hint)
    asked = question or suggested
    if asked is None:
        detail = "nothing was found that a caller without groups may see"
        hint = 'Ask as a member of a group: ragqa ask "…" --group NAME'
        return Finding(NAME, "not_configured", detail, hint)
    return trial(settings, asked, is_suggested=question is None)
