"""Send documents in batches, and look at what became of each.

An upload can succeed in part (HTTP 207): items that the service was too busy for are sent again,
items that it does not take are reported.
Source: https://learn.microsoft.com/rest/api/searchservice/documents (index, response codes)
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragqa.masking import mask
from ragqa.retrieval.azure.clients import SearchClients
from ragqa.retrieval.azure.faults import translate
from ragqa.retrieval.azure.patience import patiently
from ragqa.waiting import wait_s

MAX_DOCUMENTS = 1000
MAX_BYTES = 8_000_000
"""The service takes 1,000 documents or 16 MB a request.
Source: https://learn.microsoft.com/azure/search/search-limits-quotas-capacity"""

PASSING = frozenset({409, 422, 429, 500, 502, 503, 504, 207})
"""Statuses of items that may pass: a conflict, an index or a service that is busy."""

MAX_ITEM_TRIES = 9
REQUEST_TIMEOUT_S = 120.0
_LONGEST_REASON = 200

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A document that did not get into the index.

    Attributes:
        key: Its key.
        reason: What the service said.
    """

    key: str
    reason: str


class Uploads:
    """Change the documents of an index.

    Args:
        clients: Make the SDK's clients.
        key_field: The field of the key.
        sleep: Waits.
    """

    def __init__(
        self,
        clients: SearchClients,
        key_field: str,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._clients = clients
        self._key = key_field
        self._sleep = sleep

    def put(self, documents: Sequence[Document]) -> list[Refusal]:
        """Put whole documents in place; return those that did not get there."""
        return self._all(documents, "upload_documents")

    def merge(self, documents: Sequence[Document]) -> list[Refusal]:
        """Change some fields of documents; return those that were not changed."""
        return self._all(documents, "merge_documents")

    def delete(self, keys: Sequence[str]) -> list[Refusal]:
        """Delete documents; return those that are still there."""
        return self._all([{self._key: key} for key in keys], "delete_documents")

    def _all(self, documents: Sequence[Document], operation: str) -> list[Refusal]:
        refused: list[Refusal] = []
        for batch in batches(documents):
            refused += self._settled(batch, operation)
        return refused

    def _settled(self, batch: Sequence[Document], operation: str) -> list[Refusal]:
        """Send a batch until each item has arrived or is refused for good."""
        waiting = {str(document[self._key]): document for document in batch}
        refused: list[Refusal] = []
        said: dict[str, str] = {}
        for failed in range(1, MAX_ITEM_TRIES + 1):
            for result in self._sent(list(waiting.values()), operation):
                if not result.succeeded and result.status_code in PASSING:
                    said[result.key] = _reason(result)
                elif waiting.pop(result.key, None) is not None and not result.succeeded:
                    refused.append(Refusal(result.key, _reason(result)))
            if not waiting:
                return refused
            if failed < MAX_ITEM_TRIES:
                self._sleep(wait_s(failed, None))
        return refused + [Refusal(key, said.get(key, "It was not answered.")) for key in waiting]

    def _sent(self, documents: list[Document], operation: str) -> Sequence[Any]:
        """Send one request, again where the service as a whole is busy.

        Raises:
            RagqaError: If it stays busy, or refuses the request.
        """
        limits = self._clients.limits(REQUEST_TIMEOUT_S)
        try:
            send = getattr(self._clients.blocking(), operation)
            results: Sequence[Any] = patiently(lambda: send(documents, **limits), self._sleep)
        except Exception as exc:
            raise self._translated(exc) from None
        return results

    def _translated(self, exc: Exception) -> Exception:
        return translate(exc, index=self._clients.index, host=self._clients.host)


def batches(documents: Sequence[Document]) -> Iterator[list[Document]]:
    """Cut documents into batches that one request can carry."""
    batch: list[Document] = []
    size_bytes = 0
    for document in documents:
        own_bytes = len(json.dumps(document)) + 40
        if batch and (len(batch) >= MAX_DOCUMENTS or size_bytes + own_bytes > MAX_BYTES):
            yield batch
            batch, size_bytes = [], 0
        batch.append(document)
        size_bytes += own_bytes
    if batch:
        yield batch


def _reason(result: Any) -> str:
    text = " ".join(str(result.error_message or f"HTTP {result.status_code}").split())
    return mask(text)[:_LONGEST_REASON]
