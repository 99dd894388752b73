"""The SDK's clients of one endpoint: one for blocking calls, one for each event loop."""

from __future__ import annotations

import asyncio
import ssl
import threading
import weakref
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from urllib.request import getproxies

import httpx2
import openai

from ragqa.flow.per_loop import PerLoop
from ragqa.providers.blocking_network import BlockingClient
from ragqa.providers.endpoint import NO_KEY, Endpoint
from ragqa.providers.events import Events
from ragqa.providers.exchange import Send
from ragqa.providers.lanes import Lanes
from ragqa.providers.network import one_connection
from ragqa.providers.posting import Posting

if TYPE_CHECKING:
    from ragqa.providers.entra import AsyncTokens, Tokens

Client = TypeVar("Client", openai.OpenAI, openai.AsyncOpenAI)

_IDENTITY_HEADERS = ("OpenAI-Organization", "OpenAI-Project")
_TELEMETRY_HEADERS = (
    *("X-Stainless-Lang", "X-Stainless-Package-Version", "X-Stainless-OS", "X-Stainless-Arch"),
    *("X-Stainless-Runtime", "X-Stainless-Runtime-Version", "X-Stainless-Async"),
)


class Clients:
    """Make and keep the clients of an endpoint; safe to use from several threads.

    Args:
        at: The endpoint.
        path: What is called of it.
    """

    def __init__(self, at: Endpoint, path: str) -> None:
        self._at = at
        self._posting = Posting(path, has_key=at.entra is None)
        self._lock = threading.Lock()
        self._made: _Blocking | None = None
        self._loops = PerLoop(self._made_async)

    def blocking(self) -> openai.OpenAI:
        """Return the client for blocking calls."""
        return self._blocking.client

    async def of_this_loop(self) -> openai.AsyncOpenAI:
        """Return the client of the running event loop."""
        return (await self._loops.get()).client

    def post(self, step: Send) -> object:
        """Send what has a whole reply, and return that; see ``Posting``."""
        return self._posting.post(*self._blocking, step)

    async def apost(self, step: Send) -> object:
        """Do the same without blocking the event loop, within the step's time."""
        made = await self._loops.get()
        async with asyncio.timeout(step.timeout_s):
            return await self._posting.apost(made.client, made.http, step)

    @property
    def _blocking(self) -> _Blocking:
        if self._made is None:
            with self._lock:
                if self._made is None:
                    self._made = self._made_blocking()
        return self._made

    def _made_blocking(self) -> _Blocking:
        tokens = self._at.entra.blocking() if self._at.entra else None
        http = BlockingClient(**self._http())
        weakref.finalize(self, http.close)
        if tokens:
            weakref.finalize(self, tokens.close)
        kind = openai.AzureOpenAI if self._at.api_version else openai.OpenAI
        return _Blocking(self._prepared(kind(http_client=http, **self._sdk(tokens))), http)

    def _made_async(self) -> _OfLoop:
        tokens = self._at.entra.of_a_loop() if self._at.entra else None
        http = openai.DefaultAsyncHttpxClient(**self._http(), transport=self._lanes())
        kind = openai.AsyncAzureOpenAI if self._at.api_version else openai.AsyncOpenAI
        client = kind(http_client=http, **self._sdk(tokens))
        return _OfLoop(self._prepared(client), http, tokens)

    def _lanes(self) -> Lanes | None:
        """Return lanes to the service; httpx's own pool goes where a proxy may stand between."""
        if not self._at.is_loopback and getproxies():
            return None
        verify = self._http()["verify"]
        return Lanes(lambda: one_connection(verify))

    def _http(self) -> dict[str, Any]:
        return {
            # A proxy for the outside world cannot reach this machine's own servers.
            "trust_env": not self._at.is_loopback,
            # A redirect would carry the prompt, and on the same host the key, elsewhere.
            "follow_redirects": False,
            "verify": _ssl_context(with_roots=self._at.base_url.startswith("https:")),
        }

    def _sdk(self, tokens: Tokens | AsyncTokens | None) -> dict[str, Any]:
        options: dict[str, Any] = {
            "base_url": self._at.base_url,
            "max_retries": 0,  # the exchange retries: it knows the deadline
            "default_headers": self._headers(),
            "admin_api_key": "",  # or the SDK looks for one in the environment
        }
        if self._at.api_version:
            options["api_version"] = self._at.api_version
        if tokens:
            options["azure_ad_token_provider" if self._at.api_version else "api_key"] = tokens
        else:
            options["api_key"] = self._at.key or NO_KEY
        return options

    def _headers(self) -> dict[str, Any]:
        """Leave out what only OpenAI needs to know: whose account, and which machine asks."""
        if self._at.is_official:
            return {}
        return dict.fromkeys((*_IDENTITY_HEADERS, *_TELEMETRY_HEADERS), openai.omit)

    def _prepared(self, client: Client) -> Client:
        """Take out of a client what the SDK found in OPENAI_CUSTOM_HEADERS: it is for OpenAI.

        No argument of the SDK turns this off.
        """
        if not self._at.is_official:
            client._custom_headers = self._headers()
        client._make_sse_decoder = Events  # type: ignore[method-assign]
        return client


class _Blocking(NamedTuple):
    """The client for blocking calls, with what it sends by."""

    client: openai.OpenAI
    http: httpx2.Client


class _OfLoop(NamedTuple):
    """The client of one event loop, with what it sends by and what fetches its tokens."""

    client: openai.AsyncOpenAI
    http: httpx2.AsyncClient
    tokens: AsyncTokens | None

    async def close(self) -> None:
        await self.client.close()
        if self.tokens:
            await self.tokens.close()


@cache
def _ssl_context(*, with_roots: bool) -> ssl.SSLContext:
    """Return one context for all clients; reading the root certificates takes 10 ms and more."""
    if with_roots:
        return httpx2.create_ssl_context()
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
