"""Embeddings of OpenAI and of every server that speaks its protocol.

LangChain's OpenAIEmbeddings is not used: it takes the vectors in the order of the reply rather than
by their index, and counts tokens with a tokenizer that it downloads unless told not to.
"""

from __future__ import annotations

import base64
import sys
from array import array
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from langchain_core.embeddings import Embeddings

from ragqa.errors import ProviderError
from ragqa.providers.abilities import AbilityStore
from ragqa.providers.carry import acarry, carry
from ragqa.providers.endpoint import Secret, openai_endpoint
from ragqa.providers.exchange import Exchanges, Send
from ragqa.providers.normal import MalformedReplyError, json_reply

if TYPE_CHECKING:
    from ragqa.providers.clients import Clients

_PATH = "/embeddings"
BATCH_TEXTS = 64
BATCH_CHARS = 100_000
"""Services limit a request by tokens: OpenAI 300,000 (API reference, embeddings)."""

Vector = list[float]


def embeddings(
    *,
    base_url: str | None,
    api_key: Secret | str | None,
    model: str,
    timeout_s: float,
    abilities: AbilityStore,
    max_retries: int = 2,
) -> EndpointEmbeddings:
    """Return the embeddings of an OpenAI-compatible endpoint.

    Args:
        base_url: The address up to ``/v1``; OpenAI itself if not given.
        api_key: The key; servers other than OpenAI's may need none.
        model: The embedding model, as the service calls it.
        timeout_s: Seconds for one request.
        abilities: Where it is remembered what the endpoint does not accept.
        max_retries: How often a request that the transport failed is sent again.

    Raises:
        ConfigError: If the model's name is missing, or OpenAI's own service has no key.
    """
    at = openai_endpoint(base_url, api_key, model, model_setting="RAGQA_EMBEDDING_MODEL")
    exchanges = Exchanges(at, abilities, timeout_s=timeout_s, max_retries=max_retries)
    return EndpointEmbeddings(exchanges)


class EndpointEmbeddings(Embeddings):
    """Vectors for texts, for threads and event loops alike.

    Attributes:
        dimension: The length of the vectors; None until the first came.
    """

    def __init__(self, exchanges: Exchanges) -> None:
        self._exchanges = exchanges
        self.dimension: int | None = None

    @property
    def name(self) -> str:
        """Name the model and its endpoint, so that an index notices when they change."""
        at = self._exchanges.at
        return f"{'openai' if at.is_official else at.host}:{at.model}"

    @property
    def model(self) -> str:
        """Name the model alone: an index knows by it whether its vectors are still comparable."""
        return self._exchanges.at.model

    def embed_documents(self, texts: list[str]) -> list[Vector]:
        """Return a vector for each text, in the same order."""
        vectors: list[Vector] = []
        for batch in _batches(texts):
            reply = carry(self._exchanges.steps(self._payload(batch)), self._send)
            vectors += self._vectors(reply, len(batch))
        return vectors

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question."""
        return self.embed_documents([text])[0]

    async def aembed_documents(self, texts: list[str]) -> list[Vector]:
        """Do the same without blocking the event loop."""
        vectors: list[Vector] = []
        for batch in _batches(texts):
            reply = await acarry(self._exchanges.steps(self._payload(batch)), self._asend)
            vectors += self._vectors(reply, len(batch))
        return vectors

    async def aembed_query(self, text: str) -> Vector:
        """Return the vector of a question without blocking the event loop."""
        return (await self.aembed_documents([text]))[0]

    @cached_property
    def _clients(self) -> Clients:
        from ragqa.providers.clients import Clients  # loads the SDK

        return Clients(self._exchanges.at, _PATH)

    def _payload(self, batch: Sequence[str]) -> dict[str, Any]:
        return {
            "model": self._exchanges.at.model,
            "input": [text or " " for text in batch],  # an empty text is refused
            "encoding_format": "base64",  # a quarter of the bytes of decimal numbers
        }

    def _send(self, step: Send) -> list[Vector]:
        return _decoded(self._clients.post(step))

    async def _asend(self, step: Send) -> list[Vector]:
        return _decoded(await self._clients.apost(step))

    def _vectors(self, vectors: list[Vector], expected: int) -> list[Vector]:
        """Check the number and the length of the vectors, and notice their dimension."""
        at = self._exchanges.at
        hint = f"Check that {at.model_setting} is a model for embeddings."
        if len(vectors) != expected:
            sent = f"{at.host} sent {len(vectors)} vectors for {expected} texts."
            raise ProviderError(sent, hint=hint)
        length, *others = sorted({len(vector) for vector in vectors})
        if others or not length:
            sent = f"{at.host} sent a vector of {length} numbers"
            rest = f" beside one of {others[-1]}." if others else "."
            raise ProviderError(f"{sent}{rest}", hint=hint)
        if self.dimension not in (None, length):
            raise ProviderError(
                f"{at.model!r} at {at.host} gives vectors of {length} numbers now, "
                f"and {self.dimension} before.",
                hint=f"Check {at.model_setting}, and index anew.",
            )
        self.dimension = length
        return vectors


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    chars = 0
    for text in texts:
        if batch and (len(batch) >= BATCH_TEXTS or chars + len(text) > BATCH_CHARS):
            yield batch
            batch, chars = [], 0
        batch.append(text)
        chars += len(text)
    if batch:
        yield batch


def _decoded(reply: Any) -> list[Vector]:
    """Return the vectors of a reply in the order of the texts."""
    items = json_reply(reply).get("data")
    if not isinstance(items, list):
        raise MalformedReplyError
    ordered = sorted(enumerate(items), key=lambda pair: pair[1].get("index", pair[0]))
    return [_vector(item["embedding"]) for _, item in ordered]


def _vector(encoded: Any) -> Vector:
    if not isinstance(encoded, str):
        return [float(number) for number in encoded]
    numbers = array("f", base64.b64decode(encoded, validate=True))
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tolist()
