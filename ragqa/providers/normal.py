"""Replies of many servers, brought to the one shape that the layers above read.

A reply that was asked for as a function's arguments becomes content; a refusal becomes content
that ended with ``refusal``; missing and null parts are filled in. Everything else stays.
"""

from __future__ import annotations

import json
from typing import Any

from ragqa.providers.content import text_of
from ragqa.providers.event_text import events_in
from ragqa.providers.executed import ExecutedTools, executed_in
from ragqa.providers.tool_calls import CallFragments, calls_in, put_together, whole_calls

JsonObject = dict[str, Any]

REFUSAL = "refusal"
"""Why a reply ended that is a refusal: the text is the model's own words."""

FILTERED = "content_filter"
"""Why a reply ended that the service's content filter stopped."""

_REASONS = {
    "eos": "stop",
    "eos_token": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_length": "length",
    "complete": "stop",
    "tool_use": "tool_calls",
    "tool_call": "tool_calls",
    "safety": FILTERED,
}
"""What servers and gateways call the same reasons, in lower case."""


class MalformedReplyError(ValueError):
    """Report a reply that is not what the protocol says."""


class NoServiceError(ValueError):
    """Report text where a reply was due, such as a page."""


class FaultInReplyError(Exception):
    """Report a fault that came with the status of a good reply, as some gateways send it.

    Attributes:
        body: What was said.
    """

    def __init__(self, body: JsonObject) -> None:
        super().__init__("a fault in the place of a reply")
        self.body = body


def json_reply(data: Any) -> JsonObject:
    """Return the object that a service sent; the SDK hands over text where it was not labelled.

    Raises:
        NoServiceError: If it is text of another kind.
        FaultInReplyError: If it is a fault.
        MalformedReplyError: If it is no object.
    """
    if isinstance(data, str):
        try:
            data = json.loads(data)
        except ValueError:
            raise NoServiceError from None
    if not isinstance(data, dict):
        raise MalformedReplyError
    if data.get("error") and not data.get("choices"):
        raise FaultInReplyError(data)
    return data


def whole_reply(data: Any, *, by_function: bool) -> JsonObject:
    """Return a complete reply in the shape of OpenAI's own.

    Args:
        data: The decoded body.
        by_function: Whether the text was asked for as a function's arguments.

    Raises:
        ValueError, FaultInReplyError: If it is no chat completion, see ``json_reply``.
    """
    events = events_in(data) if isinstance(data, str) else []
    data = _read_together(events, by_function=by_function) if events else json_reply(data)
    choice, message = _first_choice(data.get("choices"))
    text, is_refusal = text_of(message, by_function)
    reason = _reason(choice.get("finish_reason"), by_function) or "stop"  # it is complete
    calls = [] if by_function else whole_calls(calls_in(message))
    kept = {**({"tool_calls": calls} if calls else {}), **executed_in(message)}
    return {
        **data,
        "model": _string(data.get("model")),
        "usage": _usage(data.get("usage")),
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text, **kept},
                "finish_reason": REFUSAL if is_refusal and reason == "stop" else reason,
            }
        ],
    }


def _read_together(events: list[str], *, by_function: bool) -> JsonObject:
    """Return the reply that a stream carries: some gateways stream whatever they are asked for.

    Raises:
        MalformedReplyError: If it broke off.
    """
    shape = StreamShape(by_function=by_function)
    choices = [choice for each in events for choice in shape.chunk(json_reply(each))["choices"]]
    reason = next((each["finish_reason"] for each in choices if each["finish_reason"]), None)
    if reason is None:
        raise MalformedReplyError
    deltas = [choice["delta"] for choice in choices]
    message = {
        "content": "".join(delta["content"] for delta in deltas),
        "tool_calls": put_together(piece for delta in deltas for piece in calls_in(delta)),
        **shape.executed.told(),
    }
    return {
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": shape.last_chunk()["usage"],
    }


def _first_choice(choices: Any) -> tuple[JsonObject, JsonObject]:
    """Return the first choice and its message; no choice at all is an empty one.

    Raises:
        MalformedReplyError: If there are no choices, or no message is in it.
    """
    if not isinstance(choices, list):
        raise MalformedReplyError
    first = _foremost(choices) if choices else {"message": {}}
    message = first.get("message") if isinstance(first, dict) else None
    if isinstance(message, dict):
        return first, _joined(first, message, [each for each in choices if each is not first])
    if isinstance(first, dict) and message is None and first.get("finish_reason"):
        return first, {}  # Azure leaves it out where its content filter stopped the answer
    raise MalformedReplyError


