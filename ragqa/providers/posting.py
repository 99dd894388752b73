"""Requests that differ from an earlier one in body and time-out alone.

The SDK makes the first of them. Where a key is sent, the later ones have the same address and the
same headers, and are sent without it: what it does around each takes a third of the time that a
request needs. Tokens change, so requests with a token are all the SDK's.
"""

from __future__ import annotations

import json
from typing import Any

import httpx2
import openai

from ragqa.providers.exchange import Send

CONNECT_TIMEOUT_S = 10.0

_OF_ONE = ("content-length", "cookie")
"""Headers that belong to one request; the client adds its own."""

# The SDK counts no retries here, and the time-out concerns nobody else.
_HEADERS = dict.fromkeys(("x-stainless-retry-count", "x-stainless-read-timeout"), openai.omit)


def timeout(seconds: float) -> openai.Timeout:
    """Return the SDK's time-out for a request that may take so long in all."""
    return openai.Timeout(seconds, connect=min(seconds, CONNECT_TIMEOUT_S))


def sent(step: Send) -> dict[str, Any]:
    """Return what the SDK is told of a request."""
    options = {"timeout": timeout(step.timeout_s), "headers": _HEADERS}
    return {"body": step.form.body, "options": options}


class Posting:
    """Send what has a whole reply to one path of an endpoint.

    Args:
        path: The path.
        has_key: Whether a key is sent, and no token.
    """

    def __init__(self, path: str, *, has_key: bool) -> None:
        self._path = path
        self._has_key = has_key
        self._head: tuple[httpx2.URL, list[tuple[str, str]]] | None = None

    def post(self, client: openai.OpenAI, http: httpx2.Client, step: Send) -> object:
        """Return the reply: what its JSON holds, or its text where it is none.

        Raises:
            openai.OpenAIError: If the SDK fails.
            openai.APIStatusError: If the service refuses.
            httpx2.HTTPError: If the transport fails.
        """
        request = self._again(http, step)
        if request is not None:
            return _read(http.send(request))
        return self._first(client.post(self._path, cast_to=httpx2.Response, **sent(step)))

    async def apost(
        self, client: openai.AsyncOpenAI, http: httpx2.AsyncClient, step: Send
    ) -> object:
        """Do the same without blocking the event loop."""
        request = self._again(http, step)
        if request is not None:
            return _read(await http.send(request))
        return self._first(await client.post(self._path, cast_to=httpx2.Response, **sent(step)))

    def _first(self, response: httpx2.Response) -> object:
        if self._has_key:
            request = response.request
            kept = [each for each in request.headers.multi_items() if each[0] not in _OF_ONE]
            self._head = request.url, kept
        return _read(response)

    def _again(self, http: httpx2.Client | httpx2.AsyncClient, step: Send) -> httpx2.Request | None:
        """Return a request like the first one; None where that has not been answered."""
        if self._head is None:
            return None
        url, headers = self._head
        body = json.dumps(
            step.form.body, ensure_ascii=False, separators=(",", ":"), allow_nan=False
        )
        return http.build_request(
            "POST", url, headers=headers, content=body.encode(), timeout=timeout(step.timeout_s)
        )


def _read(response: httpx2.Response) -> object:
    if not response.is_success:
        raise openai.APIStatusError(
            f"Error code: {response.status_code}", response=response, body=_body(response)
        )
    kind = response.headers.get("content-type", "").partition(";")[0]
    return response.json() if kind.endswith("json") else response.text


def _body(response: httpx2.Response) -> object:
    try:
        return response.json()
    except ValueError:
        return response.text
