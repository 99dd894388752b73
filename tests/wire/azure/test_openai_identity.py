"""Tokens of Entra ID in the place of a key; no identity is needed to run this."""

from __future__ import annotations

import asyncio
import itertools
import logging
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from azure.core.credentials import AccessToken, AccessTokenInfo
from azure.core.exceptions import ClientAuthenticationError

from ragqa.errors import AuthError, ConfigError, MissingExtraError, ProviderError
from tests.wire.asked import VALID, request
from tests.wire.azure.azure_models import Way, chat, forms, vectors, ways
from tests.wire.azure.openai_server import (
    DEPLOYMENT_SCOPE,
    V1_SCOPE,
    AzureOpenAIServer,
)
from tests.wire.http_wire import Exchange, HttpServer
from tests.wire.openai_replies import Reply

SECRET = "eyJ0eXAiOiJKV1QifQ.eyJhdWQiOiJ4In0.c2lnbmF0dXJl"
SCOPES = {"deployment": DEPLOYMENT_SCOPE, "v1": V1_SCOPE}
IDENTITY = (
    "AZURE_CLIENT_ID", "AZURE_TENANT_ID", "AZURE_CLIENT_SECRET", "AZURE_FEDERATED_TOKEN_FILE",
    "IDENTITY_ENDPOINT", "IDENTITY_HEADER", "MSI_ENDPOINT", "MSI_SECRET",
)  # fmt: skip


@dataclass
class Issuer:
    """Issue tokens that the server takes, as long as they hold."""

    server: AzureOpenAIServer
    lifetime_s: int = 3600
    name: str = "token"
    scopes: list[str] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def issue(self, scope: str) -> tuple[str, int]:
        token = f"{self.name}-{next(self.numbers)}"
        self.scopes.append(scope)
        self.server.tokens = {token: scope}  # the one before does not hold any more
        return token, int(time.time()) + self.lifetime_s


@dataclass
class Credential:
    issuer: Issuer
    closed: bool = False

    def get_token(self, *scopes: str, **_: Any) -> AccessToken:
        return AccessToken(*self.issuer.issue(*scopes))

    def close(self) -> None:
        self.closed = True


@dataclass
class AsyncCredential:
    issuer: Issuer
    closed: bool = False

    async def get_token(self, *scopes: str, **_: Any) -> AccessToken:
        return AccessToken(*self.issuer.issue(*scopes))

    async def get_token_info(self, *scopes: str, **_: Any) -> AccessTokenInfo:
        return AccessTokenInfo(*self.issuer.issue(*scopes))

    async def close(self) -> None:
        self.closed = True

    async def __aenter__(self) -> AsyncCredential:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def _called_with(server: AzureOpenAIServer) -> set[frozenset[str]]:
    return set(server.secrets_seen)


@forms
@ways
def test_a_token_for_the_right_scope_is_sent(form: str, way: Way) -> None:
    with AzureOpenAIServer(always=VALID, key="unused") as server:
        issuer = Issuer(server)
        model = chat(server, form, api_key=None, credential=Credential(issuer))
        assert way(model, request()).text == VALID
        assert way(model, request()).text == VALID
    assert set(issuer.scopes) == {SCOPES[form]}
    assert len(issuer.scopes) <= 2  # one for each event loop, one for all blocking calls
    assert _called_with(server) == {frozenset({"authorization"})}


