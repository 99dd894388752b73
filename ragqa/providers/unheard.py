"""Calls that no callback hears: past LangChain's run management, to the same endpoint.

ChatOpenAI makes the payload in both cases, and the same resources send it. What is left out is what
only listeners would notice: a run, its events, its copies of prompt and reply. That is a fifth of
what an ask costs beside the model's own time (tests/benchmarks/test_stuff.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage
    from langchain_openai import ChatOpenAI


def is_heard(llm: ChatOpenAI, config: Any) -> bool:
    """Tell whether any callback would hear of a call: a caller's, a tracer's or LangChain's own.

    LangChain itself puts them together, so that handlers of contexts and of the environment count.
    """
    from langchain_core.callbacks import CallbackManager
    from langchain_core.runnables.config import ensure_config

    callbacks = ensure_config(config).get("callbacks")
    return bool(CallbackManager.configure(callbacks, llm.callbacks, verbose=llm.verbose).handlers)


def complete(llm: ChatOpenAI, messages: list[BaseMessage], options: Mapping[str, Any]) -> Any:
    """Return the whole reply, in the shape of OpenAI's own."""
    payload = llm._get_request_payload(messages, **options)
    return llm.client.create(**payload).parse()


async def acomplete(
    llm: ChatOpenAI, messages: list[BaseMessage], options: Mapping[str, Any]
) -> Any:
    """Do the same without blocking the event loop."""
    payload = llm._get_request_payload(messages, **options)
    return (await llm.async_client.create(**payload)).parse()
