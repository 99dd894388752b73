"""The gates at the end of somebody else's chain: ``prompt | model | QAOutputParser()``."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from langchain_core.exceptions import OutputParserException
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import Runnable

from ragqa import QAResponse
from ragqa.errors import ConfigError
from ragqa.validation import QAOutputParser, check

GOOD: dict[str, Any] = {
    "answer": "A canoe seats three people.",
    "confidence": 0.8,
    "category": "other",
    "sources": ["canoes.md"],
    "follow_up": [],
    "needs_human": False,
}
TEXT = json.dumps(GOOD)
PROMPT = ChatPromptTemplate.from_messages([("human", "{question}")])


def chain(*replies: AIMessage | str, **options: Any) -> Runnable[Any, Any]:
    messages: list[Any] = [
        AIMessage(content=each) if isinstance(each, str) else each for each in replies
    ]
    return PROMPT | FakeMessagesListChatModel(responses=messages) | QAOutputParser(**options)


def call(name: str, **args: Any) -> dict[str, Any]:
    return {"name": name, "args": args, "id": "call-1"}


def broken(name: str, args: str) -> dict[str, Any]:
    return {"name": name, "args": args, "id": "call-1", "error": None, "type": "invalid_tool_call"}


@pytest.mark.parametrize(
    "reply",
    [
        AIMessage(content=TEXT),
        AIMessage(content=f"Here it is:\n```json\n{TEXT}\n```"),
        AIMessage(
            content=[{"type": "text", "text": TEXT[:40]}, {"type": "text", "text": TEXT[40:]}]
        ),
        AIMessage(content="", tool_calls=[call("QAResponse", **GOOD)]),
        AIMessage(
            content="",
            additional_kwargs={"function_call": {"name": "QAResponse", "arguments": TEXT}},
        ),
        AIMessage(content="", invalid_tool_calls=[broken("QAResponse", TEXT[:-1] + ",}")]),
        AIMessage(content=TEXT, response_metadata={"finish_reason": "stop"}),
    ],
)
def test_a_reply_becomes_a_response_in_whatever_clothing(reply: AIMessage) -> None:
    question = {"question": "How many people?"}
    assert chain(reply).invoke(question) == QAResponse(**GOOD)
    assert asyncio.run(chain(reply).ainvoke(question)) == QAResponse(**GOOD)


def test_batches_and_streams() -> None:
    question = {"question": "How many people?"}
    assert chain(TEXT, TEXT).batch([question, question]) == [QAResponse(**GOOD)] * 2
    assert list(chain(TEXT).stream(question)) == [QAResponse(**GOOD)]


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (AIMessage(content="Three people."), "syntax.invalid"),
        (AIMessage(content=""), "text.empty"),
        (AIMessage(content="", additional_kwargs={"refusal": "No."}), "text.refusal"),
        (AIMessage(content=[{"type": "refusal", "refusal": "No."}]), "text.refusal"),
        (AIMessage(content="", tool_calls=[call("search", query="canoe")]), "text.empty"),
        (
            AIMessage(content="", tool_calls=[call("QAResponse", **GOOD | {"confidence": 8})]),
            "schema.range",
        ),
        (
            AIMessage(
                content="",
                tool_calls=[
                    call("QAResponse", **GOOD),
                    call("QAResponse", **GOOD | {"answer": "A canoe seats two people."}),
                ],
            ),
            "syntax.ambiguous",
        ),
        (
            AIMessage(content=TEXT[:40], response_metadata={"finish_reason": "length"}),
            "text.truncated",
        ),
        (
            AIMessage(content=TEXT[:40], response_metadata={"stop_reason": "max_tokens"}),
            "text.truncated",
        ),
        (AIMessage(content=TEXT, response_metadata={"done_reason": "length"}), "text.truncated"),
        (
            AIMessage(content=TEXT, response_metadata={"finishReason": "SAFETY"}),
            "text.content_filter",
        ),
        (AIMessage(content=TEXT, response_metadata={"stopReason": "max_tokens"}), "text.truncated"),
        (
            AIMessage(
                content=TEXT,
                response_metadata={"incomplete_details": {"reason": "max_output_tokens"}},
            ),
            "text.truncated",
        ),
        (
            AIMessage(
                content="", response_metadata={"incomplete_details": {"reason": "content_filter"}}
            ),
            "text.content_filter",
        ),
        (
            AIMessage(content="", response_metadata={"finish_reason": "content_filter"}),
            "text.content_filter",
        ),
    ],
)
def test_what_is_no_response_is_refused_with_its_code(reply: AIMessage, code: str) -> None:
    with pytest.raises(OutputParserException, match=rf"^{code}") as refused:
        chain(reply).invoke({"question": "How many people?"})
    assert refused.value.send_to_llm
    assert refused.value.observation


def test_only_what_was_retrieved_may_be_cited() -> None:
    question = {"question": "How many people?"}
    assert chain(TEXT, titles=["canoes.md"]).invoke(question).sources == ["canoes.md"]
    with pytest.raises(OutputParserException, match="unknown_source"):
        chain(TEXT, titles=["rafts.md"]).invoke(question)


@pytest.mark.parametrize("given", [{"titles": "canoes.md"}, {"categories": "other"}])
def test_one_text_is_no_list_of_names(given: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        check(TEXT, **given)
