"""The models: are they configured, and do they answer? What is sent stands in each finding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ragqa import app
from ragqa.doctor.finding import Finding, broken
from ragqa.errors import RagqaError
from ragqa.ports import ChatModel, Message, ModelReply, ModelRequest, Parts, offered_by
from ragqa.settings import Settings
from ragqa.settings.kinds import is_v1_form
from ragqa.settings.resolve import (
    OPENAI_URL,
    check_key_target,
    has_embeddings,
    missing_for_model,
    plain_http_warning,
    provider_of,
    require,
)

_WORD = "kettle"
_OF_THE_FORM = ("text", "syntax", "schema")
_FORM_HINT = "The trial question shows whether it does better with a prompt; if not, try another."


def configured(settings: Settings) -> Finding:
    """Tell which model writes answers. Nothing is sent."""
    provider = provider_of(settings)
    if provider == "none":
        hint = (
            "To have answers written by a model, set OPENAI_BASE_URL and RAGQA_CHAT_MODEL, or "
            "AZURE_OPENAI_ENDPOINT and AZURE_OPENAI_CHAT_DEPLOYMENT."
        )
        return Finding("model", "not_configured", "answers are quoted from the documents", hint)
    try:
        require(settings, missing_for_model(settings), purpose=f"to answer with {provider}")
        _check_target(settings)
        app.parts_for(settings)
    except RagqaError as exc:
        return broken("model", exc)
    warning = plain_http_warning(settings)
    detail = f"{provider}: {_model_name(settings)}"
    return Finding("model", "warning" if warning else "ok", detail, warning or "")


def _check_target(settings: Settings) -> None:
    if provider_of(settings) == "azure":
        check_key_target(settings, "AZURE_OPENAI_ENDPOINT", settings.azure_openai.endpoint or "")
    else:
        check_key_target(settings, "OPENAI_BASE_URL", settings.openai.base_url or OPENAI_URL)


def _model_name(settings: Settings) -> str:
    if provider_of(settings) != "azure":
        return settings.openai.chat_model or ""
    azure = settings.azure_openai
    opened_by = "key" if azure.api_key else "identity"
    is_v1 = is_v1_form(azure.endpoint or "")
    form = "v1 form" if is_v1 else f"API version {azure.api_version}"
    return f"deployment {azure.chat_deployment} at {azure.endpoint} ({form}, {opened_by})"


def replies(settings: Settings) -> Iterator[Finding]:
    """Yield whether each chat model answers, and how it is asked for its format: a call each."""
    parts = app.parts_for(settings)
    for name, model in (
        ("model reply", parts.model),
        ("fallback model reply", parts.fallback_model),
    ):
        if model is not None:
            yield _reply(name, model, parts, settings.timeout_s)


def _reply(name: str, model: ChatModel, parts: Parts, timeout_s: float) -> Finding:
    sent = "one short text was sent"
    try:
        reply = model.complete(_request(parts, timeout_s))
    except RagqaError as exc:
        return replace(broken(name, exc), detail=f"{exc.message} ({sent})")
    size = f"{len(reply.text)} characters, finish reason {reply.finish_reason or 'none'}"
    detail = f"it answers ({sent}): {size}, format by {format_of(model)}"
    code = _verdict_on(reply, parts)
    if code != "ok":
        return Finding(name, "warning", f"{detail}; not of the answer's form ({code})", _FORM_HINT)
    return Finding(name, "ok", detail)


def format_of(model: ChatModel | None) -> str:
    """Tell how a model is asked for its format, by what was found out."""
    return offered_by(model, "format_mode") or "instructions alone"


def _request(parts: Parts, timeout_s: float) -> ModelRequest:
    """Return a call that repeats the example of the prompt, in the form of an answer."""
    from ragqa.instructions import longest_object_tokens, worked_example
    from ragqa.stages.write import REPAIR_SHARE

    schema = parts.policy.schema
    example = worked_example(schema, "en")
    asked = f"Reply with this JSON object and nothing else: {example}"
    return ModelRequest(
        (Message("user", asked),),
        schema=schema,
        max_tokens=max(
            parts.policy.max_answer_tokens or 0, REPAIR_SHARE * longest_object_tokens(schema)
        ),
        temperature=parts.policy.temperature,
        timeout_s=timeout_s,
    )


def _verdict_on(reply: ModelReply, parts: Parts) -> str:
    """Return the code of what is wrong with a reply's form."""
    from ragqa.validation.defaults import default_gates
    from ragqa.validation.gate import INTERRUPTED, CheckContext

    context = CheckContext(
        schema=parts.policy.schema,
        finish_reason=INTERRUPTED if reply.finish_reason is None else reply.finish_reason,
        refusal=reply.refusal,
    )
    return default_gates().reordered(*_OF_THE_FORM).judge(reply.text, context).code


def embeds(settings: Settings) -> tuple[Finding | None, int | None]:
    """Tell whether the embedding model answers, and how long its vectors are: one call."""
    if not has_embeddings(settings) or settings.search_type == "keyword":
        return None, None
    from ragqa.app.models import embeddings

    name = "embedding model"
    try:
        model = embeddings(settings)
        assert model is not None, "it is configured"
        size = len(model.embed_query(_WORD))
    except RagqaError as exc:
        return replace(broken(name, exc), detail=f"{exc.message} (one text was embedded)"), None
    return Finding(name, "ok", f"vectors of {size} numbers (one text was embedded)"), size
