"""A local server that speaks Azure AI Search's protocol, strictly.

Indexes are real and small; what the service would refuse is refused in its words; faults happen by
script; all requests are recorded.

>>> with SearchServer() as server:                                # doctest: +SKIP
...     index(server.endpoint, server.admin_key)
...     server.searches[0]["select"]

For people: ``python -m tests.wire.azure.search_server --port 0``.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.wire.azure.search_definitions import check_update, completed
from tests.wire.azure.search_index import MAX_BODY_BYTES, Index
from tests.wire.azure.search_refusals import JsonObject, Refused, invalid, no_index
from tests.wire.http_wire import Exchange, HttpServer

ADMIN_KEY, QUERY_KEY = "admin-key-1", "query-key-1"
API_VERSIONS = ("2024-07-01", "2025-09-01", "2026-04-01")
_SECRETS = ("api-key", "authorization", "x-ms-query-source-authorization")
_QUERY_PARAMETERS = {"api-version", "allowIndexDowntime", "$select"}


@dataclass(frozen=True, slots=True)
class Recorded:
    """A request that came in; whether it held a key or a token, but none of them."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any
    at_s: float
    status: int
    secrets: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Fault:
    """What happens to a request in place of an answer.

    Attributes:
        status: What is answered; 0 answers as usual (after the delay).
        body: With which body; a text is no JSON.
        headers: With which headers.
        delay_s: How long it takes.
        drop: Hang up instead.
        on: Part of the path of the requests that it happens to.
    """

    status: int = 0
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    drop: bool = False
    on: str = ""


