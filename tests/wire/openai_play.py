"""Send scripted replies over the wire: whole, in pieces, broken off or as plain garbage."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from tests.wire.http_wire import Exchange
from tests.wire.openai_refusals import JsonObject
from tests.wire.openai_replies import Reply, chunks, completion

_JSON = {"content-type": "application/json"}


def send(exchange: Exchange, status: int, body: Any, headers: dict[str, str]) -> None:
    if isinstance(body, str | bytes):
        data = body.encode() if isinstance(body, str) else body
        exchange.respond(status, {"content-type": "text/html", **headers}, data)
        return
    exchange.respond(status, {**_JSON, **headers}, json.dumps(body).encode())


async def play(exchange: Exchange, reply: Reply, request: JsonObject) -> None:
    if reply.raw is not None:
        exchange.raw(reply.raw.encode() if isinstance(reply.raw, str) else reply.raw)
        exchange.drop()
    elif reply.body is not None or reply.status != 200:
        send(exchange, reply.status, reply.body if reply.body is not None else {}, reply.headers)
    elif request.get("stream"):
        await _play_stream(exchange, reply, request)
    elif reply.drip:
        await _play_blanks(exchange, reply)
    else:
        _play_whole(exchange, reply, request)


def _play_whole(exchange: Exchange, reply: Reply, request: JsonObject) -> None:
    said = json.dumps(completion(reply, request), ensure_ascii=False)
    data = said.encode(errors="backslashreplace")  # half a character is sent as JSON escapes it
    if reply.drop_after is None:
        exchange.respond(200, {**_JSON, **reply.headers}, data)
        return
    exchange.start(200, _JSON)
    exchange.piece(data[: reply.drop_after] or b" ")
    exchange.drop(reset=reply.reset)


async def _play_blanks(exchange: Exchange, reply: Reply) -> None:
    exchange.start(200, _JSON)
    while True:  # until the client hangs up
        exchange.piece(b" ")
        await asyncio.sleep(reply.piece_delay_s)


async def _play_stream(exchange: Exchange, reply: Reply, request: JsonObject) -> None:
    exchange.start(200, {"content-type": "text/event-stream; charset=utf-8", **reply.headers})
    for number, chunk in enumerate(chunks(reply, request)):
        if reply.drop_after == number:
            exchange.drop(reset=reply.reset)
            return
        if reply.piece_delay_s:
            await asyncio.sleep(reply.piece_delay_s)
        event = chunk if isinstance(chunk, str) else f"data: {json.dumps(chunk)}\n\n"
        exchange.piece(event.encode())
    if reply.done:
        exchange.piece(b"data: [DONE]\n\n")
    exchange.end()
