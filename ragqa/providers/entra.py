"""Tokens of Microsoft Entra ID, for endpoints that are called without a key.

azure-identity finds the identity (a managed one, or who is signed in) and keeps tokens until they
are about to expire. It is imported when the first token is due.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

from ragqa.errors import ConfigError, MissingExtraError


@dataclass(frozen=True, slots=True)
class Entra:
    """Where the tokens for a service come from.

    Attributes:
        scope: What the tokens are for.
        credential: A credential of azure-identity that the caller made and closes; without one,
            DefaultAzureCredential.
    """

    scope: str
    credential: Any = field(default=None, repr=False)

    def blocking(self) -> Tokens:
        """Return the tokens for blocking calls.

        Raises:
            MissingExtraError: If azure-identity is not installed.
            ConfigError: If the caller's credential works in event loops alone.
        """
        if _is_async(self.credential):
            raise ConfigError(
                "The credential works in event loops alone.",
                hint="Hand over one of azure.identity, not of azure.identity.aio.",
            )
        try:
            from azure.identity import DefaultAzureCredential, get_bearer_token_provider
        except ImportError as exc:
            raise _missing() from exc
        credential: Any = self.credential or DefaultAzureCredential()
        _quiet()
        own = None if self.credential else credential
        return Tokens(get_bearer_token_provider(credential, self.scope), own)

    def of_a_loop(self) -> AsyncTokens:
        """Return the tokens for calls in one event loop.

        Raises:
            MissingExtraError: If azure-identity is not installed.
        """
        if self.credential and not _is_async(self.credential):
            tokens = self.blocking()
            return AsyncTokens(lambda: asyncio.to_thread(tokens), None)
        try:
            from azure.identity.aio import DefaultAzureCredential, get_bearer_token_provider

            credential: Any = self.credential or DefaultAzureCredential()
        except ImportError as exc:  # the credential itself wants aiohttp
            raise _missing() from exc
        _quiet()
        own = None if self.credential else credential
        return AsyncTokens(get_bearer_token_provider(credential, self.scope), own)


class Tokens:
    """Valid tokens, one for each call of this.

    Args:
        provide: Returns a token, a kept one where it still holds.
        own: The credential to close; None if the caller closes it.
    """

    def __init__(self, provide: Callable[[], str], own: Any) -> None:
        self._provide = provide
        self._own = own

    def __call__(self) -> str:
        """Return a valid token."""
        return self._provide()

    def close(self) -> None:
        """Close what fetched the tokens."""
        if self._own:
            self._own.close()


class AsyncTokens:
    """The same for one event loop."""

    def __init__(self, provide: Callable[[], Awaitable[str]], own: Any) -> None:
        self._provide = provide
        self._own = own

    async def __call__(self) -> str:
        """Return a valid token."""
        return await self._provide()

    async def close(self) -> None:
        """Close what fetched the tokens."""
        if self._own:
            await self._own.close()


def require_azure_identity() -> None:
    """Find out without importing it whether azure-identity is there.

    Raises:
        MissingExtraError: If it is not.
    """
    try:
        found = find_spec("azure.identity")
    except ImportError:  # not even its parent
        found = None
    if found is None:
        raise _missing()


def _quiet() -> None:
    """Keep the warnings of azure-identity off a terminal: the error says what to do.

    Where an application has set logging up, they still reach it.
    """
    log = logging.getLogger("azure.identity")
    if not log.handlers:
        log.addHandler(logging.NullHandler())


def _missing() -> MissingExtraError:
    return MissingExtraError("azure", "azure-identity")


def _is_async(credential: Any) -> bool:
    methods = (getattr(credential, name, None) for name in ("get_token_info", "get_token"))
    return any(inspect.iscoroutinefunction(method) for method in methods)