def _foremost(choices: list[Any]) -> Any:
    """Return the choice of the lowest number, the one that is read of a stream, too."""
    return min(choices, key=lambda each: _count(each.get("index")) if isinstance(each, dict) else 0)


def _joined(first: JsonObject, message: JsonObject, others: list[Any]) -> JsonObject:
    """Return the message of the first choice, with calls that came beside it.

    Some gateways put text and calls into two choices that bear one index, or none.
    """
    if calls_in(message):
        return message
    for other in others:
        if isinstance(other, dict) and other.get("index") == first.get("index"):
            beside = other.get("message")
            if isinstance(beside, dict) and (calls := calls_in(beside)):
                return {**message, "tool_calls": calls}
    return message


class StreamShape:
    """Brings the chunks of one streamed reply to one shape; usage is kept for the end.

    Attributes:
        has_text: Whether any text has come, or a call that the caller asked for.
        ended: Whether a finish reason has come.
        executed: What has come of tools that the provider ran; told with the finish reason.
    """

    def __init__(self, *, by_function: bool) -> None:
        self._by_function = by_function
        self._usage: JsonObject | None = None
        self._refusal = ""
        self._filtered = False
        self._calls = CallFragments()
        self.executed = ExecutedTools()
        self._index: int | None = None
        self.has_text = False
        self.ended = False

    def chunk(self, data: Any) -> JsonObject:
        """Return a chunk with at most one choice, whose delta is always there."""
        if not isinstance(data, dict):
            raise MalformedReplyError
        self._usage = _usage(data.get("usage")) or self._usage
        shaped = {**data, "model": _string(data.get("model")), "usage": None, "choices": []}
        if (choice := self._followed(data.get("choices"))) is not None:
            shaped["choices"] = [self._choice(choice)]
        return shaped

    def last_chunk(self) -> JsonObject:
        """Return the chunk that carries what the call took."""
        return {"choices": [], "usage": self._usage}

    def _followed(self, choices: Any) -> JsonObject | None:
        """Return the one choice that is read, the first: the texts of several would be mixed."""
        said = choices if isinstance(choices, list) else []
        kept = [each for each in reversed(said) if isinstance(each, dict)]
        by_index = {_count(each.get("index")): each for each in kept}
        if by_index and self._index is None:
            self._index = min(by_index)
        return None if self._index is None else by_index.get(self._index)

    def _choice(self, choice: JsonObject) -> JsonObject:
        delta = choice.get("delta")
        if not isinstance(delta, dict) and not self.has_text:
            delta = choice.get("message")  # the whole reply in the place of its pieces
        delta = delta if isinstance(delta, dict) else {}
        text, is_refusal = text_of(delta, self._by_function)
        self.has_text |= bool(text)
        if is_refusal:  # held back to the end: it is no piece of an answer
            self._refusal, text = self._refusal + text, ""
        reason = self._ending(choice)
        if reason == "stop" and self._refusal:
            reason, text = REFUSAL, self._refusal
        calls = [] if self._by_function else self._calls.numbered(calls_in(delta))
        kept = {"tool_calls": calls} if calls else {}
        self.has_text |= bool(kept)
        self.executed.take(delta)
        executed = self.executed.told() if reason is not None else {}
        shaped = {"role": "assistant", "content": text, **kept, **executed}
        return {"index": 0, "delta": shaped, "finish_reason": reason}

    def _ending(self, choice: JsonObject) -> str | None:
        """Return the finish reason once: some servers repeat it, and LangChain would join them.

        One that comes late counts: Azure's asynchronous filter may stop a text that has ended.
        Source: https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-streaming
        """
        reason = _reason(choice.get("finish_reason"), self._by_function)
        is_late = reason == FILTERED and not self._filtered
        if self.ended and not is_late:
            return None
        self.ended = reason is not None
        self._filtered = reason == FILTERED
        return reason


def _reason(said: Any, by_function: bool) -> str | None:
    if not isinstance(said, str) or not said:
        return None
    reason = _REASONS.get(said.lower(), said.lower())
    return "stop" if by_function and reason in ("tool_calls", "function_call") else reason


def _usage(said: Any) -> JsonObject | None:
    """Return the token counts that are whole numbers; servers leave out or null what they like."""
    if not isinstance(said, dict):
        return None
    details = said.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    prompt, completion = _count(said.get("prompt_tokens")), _count(said.get("completion_tokens"))
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": _count(cached)},
    }


_MOST_TOKENS = 10**12
"""More are no count of tokens; sums of them would not fit into a database."""


def _count(said: Any) -> int:
    is_count = isinstance(said, int) and not isinstance(said, bool)
    return said if is_count and 0 < said < _MOST_TOKENS else 0


def _string(said: Any) -> str:
    return said if isinstance(said, str) else ""
