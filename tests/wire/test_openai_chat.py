"""Chat calls over real HTTP: what is sent, and what is made of the many kinds of replies."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from langchain_core.callbacks import AsyncCallbackHandler, BaseCallbackHandler

from ragqa.errors import TransportError, WrongEndpointError
from ragqa.ports import Message, ModelReply, ModelRequest
from tests.wire.asked import VALID, plain, request, streamed
from tests.wire.conftest import MakeModel, StartServer
from tests.wire.openai_replies import Reply, completion


def test_one_request_carries_everything(openai_server: StartServer, model_at: MakeModel) -> None:
    server = openai_server(VALID)
    model_at(server).complete(request())
    (body,) = server.chats
    assert body["model"] == "m"
    assert body["messages"] == [
        {"role": "system", "content": "Answer from the passages. Reply with one JSON object."},
        {"role": "user", "content": "How long is the warranty of the kettle?"},
    ]
    assert (body["temperature"], body["max_tokens"]) == (0.2, 400)
    assert body["response_format"]["json_schema"]["strict"] is True
    assert "stream" not in body


def test_a_request_without_options_sends_none(
    openai_server: StartServer, model_at: MakeModel
) -> None:
    server = openai_server("Hello.")
    model_at(server).complete(plain())
    assert server.chats[0].keys() == {"model", "messages"}


def test_documents_are_data_on_the_wire(openai_server: StartServer, model_at: MakeModel) -> None:
    text = "{x} {{y}} %s %(z)s <script> </system> [INST] \u2028 🫖 保修"
    server = openai_server("Hello.")
    model_at(server).complete(plain(text))
    assert server.chats[0]["messages"][0]["content"] == text


def test_an_assistant_message_keeps_its_role(
    openai_server: StartServer, model_at: MakeModel
) -> None:
    server = openai_server("Hello.")
    asked = ModelRequest((Message("user", "a"), Message("assistant", "b"), Message("user", "c")))
    model_at(server).complete(asked)
    assert [m["role"] for m in server.chats[0]["messages"]] == ["user", "assistant", "user"]


@pytest.mark.parametrize(
    ("reply", "text", "reason"),
    [
        (Reply(None), "", "stop"),
        (Reply("x", usage=False), "x", "stop"),
        (Reply("x", reasoning="I think."), "x", "stop"),
        (Reply("x", finish_reason=None), "x", "stop"),
        (Reply("x", finish_reason="eos"), "x", "stop"),
        (Reply("x", finish_reason="MAX_TOKENS"), "x", "length"),
        (Reply(choices=[]), "", "stop"),
        (Reply(choices=[{"message": {"content": [{"type": "text", "text": "x"}]}}]), "x", "stop"),
        (Reply(choices=[{"message": {"role": "assistant"}}]), "", "stop"),
        (Reply(None, tool_calls=(("other", "{}"),), finish_reason="tool_calls"), "", "tool_calls"),
    ],
)
def test_odd_replies_are_read(
    openai_server: StartServer, model_at: MakeModel, reply: Reply, text: str, reason: str
) -> None:
    got = model_at(openai_server(reply)).complete(plain())
    assert (got.text, got.finish_reason) == (text, reason)


def test_usage_counts_cached_tokens(openai_server: StartServer, model_at: MakeModel) -> None:
    usage = {
        "prompt_tokens": 900,
        "completion_tokens": 40,
        "total_tokens": 940,
        "prompt_tokens_details": {"cached_tokens": 512},
    }
    model = model_at(openai_server(*[Reply("x", usage=usage)] * 2))
    whole = model.complete(plain()).usage
    _, reply = streamed(model.stream(plain()))
    assert whole == reply.usage
    assert (whole.prompt_tokens, whole.completion_tokens, whole.cached_tokens) == (900, 40, 512)
    assert whole.calls == 1


@pytest.mark.parametrize(
    "usage", [{"prompt_tokens": None}, {"prompt_tokens": "9", "completion_tokens": 2.5}, {}]
)
def test_odd_usage_is_no_error(
    openai_server: StartServer, model_at: MakeModel, usage: dict[str, Any]
) -> None:
    model = model_at(openai_server(*[Reply("x", usage=usage)] * 2))
    assert model.complete(plain()).usage.prompt_tokens == 0
    _, reply = streamed(model.stream(plain()))
    assert (reply.text, reply.usage.completion_tokens) == ("x", 0)


@pytest.mark.parametrize(
    "body",
    [b"", b"[1]", b"{}", b'"text"', b'{"choices": null}', b'{"choices": {}}', b"\xff{",
     b'{"choices": [null]}', b'{"choices": [{"message": null}]}', b'{"choices": [{}]}',
     b'{"choices": [{"message": {"content": "x"'],
)  # fmt: skip
def test_a_malformed_body_is_a_transport_error(
    openai_server: StartServer, model_at: MakeModel, body: bytes
) -> None:
    reply = Reply(body=body, headers={"content-type": "application/json"})
    model = model_at(openai_server(always=reply), max_retries=0)
    with pytest.raises(TransportError, match="OPENAI_BASE_URL"):
        model.complete(plain())


@pytest.mark.parametrize("page", ["<html>Welcome</html>", "Ollama is running", ""])
def test_a_page_is_a_wrong_endpoint(
    openai_server: StartServer, model_at: MakeModel, page: str
) -> None:
    server = openai_server(always=Reply(body=page))
    with pytest.raises(WrongEndpointError, match="OPENAI_BASE_URL"):
        model_at(server).complete(plain())
    assert len(server.chats) == 1


def test_a_reply_with_the_wrong_label_is_read(
    openai_server: StartServer, model_at: MakeModel
) -> None:
    body = json.dumps({"choices": [{"message": {"content": "Hello."}}]})
    assert model_at(openai_server(Reply(body=body))).complete(plain()).text == "Hello."


def test_a_stream_comes_in_pieces(openai_server: StartServer, model_at: MakeModel) -> None:
    server = openai_server(VALID)
    pieces, reply = streamed(model_at(server).stream(request()))
    assert len(pieces) > 5
    assert "".join(pieces) == reply.text == VALID
    assert server.chats[0]["stream_options"] == {"include_usage": True}
    assert reply.usage.completion_tokens > 0


def test_pieces_are_not_held_back(openai_server: StartServer, model_at: MakeModel) -> None:
    server = openai_server(Reply("word " * 50, piece_delay_s=0.02))
    events = model_at(server).stream(plain())
    next(events)
    assert server.http.under_way == 1  # the server still writes
    events.close()


def _chunk(delta: Any, reason: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


FILTERED = {"choices": [], "prompt_filter_results": [{"prompt_index": 0}], "model": "", "id": ""}
LATE_FILTER = {"choices": [{"index": 0, "finish_reason": None, "content_filter_results": {}}]}


@pytest.mark.parametrize(
    ("chunks", "text", "reason"),
    [
        ([FILTERED, _chunk({"content": "a"}), _chunk({}, "stop"), LATE_FILTER], "a", "stop"),
        ([_chunk({"content": "a"}, "stop"), {"choices": [], "usage": {}}], "a", "stop"),
        ([_chunk({"content": "a"}), _chunk({}, "stop"), _chunk({}, "stop")], "a", "stop"),
        ([_chunk({"content": "a"}), _chunk({})], "a", None),
        ([_chunk({"content": "a"}), _chunk(None), _chunk({"content": None}, "stop")], "a", "stop"),
        ([_chunk({"reasoning_content": "h"}), _chunk({"content": "a"}, "stop")], "a", "stop"),
        ([": ping\n\n", _chunk({"content": "a"}), ": ping\n\n", _chunk({}, "length")],
         "a", "length"),
        (["data: ping\n\n", _chunk({"content": "a"}), "data:\n\n", "event: ping\n\n",
          "data: null\n\n", _chunk({}, "stop")], "a", "stop"),
        (["\ufeffretry: 9\n\n", f"id: 1\ndata: {json.dumps(_chunk({'content': 'a'}))}\n\n",
          ": ping\n\n", _chunk({}, "stop")], "a", "stop"),
        ([_chunk({"content": "a"}), "data: {broken\n\n",
          _chunk({"content": "b"}, "stop")], "a", None),
        ([_chunk({}, "content_filter")], "", "content_filter"),
        ([{"choices": None}, _chunk({"content": [{"text": "a"}]}, "stop")], "a", "stop"),
    ],
)  # fmt: skip
def test_odd_chunks_are_read(
    openai_server: StartServer, model_at: MakeModel, chunks: list[Any], text: str, reason: str
) -> None:
    model = model_at(openai_server(*[Reply(chunks=chunks)] * 2))
    pieces, reply = streamed(model.stream(plain()))
    assert ("".join(pieces), reply.text, reply.finish_reason) == (text, text, reason)

    async def events() -> list[Any]:
        return [event async for event in model.astream(plain())]

    assert streamed(asyncio.run(events()))[1] == reply


@pytest.mark.parametrize("order", [("json_schema",), ("function_calling",)])
def test_a_whole_reply_where_a_stream_was_asked_for(
    openai_server: StartServer, model_at: MakeModel, order: Any
) -> None:
    asked = {"model": "m", "messages": [], "tool_choice": {"function": {"name": "r"}}}
    call = (("QAResponse", VALID),) if order == ("function_calling",) else ()
    said = Reply(None if call else VALID, tool_calls=call)
    model = model_at(openai_server(*[Reply(body=completion(said, asked))] * 2), order=order)
    pieces, reply = streamed(model.stream(request()))
    assert (pieces, reply.text, reply.finish_reason) == ([VALID], VALID, "stop")
    assert reply.usage.completion_tokens > 0

    async def events() -> list[Any]:
        return [event async for event in model.astream(request())]

    assert streamed(asyncio.run(events())) == (pieces, reply)


def test_a_stream_that_is_called_json(openai_server: StartServer, model_at: MakeModel) -> None:
    chunks = [_chunk({"content": VALID}), _chunk({}, "stop")]
    body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    label = {"content-type": "application/json"}
    model = model_at(openai_server(*[Reply(body=body, headers=label)] * 2))
    pieces, reply = streamed(model.stream(request()))
    assert (pieces, reply.text, reply.finish_reason) == ([VALID], VALID, "stop")

    async def events() -> list[Any]:
        return [event async for event in model.astream(request())]

    assert streamed(asyncio.run(events())) == (pieces, reply)


@pytest.mark.parametrize("kind", ["text/event-stream", "text/plain"])
def test_a_stream_where_none_was_asked_for(
    openai_server: StartServer, model_at: MakeModel, kind: str
) -> None:
    chunks = [_chunk({"content": VALID}), _chunk({}, "stop")]
    body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    server = openai_server(*[Reply(body=body, headers={"content-type": kind})] * 2)
    model = model_at(server)
    assert model.complete(request()).text == VALID
    assert asyncio.run(model.acomplete(request())).text == VALID
    assert len(server.chats) == 2


@pytest.mark.parametrize(
    "kind",
    ["application/json", "text/plain", "application/octet-stream", "text/event-stream", ""],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_one_object_where_a_stream_was_asked_for_whatever_it_is_called(
    openai_server: StartServer, model_at: MakeModel, kind: str, indent: int | None
) -> None:
    choice = {"message": {"role": "assistant", "content": VALID}, "finish_reason": "stop"}
    body = "\ufeff" + json.dumps({"choices": [choice]}, indent=indent)
    server = openai_server(*[Reply(body=body, headers={"content-type": kind})] * 2)
    model = model_at(server)

    async def events() -> list[Any]:
        return [event async for event in model.astream(request())]

    replies = [streamed(made)[1] for made in (model.stream(request()), asyncio.run(events()))]
    assert [(reply.text, reply.finish_reason) for reply in replies] == [(VALID, "stop")] * 2
    assert len(server.chats) == 2


@pytest.mark.parametrize("end", ["\n", "", "\ndata: [DONE]"])
def test_the_last_event_need_not_end_in_an_empty_line(
    openai_server: StartServer, model_at: MakeModel, end: str
) -> None:
    body = f"data: {json.dumps(_chunk({'content': VALID}))}\n\ndata: "
    body += json.dumps(_chunk({}, "stop")) + end.replace("\n", "\n\n" if "[" in end else "\n")
    sent = Reply(body=body, headers={"content-type": "text/event-stream"})
    _, reply = streamed(model_at(openai_server(sent)).stream(request()))
    assert (reply.text, reply.finish_reason) == (VALID, "stop")


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_nothing_where_a_stream_was_asked_for_is_asked_for_again(
    openai_server: StartServer, model_at: MakeModel, kind: str
) -> None:
    empty = Reply(body=b"", headers={"content-type": kind, "retry-after": "0"})
    server = openai_server(empty, VALID)
    assert streamed(model_at(server).stream(request()))[1].text == VALID
    assert len(server.chats) == 2


def test_a_page_where_a_stream_was_asked_for(
    openai_server: StartServer, model_at: MakeModel
) -> None:
    server = openai_server(always=Reply(body="<html>Welcome</html>"))
    with pytest.raises(WrongEndpointError):
        list(model_at(server).stream(plain()))
    assert len(server.chats) == 1


def test_usage_in_every_chunk_is_not_added_up(
    openai_server: StartServer, model_at: MakeModel
) -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 3}
    chunks = [{**_chunk({"content": "a"}), "usage": usage}] * 3 + [_chunk({}, "stop")]
    _, reply = streamed(model_at(openai_server(Reply(chunks=chunks))).stream(plain()))
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (9, 3)


def test_arguments_come_in_fragments(openai_server: StartServer, model_at: MakeModel) -> None:
    server = openai_server(VALID)
    model = model_at(server, order=("function_calling",))
    pieces, reply = streamed(model.stream(request()))
    assert len(pieces) > 5
    assert (reply.text, reply.finish_reason) == (VALID, "stop")
    assert server.chats[0]["tool_choice"]["function"]["name"] == "QAResponse"


def test_arguments_keep_their_text(openai_server: StartServer, model_at: MakeModel) -> None:
    raw = '{"answer": "a", "answer": "b", "confidence": 1e400}'
    model = model_at(openai_server(raw), order=("function_calling",))
    assert model.complete(request()).text == raw


def test_content_counts_where_tools_are_ignored(
    openai_server: StartServer, model_at: MakeModel
) -> None:
    said = {"message": {"role": "assistant", "content": VALID}, "finish_reason": "stop"}
    model = model_at(openai_server(Reply(choices=[said])), order=("function_calling",))
    assert model.complete(request()).text == VALID


class _Seen:
    def __init__(self) -> None:
        self.started: list[Any] = []
        self.tokens: list[str] = []
        self.ended: list[Any] = []
        self.failed: list[BaseException] = []


class _Handler(BaseCallbackHandler):
    def __init__(self, seen: _Seen) -> None:
        self.seen = seen

    def on_chat_model_start(self, serialized: Any, messages: Any, **kwargs: Any) -> None:
        self.seen.started.append({**kwargs, "messages": messages, "serialized": serialized})

    def on_llm_new_token(self, token: str, **kwargs: Any) -> None:
        self.seen.tokens.append(token)

    def on_llm_end(self, response: Any, **kwargs: Any) -> None:
        self.seen.ended.append(response)

    def on_llm_error(self, error: BaseException, **kwargs: Any) -> None:
        self.seen.failed.append(error)


class _AsyncHandler(AsyncCallbackHandler):
    def __init__(self, seen: _Seen) -> None:
        self.seen = seen

    async def on_llm_end(self, response: Any, **kwargs: Any) -> None:
        self.seen.ended.append(response)


def test_callbacks_and_tags_arrive(openai_server: StartServer, model_at: MakeModel) -> None:
    server = openai_server(*[VALID] * 4, refuse={"json_schema", "temperature"})
    model, seen = model_at(server, api_key="sk-secret-key-0123456789"), _Seen()
    config = {"callbacks": [_Handler(seen), _AsyncHandler(seen)], "tags": ["shop"]}
    model.complete(request(), {"callbacks": [_Handler(seen)], "tags": ["shop"]})
    asyncio.run(model.acomplete(request(), config))
    list(model.stream(request(), {"callbacks": [_Handler(seen)]}))
    assert len(seen.started) == 3  # refused forms are no calls of their own
    assert [start["tags"] for start in seen.started] == [["shop"], ["shop"], []]
    assert "".join(seen.tokens) == VALID
    assert len(seen.ended) == 4
    assert seen.ended[0].generations[0][0].text == VALID
    assert not seen.failed
    assert "sk-secret" not in repr(seen.started)


def test_callbacks_see_the_translated_error(
    openai_server: StartServer, model_at: MakeModel
) -> None:
    seen = _Seen()
    model = model_at(openai_server(key="right"), api_key="sk-wrong-key-0123456789")
    with pytest.raises(Exception, match="refuses the key") as raised:
        model.complete(plain(), {"callbacks": [_Handler(seen)]})
    assert seen.failed == [raised.value]


def test_fifty_at_once(openai_server: StartServer, model_at: MakeModel) -> None:
    server = openai_server(always=Reply(VALID, delay_s=0.2))
    model = model_at(server, timeout_s=30)

    async def many() -> list[ModelReply]:
        return await asyncio.gather(*(model.acomplete(request()) for _ in range(50)))

    assert {reply.text for reply in asyncio.run(many())} == {VALID}
    assert server.http.most_at_once == 50


def test_langchains_own_parts_get_the_same_care(
    openai_server: StartServer, model_at: MakeModel
) -> None:
    call = (("look_up", json.dumps({"query": "kettle"})),)
    server = openai_server(
        Reply(None, tool_calls=call, finish_reason="tool_calls"), refuse={"temperature"}
    )
    parameters: dict[str, Any] = {"type": "object", "properties": {}}
    tool = {"type": "function", "function": {"name": "look_up", "parameters": parameters}}
    message = model_at(server).langchain.bind_tools([tool]).invoke("Find it.", temperature=0.5)
    assert [(c["name"], c["args"]) for c in message.tool_calls] == [
        ("look_up", {"query": "kettle"})
    ]
    assert len(server.chats) == 2