@forms
@ways
def test_no_token_is_shown(form: str, way: Way, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    reply = Reply(status=400, body={"error": {"code": "Bad", "message": f"Bearer {SECRET}?"}})
    with AzureOpenAIServer(always=reply) as server:
        issuer = Issuer(server, name=SECRET)
        model = chat(server, form, api_key=None, credential=Credential(issuer))
        with pytest.raises(ProviderError) as caught:
            way(model, request())
    assert server.keys_seen == {f"{SECRET}-1"}
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    assert SECRET not in caplog.text
    assert SECRET not in repr(vars(model))


@forms
def test_embeddings_take_tokens_too(form: str) -> None:
    with AzureOpenAIServer(key="unused") as server:
        issuer = Issuer(server)
        made = vectors(server, form, api_key=None, credential=Credential(issuer))
        assert len(made.embed_query("kettle")) == 64
    assert issuer.scopes == [SCOPES[form]]


@forms
def test_a_token_is_kept_while_it_holds_and_fetched_anew_after(form: str) -> None:
    with AzureOpenAIServer(always=VALID) as server:
        lasting = Issuer(server)
        model = chat(server, form, api_key=None, credential=Credential(lasting))
        for _ in range(3):
            model.complete(request())
        assert len(lasting.scopes) == 1
        expiring = Issuer(server, lifetime_s=1)  # within the margin: due for a new one each time
        model = chat(server, form, api_key=None, credential=Credential(expiring))
        for _ in range(3):
            model.complete(request())
        assert len(expiring.scopes) == 3
    assert {item.status for item in server.requests} == {200}


@forms
def test_an_async_credential_serves_an_event_loop(form: str) -> None:
    with AzureOpenAIServer(always=VALID) as server:
        issuer = Issuer(server, lifetime_s=1)
        credential = AsyncCredential(issuer)
        model = chat(server, form, api_key=None, credential=credential)

        async def twice() -> None:
            for _ in range(2):
                assert (await model.acomplete(request())).text == VALID

        asyncio.run(twice())
    assert issuer.scopes == [SCOPES[form]] * 2
    assert not credential.closed  # whoever made it closes it
    with pytest.raises(ConfigError, match="event loops alone"):
        model.complete(request())


def test_a_key_is_used_and_no_credential_where_both_are_there() -> None:
    with AzureOpenAIServer(always=VALID, key="k") as server:
        issuer = Issuer(server)
        chat(server, api_key="k", credential=Credential(issuer)).complete(request())
    assert issuer.scopes == []
    assert _called_with(server) == {frozenset({"api-key"})}


@forms
@ways
def test_a_refused_token_names_the_role_and_the_setting(form: str, way: Way) -> None:
    with AzureOpenAIServer(always=VALID) as server:
        issuer = Issuer(server)
        model = chat(server, form, api_key=None, credential=Credential(issuer))
        issuer.issue = lambda scope: ("stale", int(time.time()) + 3600)  # type: ignore[method-assign]
        server.tokens = {"other": SCOPES[form]}
        with pytest.raises(AuthError, match="AZURE_OPENAI_API_KEY") as caught:
            way(model, request())
    assert "Cognitive Services OpenAI User" in str(caught.value)
    assert "stale" not in str(caught.value)


@forms
@ways
def test_an_identity_without_a_token_is_an_error_that_names_the_setting(
    form: str, way: Way
) -> None:
    class Nobody:
        def get_token(self, *scopes: str, **_: Any) -> AccessToken:
            raise ClientAuthenticationError("no identity here")

    with AzureOpenAIServer(always=VALID) as server:
        model = chat(server, form, api_key=None, credential=Nobody())
        with pytest.raises(AuthError, match="AZURE_OPENAI_API_KEY") as caught:
            way(model, request())
    assert caught.value.exit_code == 3
    assert server.requests == []


def test_without_azure_identity_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "azure.identity", None)
    with AzureOpenAIServer(always=VALID, key="k") as server:
        with pytest.raises(MissingExtraError, match=r"ragqa\[azure\]") as caught:
            chat(server, api_key=None)
        assert "azure-identity" in str(caught.value)
        assert chat(server, api_key="k").complete(request()).text == VALID  # a key needs none


class ManagedIdentity:
    """A local App Service identity endpoint, as DefaultAzureCredential asks it.

    Source: https://learn.microsoft.com/azure/app-service/overview-managed-identity#rest-endpoint
    """

    def __init__(self, server: AzureOpenAIServer) -> None:
        self.issuer = Issuer(server)
        self.http = HttpServer(self._answer)

    async def _answer(self, exchange: Exchange) -> None:
        from urllib.parse import parse_qs, urlsplit

        query = parse_qs(urlsplit(exchange.request.path).query)
        assert exchange.request.headers["x-identity-header"] == "local"
        token, expires_on = self.issuer.issue(f"{query['resource'][0]}/.default")
        body = f'{{"access_token": "{token}", "expires_on": "{expires_on}", '
        body += f'"resource": "{query["resource"][0]}", "token_type": "Bearer"}}'
        exchange.respond(200, {"content-type": "application/json"}, body.encode())


@forms
@ways
def test_the_default_credential_finds_the_identity_of_the_machine(
    form: str, way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in IDENTITY:
        monkeypatch.delenv(name, raising=False)
    with AzureOpenAIServer(always=VALID) as server:
        identity = ManagedIdentity(server)
        with identity.http:
            monkeypatch.setenv("IDENTITY_ENDPOINT", f"{identity.http.url}/msi/token")
            monkeypatch.setenv("IDENTITY_HEADER", "local")
            assert way(chat(server, form, api_key=None), request()).text == VALID
            deadline = time.monotonic() + 5
            while way.__name__.startswith("_a") and identity.http.open_sockets:
                assert time.monotonic() < deadline  # closed with the event loop
                time.sleep(0.01)
    assert identity.issuer.scopes == [SCOPES[form]]
    assert _called_with(server) == {frozenset({"authorization"})}


@forms
def test_each_event_loop_has_tokens_of_its_own(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in IDENTITY:
        monkeypatch.delenv(name, raising=False)
    with AzureOpenAIServer(always=VALID) as server:
        identity = ManagedIdentity(server)
        with identity.http:
            monkeypatch.setenv("IDENTITY_ENDPOINT", f"{identity.http.url}/msi/token")
            monkeypatch.setenv("IDENTITY_HEADER", "local")
            model = chat(server, form, api_key=None)
            for _ in range(3):
                assert asyncio.run(model.acomplete(request())).text == VALID
            deadline = time.monotonic() + 5
            while identity.http.open_sockets or server.open_sockets:
                assert time.monotonic() < deadline
                time.sleep(0.01)
    assert len(identity.issuer.scopes) == 3
