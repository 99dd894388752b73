"""ChatOpenAI, with what its replies tell of tools that the provider ran.

LangChain's class drops what OpenAI's own service does not send; its classes for other services
override the same two methods to keep more.
"""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI

from ragqa.providers.executed import KEY


class HeardChat(ChatOpenAI):
    """The chat model of an endpoint as LangChain's own parts see it."""

    def _create_chat_result(
        self, response: Any, generation_info: dict[str, Any] | None = None
    ) -> ChatResult:
        result = super()._create_chat_result(response, generation_info)
        for choice, generation in zip(response["choices"], result.generations, strict=True):
            _note(choice["message"], generation.message)
        return result

    def _convert_chunk_to_generation_chunk(
        self,
        chunk: dict[str, Any],
        default_chunk_class: type,
        base_generation_info: dict[str, Any] | None,
    ) -> ChatGenerationChunk | None:
        made = super()._convert_chunk_to_generation_chunk(
            chunk, default_chunk_class, base_generation_info
        )
        if made is not None and chunk["choices"]:
            _note(chunk["choices"][0]["delta"], made.message)
        return made


def _note(said: dict[str, Any], message: Any) -> None:
    if isinstance(message, AIMessage) and KEY in said:
        message.additional_kwargs[KEY] = said[KEY]