@dataclass
class SearchServer:
    """Serve a search service on 127.0.0.1 while the context is open.

    Attributes:
        admin_key: May do everything.
        query_key: May search.
        token: A bearer token that may do everything; None refuses every token.
        faults: Taken one for each request that they are for.
        item_faults: By document key: statuses that its uploads get before one succeeds; a
            negative one lasts for ever.
    """

    admin_key: str = ADMIN_KEY
    query_key: str = QUERY_KEY
    token: str | None = None
    port: int = 0
    faults: list[Fault] = field(default_factory=list)
    item_faults: dict[str, list[int]] = field(default_factory=dict)
    indexes: dict[str, Index] = field(default_factory=dict, init=False)
    requests: list[Recorded] = field(default_factory=list, init=False)
    arrived: Counter[str] = field(default_factory=Counter, init=False)

    def __post_init__(self) -> None:
        self.http = HttpServer(self._handle, port=self.port)
        self._lock = threading.Lock()
        self._etags = itertools.count(1)

    def __enter__(self) -> Self:
        self.http.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self.http.__exit__(*error)

    @property
    def endpoint(self) -> str:
        return self.http.url

    @property
    def searches(self) -> list[JsonObject]:
        """Return the bodies of all searches."""
        return [item.body for item in self.requests if item.path.endswith("/search.post.search")]

    @property
    def batches(self) -> list[list[JsonObject]]:
        """Return the actions of all uploads."""
        ends = "/search.index"
        return [item.body["value"] for item in self.requests if item.path.endswith(ends)]

    def create(self, definition: JsonObject) -> Index:
        """Make an index without a request."""
        index = Index(completed(definition, self._etag()))
        self.indexes[definition["name"]] = index
        return index

    def put(self, name: str, *documents: JsonObject) -> None:
        """Put documents into an index without a request."""
        index = self.indexes[name]
        for action in index.check_batch({"value": list(documents)}):
            assert index.apply(action)[1] is None

    def _etag(self) -> str:
        return f'"0x{next(self._etags):016X}"'

    async def _handle(self, exchange: Exchange) -> None:
        fault = self._fault(exchange.request.path)
        if fault and fault.delay_s:
            await asyncio.sleep(fault.delay_s)
        if fault and fault.drop:
            self._record(exchange, 0)
            exchange.drop(reset=True)
            return
        if fault and fault.status:
            self._record(exchange, fault.status)
            _send(exchange, fault.status, fault.body, fault.headers)
            return
        try:
            status, reply = self._answer(exchange)
        except Refused as refused:
            status, reply = refused.status, refused.body
        self._record(exchange, status)
        _send(exchange, status, reply, {})

    def _fault(self, path: str) -> Fault | None:
        for at, fault in enumerate(self.faults):
            if fault.on in path:
                return self.faults.pop(at)
        return None

    def _record(self, exchange: Exchange, status: int) -> None:
        request = exchange.request
        parts = urlsplit(request.path)
        headers = {k: v for k, v in request.headers.items() if k not in _SECRETS}
        self.requests.append(
            Recorded(
                request.method,
                unquote(parts.path),
                dict(parse_qsl(parts.query)),
                headers,
                _decoded(request.body),
                time.monotonic(),
                status,
                frozenset(name for name in _SECRETS if name in request.headers),
            )
        )

    def _answer(self, exchange: Exchange) -> tuple[int, Any]:
        request = exchange.request
        parts = urlsplit(request.path)
        self._check_version(dict(parse_qsl(parts.query)))
        path = unquote(parts.path)
        self._check_key(request.headers, is_search=path.endswith("/docs/search.post.search"))
        if len(request.body) > MAX_BODY_BYTES:
            raise Refused(413, "The request is too large.")
        body = _decoded(request.body)
        if path.rstrip("/") == "/indexes":
            return self._all(request.method, body)
        match = re.fullmatch(r"/indexes\('([^']*)'\)(/.*)?", path)
        if match is None:
            return 404, None
        return self._of_index(request.method, match[1], match[2] or "", body)

    def _check_version(self, query: dict[str, str]) -> None:
        version = query.get("api-version")
        if version is None:
            raise invalid("The api-version query parameter is required.")
        if version not in API_VERSIONS:
            raise invalid(f"The api-version '{version}' is invalid.")
        for name in query:
            if name not in _QUERY_PARAMETERS:
                raise invalid(f"Unknown query parameter '{name}'.")

    def _check_key(self, headers: dict[str, str], *, is_search: bool) -> None:
        key, bearer = headers.get("api-key"), headers.get("authorization", "")
        if key is not None:
            if key == self.admin_key or (key == self.query_key and is_search):
                return
            raise Refused(403, "Access denied due to invalid API key or insufficient rights.")
        if bearer:
            if self.token is not None and bearer == f"Bearer {self.token}":
                return
            raise Refused(403, "The identity lacks the role assignment that this takes.")
        raise Refused(401, "Access denied: neither an API key nor a token was sent.")

    def _all(self, method: str, body: Any) -> tuple[int, Any]:
        if method == "GET":
            return 200, {"value": [index.definition for index in self.indexes.values()]}
        if method != "POST":
            return 405, None
        definition = completed(body, self._etag())
        if definition["name"] in self.indexes:
            raise Refused(
                409,
                f"Cannot create index '{definition['name']}' because it already exists.",
                code="ResourceNameAlreadyInUse",
            )
        self.indexes[definition["name"]] = Index(definition)
        return 201, definition

    def _of_index(self, method: str, name: str, rest: str, body: Any) -> tuple[int, Any]:
        if (method, rest) == ("PUT", ""):
            return self._define(name, body)
        index = self.indexes.get(name)
        if index is None:
            raise no_index(name, "localhost")
        routes: dict[tuple[str, str], Callable[[], tuple[int, Any]]] = {
            ("GET", ""): lambda: (200, index.definition),
            ("DELETE", ""): lambda: self._delete(name),
            ("GET", "/search.stats"): lambda: (200, _statistics(index)),
            ("POST", "/docs/search.index"): lambda: self._upload(index, body),
            ("POST", "/docs/search.post.search"): lambda: (200, index.search(body)),
            ("GET", "/docs/$count"): lambda: (200, len(index.documents)),
        }
        route = routes.get((method, rest))
        return (404, None) if route is None else route()

    def _delete(self, name: str) -> tuple[int, Any]:
        del self.indexes[name]
        return 204, None

    def _define(self, name: str, body: Any) -> tuple[int, Any]:
        definition = completed(body, self._etag())
        index = self.indexes.get(name)
        if index is None:
            self.indexes[name] = Index(definition)
            return 201, definition
        check_update(index.definition, definition)
        index.define(definition)
        return 200, definition

    def _upload(self, index: Index, body: Any) -> tuple[int, Any]:
        results = [self._item(index, action) for action in index.check_batch(body)]
        status = 200 if all(result["status"] for result in results) else 207
        return status, {"value": results}

    def _item(self, index: Index, action: JsonObject) -> JsonObject:
        key = action[index.key]
        faults = self.item_faults.get(key) or []
        status, message = (abs(faults[0]), f"Scripted {abs(faults[0])}.") if faults else (0, None)
        if faults and faults[0] > 0:
            faults.pop(0)
        if not status:
            status, message = index.apply(action)
            if message is None and action.get("@search.action") != "delete":
                self.arrived[key] += 1
        return {"key": key, "status": status < 300, "errorMessage": message, "statusCode": status}


def _statistics(index: Index) -> JsonObject:
    size = sum(len(json.dumps(document)) for document in index.documents.values())
    return {"documentCount": len(index.documents), "storageSize": size, "vectorIndexSize": 0}


def _send(exchange: Exchange, status: int, reply: Any, headers: dict[str, str]) -> None:
    if isinstance(reply, str):
        exchange.respond(status, {"content-type": "text/html", **headers}, reply.encode())
        return
    body = b"" if reply is None else json.dumps(reply).encode()
    kind = {"content-type": "application/json; odata.metadata=none; charset=utf-8"} if body else {}
    exchange.respond(status, {**kind, **headers}, body)


def _decoded(body: bytes) -> Any:
    try:
        return json.loads(body) if body else None
    except ValueError:
        return None


def main(arguments: list[str] | None = None) -> None:
    """Serve until standard input is closed or the program is interrupted."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--port", type=int, default=0)
    given = parser.parse_args(arguments)
    with SearchServer(port=given.port) as server:
        about = {"endpoint": server.endpoint, "admin": ADMIN_KEY, "query": QUERY_KEY}
        print(json.dumps(about), flush=True)
        try:
            sys.stdin.read()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
