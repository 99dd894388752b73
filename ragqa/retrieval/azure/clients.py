"""The SDK's clients of one index: one for blocking calls, one for each event loop."""

from __future__ import annotations

import asyncio
import logging
import threading
import weakref
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import urlsplit

from ragqa.errors import MissingExtraError
from ragqa.flow.per_loop import PerLoop

CONNECT_TIMEOUT_S = 10.0

# The SDK logs a traceback where an error comes without JSON (from a gateway). An app that has set
# logging up still gets it, but it is not printed for lack of any handler.
_NOWHERE = logging.NullHandler()


class SearchClients(Protocol):
    """Where a retriever gets the clients of an index."""

    @property
    def index(self) -> str:
        """The index's name."""

    @property
    def host(self) -> str:
        """The service's host, for messages."""

    def limits(self, timeout_s: float) -> dict[str, Any]:
        """Return what a request gets that may take so long."""

    def blocking(self) -> Any:
        """Return the client for blocking calls."""

    async def of_this_loop(self) -> Any:
        """Return the client of the running event loop."""


@dataclass(frozen=True, slots=True)
class Access:
    """How a search service is reached.

    Attributes:
        endpoint: The service's address.
        index: The index's name.
        key: A query or admin key; None takes the identity of the machine or of who is signed in.
        token_credential: An azure-identity credential for blocking calls, where an app has one.
    """

    endpoint: str
    index: str
    key: str | None = field(default=None, repr=False)
    token_credential: Any = field(default=None, repr=False)

    @property
    def host(self) -> str:
        """Return the service's host."""
        return urlsplit(self.endpoint).netloc.rpartition("@")[2]

    @property
    def is_http(self) -> bool:
        """Tell whether the address is unencrypted, as on loopback."""
        return urlsplit(self.endpoint).scheme == "http"

    def credential(self, *, asynchronous: bool = False) -> Any:
        """Return what authenticates a client.

        Raises:
            MissingExtraError: If the extra ``azure`` is not installed.
        """
        try:
            if self.key:
                from azure.core.credentials import AzureKeyCredential

                return AzureKeyCredential(self.key)
            credential = self.token_credential
            if credential is None:
                from azure.identity import DefaultAzureCredential

                credential = DefaultAzureCredential()
        except ImportError as exc:
            raise MissingExtraError("azure", "azure-identity") from exc
        return InThreads(credential) if asynchronous else credential

    def options(self) -> dict[str, Any]:
        """Return what every client of the SDK gets.

        Our retries, not the SDK's, bound the time; a redirect would carry the key elsewhere; a
        proxy for the outside world cannot reach this machine's own servers.
        """
        return {
            "retry_total": 0,
            "logging_enable": False,
            "permit_redirects": False,
            "use_env_settings": not self.is_http,
        }

    def limits(self, timeout_s: float) -> dict[str, Any]:
        """Return what every request gets. Unencrypted addresses have been checked by the settings.

        Args:
            timeout_s: Seconds that the request may take.
        """
        limits = {
            "connection_timeout": min(CONNECT_TIMEOUT_S, timeout_s),
            "read_timeout": timeout_s,
        }
        # Only the policy that sends tokens knows this option.
        return limits | ({"enforce_https": False} if self.is_http and not self.key else {})


class InThreads:
    """A blocking credential for async clients of any event loop.

    Args:
        credential: Gets tokens.
    """

    def __init__(self, credential: Any) -> None:
        self._credential = credential

    async def get_token(self, *scopes: str, **options: Any) -> Any:
        """Return a token."""
        return await asyncio.to_thread(self._credential.get_token, *scopes, **options)

    async def close(self) -> None:
        """Leave the credential open: it is the app's."""

    async def __aenter__(self) -> InThreads:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class Clients:
    """Make and keep the SDK's search clients; safe to use from several threads.

    Args:
        access: How the service is reached.
    """

    def __init__(self, access: Access) -> None:
        self.access = access
        self.index = access.index
        self.host = access.host
        self._lock = threading.Lock()
        self._blocking: Any = None
        self.limits = access.limits
        self._loops: PerLoop[Any] = PerLoop(self._make_async)

    def blocking(self) -> Any:
        """Return the client for blocking calls; it is made at the first one."""
        with self._lock:
            if self._blocking is None:
                kind = imported("azure.search.documents").SearchClient
                self._blocking = self._made(kind, self.access.credential())
                weakref.finalize(self, self._blocking.close)
            return self._blocking

    async def of_this_loop(self) -> Any:
        """Return the client of the running event loop."""
        return await self._loops.get()

    def _make_async(self) -> Any:
        kind = imported("azure.search.documents.aio").SearchClient
        return self._made(kind, self.access.credential(asynchronous=True))

    def _made(self, kind: Any, credential: Any) -> Any:
        return kind(self.access.endpoint, self.access.index, credential, **self.access.options())


def imported(name: str) -> Any:
    """Return a module of the extra.

    Raises:
        MissingExtraError: If it is not installed.
    """
    import importlib

    logging.getLogger("azure").addHandler(_NOWHERE)
    try:
        return importlib.import_module(name)
    except ImportError as exc:
        raise MissingExtraError("azure", "azure-search-documents") from exc
