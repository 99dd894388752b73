"""A local server that speaks Azure OpenAI's protocol, strictly: deployment paths and the v1 form.

>>> with AzureOpenAIServer(["Hello."], key="k") as server:        # doctest: +SKIP
...     answer = call(server.endpoint)
...     server.chats[0]["messages"]

Replies are scripted as for ``tests.wire.openai_server``.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.wire.azure.openai_bodies import (
    Filters,
    azure_chunks,
    azure_completion,
    azure_response,
    newer_version,
    no_access,
    no_deployment,
    no_valid_token,
    not_found,
    refused,
    too_many,
    wrong_operation,
)
from tests.wire.http_wire import Exchange
from tests.wire.openai_refusals import JsonObject, RefusedError, invalid
from tests.wire.openai_replies import Reply
from tests.wire.openai_server import OpenAIServer, Recorded

CHAT, EMBEDDING = "gpt-4o-2024-11-20", "text-embedding-3-small"
API_VERSIONS = ("2023-05-15", "2024-02-01", "2024-06-01", "2024-10-21", "2025-04-01-preview")
DEPLOYMENT_SCOPE = "https://cognitiveservices.azure.com/.default"
V1_SCOPE = "https://ai.azure.com/.default"

_DEPLOYMENT = re.compile(r"/openai/deployments/([^/]+)/(chat/completions|embeddings)")
_V1 = re.compile(r"/openai/v1/(chat/completions|embeddings|responses)")
_OPERATIONS = {"chat/completions": "chatCompletion", "embeddings": "embeddings"}
_SECRETS = frozenset({"authorization", "api-key"})
_RESPONSE_KEYS = frozenset({"model", "input", "include", "reasoning", "stream", "temperature"})
_UNRECOGNIZED = "Unrecognized request argument supplied: {}"


@dataclass
class AzureOpenAIServer(OpenAIServer):
    """Serve scripted replies on 127.0.0.1 while the context is open.

    Attributes:
        deployments: Their names, and the model behind each.
        tokens: Tokens that hold, each with the scope that it was issued for.
        filters: How filter results are sent.
        retry_after_ms: What a refusal for the quota asks to wait.
        secrets_seen: In which headers a secret came, request by request.
        queries: The query of each request.
    """

    deployments: Mapping[str, str] = field(
        default_factory=lambda: {"gpt": CHAT, "embed": EMBEDDING}
    )
    tokens: dict[str, str] = field(default_factory=dict)
    filters: Filters = Filters()
    retry_after_ms: int = 50
    secrets_seen: list[frozenset[str]] = field(default_factory=list, init=False)
    queries: list[dict[str, str]] = field(default_factory=list, init=False)

    @property
    def endpoint(self) -> str:
        """Return the address for deployment endpoints."""
        return self.http.url

    @property
    def v1(self) -> str:
        """Return the address of the v1 form."""
        return f"{self.http.url}/openai/v1/"

    @property
    def bodies(self) -> list[JsonObject]:
        """Return the bodies of all requests."""
        return [item.body for item in self.requests]

    @property
    def chats(self) -> list[JsonObject]:
        """Return the bodies of all chat requests, refused ones too."""
        return [item.body for item in self.requests if "/chat/completions" in item.path]

    def _record(self, exchange: Exchange, body: Any, status: int) -> None:
        given = exchange.request.headers
        headers = {name: value for name, value in given.items() if name not in _SECRETS}
        path, at_s = exchange.request.path, time.monotonic()
        with self._lock:
            self.requests.append(Recorded(path, headers, body, at_s, status))
            self.secrets_seen.append(_SECRETS.intersection(given))

    def _answer(self, method: str, path: str, headers: dict[str, str], body: Any) -> Any:
        parts = urlsplit(path)
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        self.queries.append(query)
        if method == "POST" and (found := _DEPLOYMENT.fullmatch(parts.path)):
            return self._of_deployment(*found.groups(), query, headers, body)
        if method == "POST" and (found := _V1.fullmatch(parts.path)):
            return self._of_v1(found.group(1), query, headers, body)
        raise not_found()

    def _of_deployment(
        self, name: str, operation: str, query: dict[str, str], headers: dict[str, str], body: Any
    ) -> Any:
        if set(query) != {"api-version"} or query["api-version"] not in API_VERSIONS:
            raise not_found()
        self._check_access(headers, DEPLOYMENT_SCOPE, key_as_token=False)
        model = self._model(unquote(name), operation)
        if not isinstance(body, dict):
            raise invalid("We could not parse the JSON body of your request.")
        _check_version(body, query["api-version"])
        return self._reply(operation, {**body, "model": model})

    def _of_v1(
        self, operation: str, query: dict[str, str], headers: dict[str, str], body: Any
    ) -> Any:
        if query.get("api-version", "v1") not in ("v1", "preview", "latest") or len(query) > 1:
            raise refused(400, "BadRequest", "API version not supported")
        self._check_access(headers, V1_SCOPE, key_as_token=True)
        if not isinstance(body, dict) or not isinstance(body.get("model"), str):
            raise invalid("you must provide a model parameter")
        return self._reply(operation, {**body, "model": self._model(body["model"], operation)})

    def _check_access(self, headers: dict[str, str], scope: str, *, key_as_token: bool) -> None:
        """Take a key in its header, a token for the scope, and in the v1 form the key as token."""
        key = headers.get("api-key", "")
        scheme, _, token = headers.get("authorization", "").partition(" ")
        self.keys_seen |= {said for said in (key, token) if said}
        if self.key is None and not self.tokens:
            return
        if self.key is not None and self.key in (key, token if key_as_token else key):
            return
        if scheme.lower() == "bearer" and token:
            if self.tokens.get(token) == scope:
                return
            raise no_valid_token(scope.removesuffix("/.default"))
        raise no_access()

    def _model(self, deployment: str, operation: str) -> str:
        model = self.deployments.get(deployment)
        if model is None:
            raise no_deployment()
        if ("embedding" in model) != (operation == "embeddings"):
            raise wrong_operation(_OPERATIONS.get(operation, operation), model)
        return model

    def _reply(self, operation: str, body: JsonObject) -> Any:
        if operation == "embeddings":
            return self._embed(body)
        if operation == "responses":
            if unknown := body.keys() - _RESPONSE_KEYS:
                raise invalid(f"Unknown parameter: '{min(unknown)}'.", min(unknown))
            return azure_response(self._next(body), body, self.filters)
        return self._with_filters(self._chat(body), body)

    def _with_filters(self, reply: Reply, body: JsonObject) -> Reply:
        if reply.body is not None or reply.raw is not None or reply.status != 200 or reply.drip:
            return reply
        if not body.get("stream"):
            return replace(reply, body=azure_completion(reply, body, self.filters))
        if reply.chunks is not None:
            return reply
        return replace(reply, chunks=list(azure_chunks(reply, body, self.filters)))

    def _next(self, body: JsonObject) -> Reply:
        try:
            return super()._next(body)
        except RefusedError as error:
            if error.status != 429:
                raise
            raise too_many(self.retry_after_ms) from None


def _check_version(body: JsonObject, version: str) -> None:
    """Refuse what came with a later version of the deployment API.

    The words are those that the service was seen to use for response_format and tool_choice.
    """
    wanted = (body.get("response_format") or {}).get("type")
    if wanted == "json_schema" and version < "2024-08-01":
        raise newer_version("response_format value as json_schema", "2024-08-01-preview")
    if wanted == "json_object" and version < "2023-12-01":
        raise newer_version("response_format value as json_object", "2023-12-01-preview")
    for name, since in (("tools", "2023-12-01"), ("stream_options", "2024-09-01")):
        if name in body and version < since:
            raise invalid(_UNRECOGNIZED.format(name))
