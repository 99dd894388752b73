"""What the local server replies: scripted answers in the format of the real service."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import math
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any

from tests.wire.openai_refusals import JsonObject

CREATED = 1_760_000_000
FINGERPRINT = "fp_local"
PIECE_CHARS = 12

_ids = itertools.count(1)


@dataclass(frozen=True)
class Reply:
    """One scripted answer; what is not set comes as the real service sends it.

    Attributes:
        text: The content; None for null.
        status, body, headers: Answer this instead; a string or bytes go out as they are.
        raw: Bytes sent instead of any HTTP response.
        delay_s: Wait before answering.
        finish_reason: None leaves it null; in a stream it is then missing.
        refusal: The model's own words, where it declines.
        tool_calls: Calls as ``(name, arguments)``; arguments as text.
        executed: Tools that the service ran itself, as Groq lists them.
        cited: Pages that the service found, as title and address.
        reasoning: Sent as reasoning_content.
        usage: False leaves it out; a dict replaces it.
        choices: Replaces the choices of a whole reply.
        chunks: The chunks of a stream, exactly; dicts, or strings to send as they are.
        piece_delay_s: Wait before each piece of a stream.
        drop_after: Break the connection after so many chunks, or so many bytes of a whole body.
        reset: Whether to break it with a reset.
        done: Whether a stream ends with ``[DONE]``.
        drip: Send blanks for ever where a whole body is due.
    """

    text: str | None = ""
    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | str | None = None
    delay_s: float = 0.0
    finish_reason: str | None = "stop"
    refusal: str | None = None
    tool_calls: tuple[tuple[str, str], ...] = ()
    executed: tuple[JsonObject, ...] = ()
    cited: tuple[tuple[str, str], ...] = ()
    reasoning: str | None = None
    usage: bool | dict[str, Any] = True
    choices: list[Any] | None = None
    chunks: list[Any] | None = None
    piece_delay_s: float = 0.0
    drop_after: int | None = None
    reset: bool = False
    done: bool = True
    drip: bool = False

    @classmethod
    def of(cls, said: Reply | str | JsonObject) -> Reply:
        """Take a reply, its text, or a line of a script."""
        if isinstance(said, Reply):
            return said
        if isinstance(said, str):
            return cls(said)
        unknown = set(said) - {item.name for item in fields(cls)}
        if unknown:
            raise ValueError(f"a reply has no {sorted(unknown)}")
        calls = tuple((name, arguments) for name, arguments in said.get("tool_calls", ()))
        executed = tuple(said.get("executed", ()))
        return cls(**{**said, "tool_calls": calls, "executed": executed})


def as_called(reply: Reply, request: JsonObject) -> Reply:
    """Put a text into the arguments of the function, where the request forces one."""
    choice = request.get("tool_choice")
    forced = isinstance(choice, dict) and choice.get("type") == "function"
    if not forced or reply.tool_calls or not reply.text or reply.choices or reply.chunks:
        return reply
    calls = ((choice["function"]["name"], reply.text),)
    return Reply(**{**vars(reply), "tool_calls": calls, "text": None})


def completion(reply: Reply, request: JsonObject) -> JsonObject:
    """Return the body of a whole reply."""
    message: JsonObject = {
        "role": "assistant",
        "content": reply.text,
        "refusal": reply.refusal,
        "annotations": _annotations(reply),
    }
    if reply.refusal is not None:
        message["content"] = None
    if reply.reasoning is not None:
        message["reasoning_content"] = reply.reasoning
    if reply.executed:
        message["executed_tools"] = list(reply.executed)
    if reply.tool_calls:
        message["tool_calls"] = [_call(name, said) for name, said in reply.tool_calls]
    choice = {
        "index": 0,
        "message": message,
        "logprobs": None,
        "finish_reason": reply.finish_reason,
    }
    body = {
        "id": f"chatcmpl-{next(_ids)}",
        "object": "chat.completion",
        "created": CREATED,
        "model": request["model"],
        "choices": [choice] if reply.choices is None else reply.choices,
        "service_tier": "default",
        "system_fingerprint": FINGERPRINT,
    }
    if reply.usage:
        body["usage"] = usage_of(reply, request)
    return body


def _annotations(reply: Reply) -> list[JsonObject]:
    pages = ({"title": title, "url": url} for title, url in reply.cited)
    return [
        {"type": "url_citation", "url_citation": {"start_index": 0, "end_index": 9, **page}}
        for page in pages
    ]


def _told_of_tools(reply: Reply) -> Iterator[JsonObject]:
    """Yield the deltas that tell of tools of the service: the call, then what came of it."""
    for tool in reply.executed:
        called = {key: tool[key] for key in ("index", "type", "arguments") if key in tool}
        yield {"executed_tools": [called]}
        yield {"executed_tools": [tool]}
    yield from ({"annotations": [note]} for note in _annotations(reply))


def _call(name: str, arguments: str) -> JsonObject:
    function = {"name": name, "arguments": arguments}
    return {"id": f"call_{next(_ids)}", "type": "function", "function": function}


def usage_of(reply: Reply, request: JsonObject) -> JsonObject:
    if isinstance(reply.usage, dict):
        return reply.usage
    prompt = count_tokens(json.dumps(request["messages"], ensure_ascii=False))
    said = "".join([reply.text or "", *(arguments for _, arguments in reply.tool_calls)])
    completion_tokens = count_tokens(said)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion_tokens,
        "total_tokens": prompt + completion_tokens,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": 0,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }


def count_tokens(text: str) -> int:
    """Return a rough count: the server needs figures that grow with the text, no tokenizer."""
    return len(re.findall(r"[\u3400-\u9fff]|\w{1,6}|[^\w\s]", text))


def chunks(reply: Reply, request: JsonObject) -> Iterator[Any]:
    """Yield the chunks of a streamed reply."""
    if reply.chunks is not None:
        yield from reply.chunks
        return
    identity = f"chatcmpl-{next(_ids)}"
    yield _chunk(identity, request, {"role": "assistant", "content": "", "refusal": None})
    for piece in _pieces(reply.reasoning or ""):
        yield _chunk(identity, request, {"reasoning_content": piece})
    for told in _told_of_tools(reply):
        yield _chunk(identity, request, told)
    for piece in _pieces(reply.refusal or ""):
        yield _chunk(identity, request, {"refusal": piece})
    for piece in _pieces("" if reply.refusal else reply.text or ""):
        yield _chunk(identity, request, {"content": piece})
    for index, (name, arguments) in enumerate(reply.tool_calls):
        call = {"index": index, **_call(name, "")}
        yield _chunk(identity, request, {"tool_calls": [call]})
        for piece in _pieces(arguments):
            fragment = {"index": index, "function": {"arguments": piece}}
            yield _chunk(identity, request, {"tool_calls": [fragment]})
    if reply.finish_reason is not None:
        yield _chunk(identity, request, {}, reply.finish_reason)
    if (request.get("stream_options") or {}).get("include_usage") and reply.usage:
        last = _chunk(identity, request, {})
        yield {**last, "choices": [], "usage": usage_of(reply, request)}


def _chunk(
    identity: str, request: JsonObject, delta: JsonObject, reason: str | None = None
) -> JsonObject:
    chunk = {
        "id": identity,
        "object": "chat.completion.chunk",
        "created": CREATED,
        "model": request["model"],
        "service_tier": "default",
        "system_fingerprint": FINGERPRINT,
        "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}],
    }
    if (request.get("stream_options") or {}).get("include_usage"):
        chunk["usage"] = None
    return chunk


def _pieces(text: str) -> Iterator[str]:
    for start in range(0, len(text), PIECE_CHARS):
        yield text[start : start + PIECE_CHARS]


def embedding_reply(body: JsonObject, dimension: int) -> JsonObject:
    """Return vectors in which texts that share words are near each other."""
    texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
    length = body.get("dimensions", dimension)
    encode = _base64 if body.get("encoding_format") == "base64" else list
    data = [
        {"object": "embedding", "index": i, "embedding": encode(embed(text, length))}
        for i, text in enumerate(texts)
    ]
    tokens = sum(count_tokens(text) for text in texts)
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": body["model"], "usage": usage}


def embed(text: str, length: int) -> tuple[float, ...]:
    """Hash the words of a text into a unit vector."""
    vector = [0.0] * length
    for word in re.findall(r"[\u3400-\u9fff]|\w+", text.lower()) or [" "]:
        digest = hashlib.sha256(word.encode()).digest()
        vector[int.from_bytes(digest[:4], "big") % length] += 1.0 if digest[4] % 2 else -1.0
    norm = math.sqrt(sum(number * number for number in vector)) or 1.0
    return tuple(number / norm for number in vector)


def _base64(vector: tuple[float, ...]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
