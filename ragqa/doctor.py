"""Look into everything that an answer depends on, and say what is broken and what to do."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from ragqa import app
from ragqa.app.home import home_of, is_ours
from ragqa.app.own_packages import require_own_packages
from ragqa.errors import ConfigError, ProviderError, RagqaError, RetrievalError
from ragqa.settings import Settings
from ragqa.settings.kinds import is_v1_form
from ragqa.settings.registry import declared, shown
from ragqa.settings.resolve import (
    OPENAI_URL,
    check_key_target,
    missing_for_model,
    missing_for_retriever,
    plain_http_warning,
    provider_of,
    require,
)
from ragqa.settings.tables import nearest_variable

Status = Literal["ok", "warning", "broken", "not_configured"]

_PACKAGES = ("pydantic", "tantivy", "rjieba", "langchain-core", "langchain-openai")
_HOW_TO_INDEX = "Run: ragqa index PATH"


@dataclass(frozen=True, slots=True)
class Finding:
    """What the doctor found about one thing.

    Attributes:
        name: What was looked at.
        status: How it is.
        detail: What was seen; no secret.
        hint: What to do about it.
        exit_code: What the command exits with where this is the first thing broken.
    """

    name: str
    status: Status
    detail: str
    hint: str = ""
    exit_code: int = 0


def findings() -> Iterator[Finding]:
    """Yield what is found, one thing after the other, cheap things first."""
    yield _python()
    yield from _packages()
    try:
        settings = Settings.load()
    except RagqaError as exc:
        yield _broken("settings", exc)
        return
    yield _settings(settings)
    yield from _unknown(settings)
    yield _state_folder(settings)
    yield _model(settings)
    index = _index(settings)
    yield index
    yield _trial(settings, index)


def settings_in_use() -> list[dict[str, str]]:
    """List every setting that some source holds: name, value and source; keys are hidden."""
    settings = Settings.load()
    return [
        {
            "name": variable,
            "value": "(hidden)" if declared()[variable].is_secret else _value(settings, variable),
            "source": str(source),
        }
        for variable, source in settings.origins.items()
    ]


def _value(settings: Settings, variable: str) -> str:
    value: object = settings
    for name in declared()[variable].path:
        value = getattr(value, name)
    return shown(value)


def _broken(name: str, exc: RagqaError) -> Finding:
    return Finding(name, "broken", exc.message, exc.hint, exc.exit_code)


def _python() -> Finding:
    return Finding("python", "ok", f"{platform.python_version()} on {platform.system()}")


def _packages() -> Iterator[Finding]:
    from importlib.metadata import PackageNotFoundError, version

    found, missing = [], []
    for name in _PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            missing.append(name)
    if missing:
        hint = f"Run: pip install {' '.join(missing)}"
        yield Finding("packages", "broken", f"missing: {', '.join(missing)}", hint, 2)
    else:
        yield Finding("packages", "ok", ", ".join(found))
    try:
        require_own_packages()
    except ConfigError as exc:
        yield _broken("chains and prompts", exc)


def _settings(settings: Settings) -> Finding:
    count = len(settings.origins)
    detail = f"{count} set" if count else "all at their defaults"
    return Finding("settings", "ok", detail)


def _unknown(settings: Settings) -> Iterator[Finding]:
    for name in settings.unknown_variables:
        near = nearest_variable(name)
        hint = f"Did you mean {near}?" if near else "README lists all settings."
        yield Finding("settings", "warning", f"nothing reads {name}", hint)


def _state_folder(settings: Settings) -> Finding:
    home = home_of(settings)
    name = "state folder"
    if not home.exists():
        return Finding(name, "not_configured", f"{home} does not exist yet", _HOW_TO_INDEX)
    if not home.is_dir():
        hint = "Set RAGQA_HOME to a folder."
        return Finding(name, "broken", f"{home} is not a folder", hint, 2)
    mode = home.stat().st_mode & 0o777
    if mode & 0o077 and not is_ours(home):
        hint = f"Others may read it. Run: chmod 700 '{home}'"
        return Finding(name, "warning", f"{home} has mode {mode:o}", hint)
    return Finding(name, "ok", f"{home}, mode {mode:o}")


def _model(settings: Settings) -> Finding:
    provider = provider_of(settings)
    if provider == "none":
        hint = (
            "To have answers written by a model, set OPENAI_BASE_URL and RAGQA_CHAT_MODEL, or "
            "AZURE_OPENAI_ENDPOINT and AZURE_OPENAI_CHAT_DEPLOYMENT."
        )
        return Finding("model", "not_configured", "answers are quoted from the documents", hint)
    try:
        require(settings, missing_for_model(settings), purpose=f"to answer with {provider}")
        if provider == "openai":
            check_key_target(settings, "OPENAI_BASE_URL", settings.openai.base_url or OPENAI_URL)
        elif provider == "azure":
            check_key_target(
                settings, "AZURE_OPENAI_ENDPOINT", settings.azure_openai.endpoint or ""
            )
        app.parts_for(settings)
    except RagqaError as exc:
        return _broken("model", exc)
    warning = plain_http_warning(settings)
    detail = f"{provider}: {_model_name(settings)}"
    return Finding("model", "warning" if warning else "ok", detail, warning or "")


def _model_name(settings: Settings) -> str:
    if provider_of(settings) != "azure":
        return settings.openai.chat_model or ""
    azure = settings.azure_openai
    opened_by = "key" if azure.api_key else "identity"
    is_v1 = is_v1_form(azure.endpoint or "")
    form = "v1 form" if is_v1 else f"API version {azure.api_version}"
    return f"deployment {azure.chat_deployment} at {azure.endpoint} ({form}, {opened_by})"


def _index(settings: Settings) -> Finding:
    try:
        require(settings, missing_for_retriever(settings), purpose="to search documents")
        if settings.retriever == "azure":
            return _azure_index(settings)
        stats = app.open_index(settings).stats()
    except RetrievalError as exc:
        missing = not (home_of(settings) / app.INDEX_FOLDER).exists()
        found = _broken("index", exc)
        return replace(found, status="not_configured", exit_code=0) if missing else found
    except RagqaError as exc:
        return _broken("index", exc)
    if not stats.chunks:
        return Finding("index", "not_configured", "it is empty", _HOW_TO_INDEX)
    detail = f"{stats.files} files, {stats.documents} documents, {stats.chunks} passages, "
    detail += f"{stats.size_bytes / 1e6:.1f} MB"
    return Finding("index", "ok", detail)


def _azure_index(settings: Settings) -> Finding:
    from ragqa.app.azure_search import azure_index_state

    try:
        detail, faults = azure_index_state(settings)
    except RagqaError as exc:
        return _broken("index", exc)
    if faults:
        hint = "Correct these settings, or make another index: ragqa index PATH --to azure"
        return Finding("index", "broken", f"{detail}; {'; '.join(faults)}", hint, 2)
    return Finding("index", "ok", detail)


def _trial(settings: Settings, index: Finding) -> Finding:
    """Ask about the first document, by the chain that would answer."""
    name = "trial question"
    if index.status != "ok":
        return Finding(name, "not_configured", "there is nothing to ask about", index.hint)
    try:
        answer = app.ask(_question(settings), docs=(), settings=settings)
    except RagqaError as exc:
        return replace(_broken(name, exc), detail=f"{_stage_of(exc)}: {exc.message}")
    except Exception as exc:  # a doctor does not fall ill
        hint = "This should not happen. RAGQA_DEBUG=1 ragqa ask … shows where it did."
        return Finding(name, "broken", f"{type(exc).__name__}: {exc}", hint, 1)
    spent = ", ".join(f"{stage} {ms:.0f} ms" for stage, ms in answer.timings_ms.items())
    detail = f"{answer.chain}: {answer.status} ({spent})"
    if answer.status == "degraded":
        hint = "The model's replies do not pass the gates, or it cannot be reached."
        return Finding(name, "broken", f"{detail}, reason {answer.reason}", hint, 3)
    return Finding(name, "ok", detail + _format(settings))


def _format(settings: Settings) -> str:
    """Say how the model is asked for its format: the trial found out what it accepts."""
    if provider_of(settings) == "none":
        return ""
    from ragqa.app.models import format_mode

    return f", format by {format_mode(settings) or 'instructions alone'}"


def _question(settings: Settings) -> str:
    if settings.retriever == "azure":
        return "What do the documents say?"
    return f"What does {next(iter(app.open_index(settings).files().values())).title} say?"


def _stage_of(exc: RagqaError) -> str:
    if isinstance(exc, RetrievalError):
        return "retrieve"
    return "write" if isinstance(exc, ProviderError) else "settings"
