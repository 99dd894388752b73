"""Calls that no callback hears: past LangChain, to the same endpoint.

The same resources send the payload that ChatOpenAI would make of the same request, so that nothing
of LangChain's models has to be imported, which takes longer than most answers. See
``ragqa.flow.hearing`` for what is left out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ragqa.ports import ModelRequest
from ragqa.providers.normal import JsonObject
from ragqa.providers.schema import response_format

if TYPE_CHECKING:
    from ragqa.providers.completions import Resources

_KNOWS_NO_SYSTEM = re.compile(r"o\d")
"""OpenAI's reasoning models, which call the role "developer"."""


class Unheard:
    """Calls of one model that no callback hears.

    Args:
        resources: Send what is asked.
        model: The model's name.
    """

    def __init__(self, resources: Resources, model: str) -> None:
        self._resources = resources
        self._model = model
        self._system = "developer" if _KNOWS_NO_SYSTEM.match(model) else "system"

    def complete(self, request: ModelRequest) -> Any:
        """Return the whole reply, in the shape of OpenAI's own."""
        return self._resources.blocking.create(**self._payload(request)).parse()

    async def acomplete(self, request: ModelRequest) -> Any:
        """Do the same without blocking the event loop."""
        return (await self._resources.of_loops.create(**self._payload(request))).parse()

    def _payload(self, request: ModelRequest) -> JsonObject:
        wanted = request.schema and response_format(request.schema)
        messages = [
            {"role": self._system if each.role == "system" else each.role, "content": each.content}
            for each in request.messages
        ]
        return {
            "model": self._model,
            "messages": messages,
            "temperature": request.temperature,
            "max_completion_tokens": request.max_tokens,
            "response_format": wanted,
            "timeout": request.timeout_s,
        }
