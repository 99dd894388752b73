"""The chat model behind a port: LangChain's own object, what its replies took, its faults."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage

from ragqa.contract import Usage
from ragqa.errors import ProviderError, RagqaError, ToolsRefusedError
from ragqa.ports import ChatModel, ModelReply, offered_by
from ragqa.providers.chat import usage_of


def langchain_model(model: ChatModel | None) -> Any:
    """Return the LangChain chat model behind a port.

    Raises:
        ToolsRefusedError: If there is none: a model that only completes prompts calls no tools.
    """
    if (found := offered_by(model, "langchain")) is not None:
        return found
    name = "none" if model is None else model.name
    raise ToolsRefusedError(
        f"The model {name!r} calls no tools.",
        hint="Use one that speaks the OpenAI protocol, or the chain 'stuff'.",
    )


def usage_in(reply: AIMessage, model: ChatModel | None) -> Usage:
    """Return what a reply took: one call, its tokens, and its cost where prices are known."""
    usage = usage_of(reply.usage_metadata)
    priced = offered_by(model, "with_cost")
    return usage if priced is None else priced(ModelReply("", usage=usage)).usage


def model_fault(exc: Exception, model: ChatModel | None) -> Exception:
    """Return the error to raise for a fault of a model's call."""
    if isinstance(exc, RagqaError):
        return exc
    if (translated := offered_by(model, "translated")) is not None:
        error: Exception = translated(exc)
        return error
    return ProviderError(f"The model failed with {type(exc).__name__}.")
