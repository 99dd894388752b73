"""A local server that speaks OpenAI's chat-completions and embeddings protocol, strictly.

Replies are scripted; requests that the real service would refuse are refused in its words, and all
are recorded.

>>> with OpenAIServer(["Hello."]) as server:                     # doctest: +SKIP
...     answer = call(server.base_url)
...     server.chats[0]["messages"]

For people: ``python -m tests.wire.openai_server --port 0 --script replies.jsonl``; a line of the
script is a text or an object with the fields of ``Reply``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from tests.wire.http_wire import Exchange, HttpServer
from tests.wire.openai_play import play, send
from tests.wire.openai_refusals import (
    JsonObject,
    RefusedError,
    error_body,
    in_the_words_of,
    invalid,
    no_key,
    no_model,
    no_route,
    over_quota,
    too_long,
    wrong_key,
)
from tests.wire.openai_replies import (
    Reply,
    as_called,
    count_tokens,
    embedding_reply,
)
from tests.wire.openai_rules import check_chat, check_embedding


@dataclass(frozen=True, slots=True)
class Recorded:
    """A request that came in; the key is left out of its headers."""

    path: str
    headers: dict[str, str]
    body: Any
    at_s: float
    status: int = 0


@dataclass
class OpenAIServer:
    """Serve scripted replies on 127.0.0.1 while the context is open.

    Attributes:
        script: The replies, in the order of the accepted chat requests.
        always: What to reply when the script is used up; without it that is an error.
        key: The key that is asked for; None takes every one, and none.
        models: The models that exist; None takes every name.
        refuse: Features that are refused: those of ``openai_refusals.UNSUPPORTED``.
        style: In whose words they are refused, see ``in_the_words_of``.
        max_prompt_tokens: Refuse longer prompts.
        quota: How many chat requests get a reply before 429 is answered ...
        retry_after: ... with this header; the quota starts anew after that.
        dimension: Of embeddings.
    """

    script: list[Any] = field(default_factory=list)
    always: Any = None
    key: str | None = None
    models: Collection[str] | None = None
    refuse: Collection[str] = ()
    style: str = "openai"
    max_prompt_tokens: int | None = None
    quota: int | None = None
    retry_after: str = "1"
    dimension: int = 64
    port: int = 0
    requests: list[Recorded] = field(default_factory=list, init=False)
    keys_seen: set[str] = field(default_factory=set, init=False)

    def __post_init__(self) -> None:
        self.http = HttpServer(self._handle, port=self.port)
        self._script = [Reply.of(said) for said in self.script]
        self._lock = threading.Lock()
        self._used = 0

    def __enter__(self) -> Self:
        self.http.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self.http.__exit__(*error)

    @property
    def base_url(self) -> str:
        return f"{self.http.url}/v1"

    @property
    def chats(self) -> list[JsonObject]:
        """Return the bodies of all chat requests, refused ones too."""
        return [item.body for item in self.requests if item.path.endswith("/chat/completions")]

    @property
    def answered(self) -> list[JsonObject]:
        """Return the bodies of the chat requests that got a scripted reply."""
        return [item.body for item in self.requests if item.status < 400 and item.body is not None]

    @property
    def open_sockets(self) -> int:
        return self.http.open_sockets

    def add(self, *replies: Reply | str | JsonObject) -> None:
        """Put replies at the end of the script."""
        self._script += [Reply.of(said) for said in replies]

    async def _handle(self, exchange: Exchange) -> None:
        request = exchange.request
        body = _decoded(request.body)
        try:
            reply = self._answer(request.method, request.path, request.headers, body)
        except RefusedError as refused:
            self._record(exchange, body, refused.status)
            send(exchange, refused.status, refused.body, refused.headers)
            return
        if not isinstance(reply, Reply):
            self._record(exchange, body, 200)
            send(exchange, 200, reply, {})
            return
        self._record(exchange, body, reply.status)
        if reply.delay_s:
            await asyncio.sleep(reply.delay_s)
        await play(exchange, reply, body)

    def _record(self, exchange: Exchange, body: Any, status: int) -> None:
        headers = {k: v for k, v in exchange.request.headers.items() if k != "authorization"}
        path = exchange.request.path
        with self._lock:
            self.requests.append(Recorded(path, headers, body, time.monotonic(), status))

    def _answer(self, method: str, path: str, headers: dict[str, str], body: Any) -> Any:
        routes: dict[tuple[str, str], Callable[[Any], Any]] = {
            ("POST", "/v1/chat/completions"): self._chat,
            ("POST", "/v1/embeddings"): self._embed,
            ("GET", "/v1/models"): lambda _: self._list(),
        }
        route = routes.get((method, path))
        if route is None:
            raise no_route(method, path)
        self._check_key(headers)
        return route(body)

    def _check_key(self, headers: dict[str, str]) -> None:
        scheme, _, key = headers.get("authorization", "").partition(" ")
        if key:
            self.keys_seen.add(key)
        if self.key is None:
            return
        if scheme.lower() != "bearer" or not key:
            raise no_key()
        if key != self.key:
            raise wrong_key(key)

    def _chat(self, body: Any) -> Reply:
        if body is None:
            raise invalid("We could not parse the JSON body of your request.")
        check_chat(body)
        self._check_abilities(body)
        with self._lock:
            return as_called(self._next(body), body)

    def _check_abilities(self, body: JsonObject) -> None:
        if self.models is not None and body["model"] not in self.models:
            raise no_model(body["model"])
        for feature in _features(body):
            if feature in self.refuse:
                param = "response_format" if feature.startswith("json_") else feature
                status, refused = in_the_words_of(self.style, feature, body[param])
                raise RefusedError(status, refused)
        if self.max_prompt_tokens is not None:
            tokens = count_tokens(json.dumps(body["messages"], ensure_ascii=False))
            if tokens > self.max_prompt_tokens:
                raise too_long(self.max_prompt_tokens, tokens)

    def _next(self, body: JsonObject) -> Reply:
        """Return the next reply; a subclass may make it from the request."""
        if self.quota is not None and self._used >= self.quota:
            self._used = 0
            raise over_quota(self.retry_after)
        self._used += 1
        if self._script:
            return self._script.pop(0)
        if self.always is None:
            raise RefusedError(400, error_body("The script is used up.", code="script_used_up"))
        return Reply.of(self.always)

    def _embed(self, body: Any) -> Any:
        check_embedding(body)
        if body.get("encoding_format") == "base64" and "encoding_format" in self.refuse:
            status, refused = in_the_words_of(self.style, "encoding_format", "base64")
            raise RefusedError(status, refused)
        return embedding_reply(body, self.dimension)

    def _list(self) -> JsonObject:
        names = sorted(self.models or ["m"])
        data = [{"id": name, "object": "model", "created": 0, "owned_by": "x"} for name in names]
        return {"object": "list", "data": data}


def _features(body: JsonObject) -> Iterable[str]:
    """Yield the optional features of a request, as ``refuse`` names them."""
    yield (body.get("response_format") or {}).get("type", "")
    for name in ("tools", "temperature", "max_tokens", "max_completion_tokens", "stream_options"):
        if name in body:
            yield name


def _decoded(body: bytes) -> Any:
    try:
        return json.loads(body) if body else None
    except ValueError:
        return None


def main(arguments: list[str] | None = None) -> None:
    """Serve until standard input is closed or the program is interrupted."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script", type=Path, help="a file with one reply a line")
    parser.add_argument("--always", help="the text to reply when the script is used up")
    parser.add_argument("--key", help="the key to ask for")
    parser.add_argument("--refuse", default="", help="features to refuse, separated by commas")
    parser.add_argument("--style", default="openai", help="in whose words to refuse")
    given = parser.parse_args(arguments)
    lines = given.script.read_text("utf-8").splitlines() if given.script else []
    server = OpenAIServer(
        [json.loads(line) for line in lines if line.strip()],
        always=given.always,
        key=given.key,
        refuse=[name for name in given.refuse.split(",") if name],
        style=given.style,
        port=given.port,
    )
    with server:
        print(json.dumps({"base_url": server.base_url}), flush=True)
        try:
            sys.stdin.read()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
