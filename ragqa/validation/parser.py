"""The gates as a LangChain output parser: ``prompt | model | QAOutputParser()``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from langchain_core.exceptions import OutputParserException
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import BaseOutputParser
from langchain_core.outputs import ChatGeneration, Generation
from pydantic import BaseModel

from ragqa.contract import QAResponse
from ragqa.instructions import format_rules
from ragqa.validation.broken import is_broken
from ragqa.validation.checking import check


class QAOutputParser(BaseOutputParser[Any]):
    """Parse a model's reply into a QAResponse, or raise OutputParserException with the reason.

    The exception carries the feedback as ``observation``, the reply as ``llm_output``, so that
    LangChain's own retrying parts can use it; ``send_to_llm`` is set.

    Attributes:
        response_schema: What the reply must look like.
        titles: Titles that may be cited; None where they are unknown.
        language: Of the format instructions, ``en`` or ``zh``.
    """

    response_schema: type[BaseModel] = QAResponse
    titles: Sequence[str] | None = None
    language: str = "en"

    def parse_result(self, result: list[Generation], *, partial: bool = False) -> Any:
        """Parse a generation; its finish reason counts, and so do a refusal and tool calls."""
        generation = result[0]
        text, details = generation.text, generation.generation_info or {}
        message = generation.message if isinstance(generation, ChatGeneration) else None
        if isinstance(message, AIMessage):
            details = {**details, **message.response_metadata}
            text = text if text.strip() else self._called(message)
            if _declines(message):
                details = {**details, "finish_reason": "refusal"}
        return self._checked(text, _ending(details))

    def _called(self, message: AIMessage) -> str:
        """Return what a model wrote that was given the schema as a tool."""
        name = self.response_schema.__name__
        texts = [
            json.dumps(call["args"], ensure_ascii=False)
            for call in message.tool_calls
            if call["name"] == name
        ]
        texts += [call["args"] or "" for call in message.invalid_tool_calls if call["name"] == name]
        old = message.additional_kwargs.get("function_call")  # of endpoints without tools
        if not texts and isinstance(old, dict) and old.get("name") == name:
            texts.append(str(old.get("arguments") or ""))
        return "\n".join(texts)

    def parse(self, text: str) -> Any:
        """Parse a reply of which nothing but the text is known."""
        return self._checked(text, None)

    def _checked(self, text: str, finish_reason: str | None) -> Any:
        verdict = check(text, self.titles, None, finish_reason, self.response_schema)
        if verdict.accepted:
            return verdict.response
        raise OutputParserException(
            f"{verdict.code}: {verdict.feedback}",
            observation=verdict.feedback,
            llm_output=text,
            send_to_llm=not is_broken(verdict.code),
        )

    def get_format_instructions(self) -> str:
        """Return the rules of the format for a prompt."""
        if not issubclass(self.response_schema, QAResponse):
            return super().get_format_instructions()
        return format_rules(self.response_schema, self.language)

    @property
    def _type(self) -> str:
        return "ragqa"


_ENDINGS: Final = ("finish_reason", "stop_reason", "stopReason", "done_reason", "finishReason")
"""What OpenAI and most others, Anthropic, Bedrock, Ollama and Gemini call it."""


def _ending(details: Mapping[str, Any]) -> str | None:
    """Return why a reply ended; OpenAI's responses say it only of those that are incomplete."""
    if told := next((details[key] for key in _ENDINGS if details.get(key)), None):
        return str(told)
    incomplete = details.get("incomplete_details")
    return str(incomplete.get("reason") or "incomplete") if isinstance(incomplete, dict) else None


def _declines(message: AIMessage) -> bool:
    """Tell whether a service marks a reply as a refusal: beside the text, or as a part of it."""
    if message.additional_kwargs.get("refusal"):
        return True
    parts = message.content if isinstance(message.content, list) else []
    return any(isinstance(part, dict) and part.get("type") == "refusal" for part in parts)
