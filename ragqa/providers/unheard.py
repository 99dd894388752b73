"""Calls that no callback hears: past LangChain's run management, to the same endpoint.

ChatOpenAI makes the payload in both cases, and the same resources send it. See
``ragqa.flow.hearing`` for what is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ragqa.ports import ModelRequest
from ragqa.providers.normal import JsonObject

if TYPE_CHECKING:
    from langchain_openai import ChatOpenAI

_ROLES = ("system", "user", "assistant")
_MOST_KEPT = 64


class Unheard:
    """Calls of one ChatOpenAI that no callback hears.

    Args:
        llm: Makes the payloads: once for requests that differ in nothing but their messages.
    """

    def __init__(self, llm: ChatOpenAI) -> None:
        self._llm = llm
        self._kept: dict[tuple[Any, ...], tuple[JsonObject, dict[str, str]]] = {}

    def complete(self, request: ModelRequest, options: Mapping[str, Any]) -> Any:
        """Return the whole reply, in the shape of OpenAI's own."""
        return self._llm.client.create(**self._payload(request, options)).parse()

    async def acomplete(self, request: ModelRequest, options: Mapping[str, Any]) -> Any:
        """Do the same without blocking the event loop."""
        payload = self._payload(request, options)
        return (await self._llm.async_client.create(**payload)).parse()

    def _payload(self, request: ModelRequest, options: Mapping[str, Any]) -> JsonObject:
        key = (request.schema, request.max_tokens, request.temperature)
        found = self._kept.get(key)
        if found is None:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            found = self._kept[key] = self._made(options)
        payload, roles = found
        return {
            **payload,
            "timeout": request.timeout_s,
            "messages": [
                {"role": roles[each.role], "content": each.content} for each in request.messages
            ],
        }

    def _made(self, options: Mapping[str, Any]) -> tuple[JsonObject, dict[str, str]]:
        """Return a payload, and how this model calls the roles: some know no "system"."""
        one_of_each = [(role, "") for role in _ROLES]
        payload = self._llm._get_request_payload(one_of_each, **options)
        said = [message["role"] for message in payload.pop("messages")]
        return payload, dict(zip(_ROLES, said, strict=True))
