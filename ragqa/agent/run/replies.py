"""The chat model behind a port: LangChain's own object, what its replies took, its faults."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage

from ragqa.contract import Usage
from ragqa.errors import ProviderError, RagqaError, ToolsRefusedError
from ragqa.ports import ChatModel, ModelReply


def langchain_model(model: ChatModel | None) -> Any:
    """Return the LangChain chat model behind a port.

    Raises:
        ToolsRefusedError: If there is none: a model that only completes prompts calls no tools.
    """
    at: Any = model
    while at is not None:
        if (found := getattr(at, "langchain", None)) is not None:
            return found
        at = getattr(at, "inner", None)
    name = "none" if model is None else model.name
    raise ToolsRefusedError(
        f"The model {name!r} calls no tools.",
        hint="Use one that speaks the OpenAI protocol, or the chain 'stuff'.",
    )


def usage_in(reply: AIMessage, model: ChatModel | None) -> Usage:
    """Return what a reply took: one call, its tokens, and its cost where prices are known."""
    said: Any = reply.usage_metadata or {}
    details: Any = said.get("input_token_details") or {}
    usage = Usage(
        calls=1,
        prompt_tokens=said.get("input_tokens", 0),
        completion_tokens=said.get("output_tokens", 0),
        cached_tokens=sum(n for key, n in details.items() if key.endswith("cache_read")),
    )
    priced = getattr(model, "with_cost", None)
    return usage if priced is None else priced(ModelReply("", usage=usage)).usage


def model_fault(exc: Exception, model: ChatModel | None) -> Exception:
    """Return the error to raise for a fault of a model's call."""
    if isinstance(exc, RagqaError):
        return exc
    at: Any = model
    while at is not None and not hasattr(at, "translated"):
        at = getattr(at, "inner", None)
    if at is not None:
        translated: Exception = at.translated(exc)
        return translated
    return ProviderError(f"The model failed with {type(exc).__name__}.")
