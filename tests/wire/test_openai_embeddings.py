"""Embeddings over real HTTP."""

from __future__ import annotations

import asyncio
import math
import subprocess
import sys
from typing import Any

import pytest

from ragqa.errors import AuthError, ConfigError, ProviderError, TransportError
from ragqa.providers.abilities import MemoryAbilityStore
from ragqa.providers.embeddings import EndpointEmbeddings, embeddings
from tests.wire.conftest import StartServer
from tests.wire.openai_replies import Reply
from tests.wire.openai_server import OpenAIServer


def _embeddings(server: OpenAIServer, **options: Any) -> EndpointEmbeddings:
    defaults = {"api_key": None, "model": "e", "timeout_s": 10.0}
    abilities = MemoryAbilityStore()
    return embeddings(base_url=server.base_url, abilities=abilities, **{**defaults, **options})


def _cosine(a: list[float], b: list[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True)) / (math.hypot(*a) * math.hypot(*b))


def test_texts_become_vectors(openai_server: StartServer) -> None:
    server = openai_server()
    model = _embeddings(server)
    assert model.dimension is None
    kettle, pot, tax = model.embed_documents(["a steel kettle", "the steel kettle", "income tax"])
    assert model.dimension == len(kettle) == 64
    assert _cosine(kettle, pot) > _cosine(kettle, tax)
    assert model.embed_query("a steel kettle") == pytest.approx(kettle)


def test_async_is_the_same(openai_server: StartServer) -> None:
    model = _embeddings(openai_server())
    texts = ["one", "two", ""]
    assert asyncio.run(model.aembed_documents(texts)) == model.embed_documents(texts)
    assert asyncio.run(model.aembed_query("one")) == model.embed_query("one")


def test_nothing_is_sent_for_nothing(openai_server: StartServer) -> None:
    server = openai_server()
    assert _embeddings(server).embed_documents([]) == []
    assert not server.requests


def test_batches_keep_the_order(openai_server: StartServer) -> None:
    server = openai_server()
    texts = [f"text number {i}" for i in range(150)]
    vectors = _embeddings(server).embed_documents(texts)
    assert len(server.requests) == 3
    assert vectors[140] == _embeddings(server).embed_query(texts[140])


def test_long_texts_make_small_batches(openai_server: StartServer) -> None:
    server = openai_server()
    _embeddings(server).embed_documents(["word " * 12_000] * 4)
    assert len(server.requests) == 4


def test_vectors_are_taken_by_their_index(openai_server: StartServer) -> None:
    class Shuffled(OpenAIServer):
        def _embed(self, body: Any) -> Any:
            reply = super()._embed(body)
            return {**reply, "data": reply["data"][::-1]}

    with Shuffled() as server:
        model = _embeddings(server)
        vectors = model.embed_documents(["one", "two"])
        assert vectors == [model.embed_query("one"), model.embed_query("two")]


def test_decimal_numbers_where_base64_is_refused(openai_server: StartServer) -> None:
    server = openai_server(refuse={"encoding_format"})
    model = _embeddings(server)
    first = model.embed_query("one")
    assert first == pytest.approx(_embeddings(openai_server()).embed_query("one"), abs=1e-6)
    model.embed_query("two")
    assert ["encoding_format" in item.body for item in server.requests] == [True, False, False]


def test_a_change_of_dimension_is_noticed(openai_server: StartServer) -> None:
    server = openai_server()
    model = _embeddings(server)
    model.embed_query("one")
    server.dimension = 32
    with pytest.raises(ProviderError, match=r"32 numbers now.*64 before"):
        model.embed_query("two")


@pytest.mark.parametrize(
    "data", [None, [], [{"embedding": [1.0]}], [{"embedding": "***"}], [{}], [None], "x"]
)
def test_malformed_replies(openai_server: StartServer, data: Any) -> None:
    class Odd(OpenAIServer):
        def _embed(self, body: Any) -> Any:
            return {"data": data}

    with Odd() as server, pytest.raises(ProviderError):
        _embeddings(server, max_retries=0).embed_documents(["one", "two"])


@pytest.mark.parametrize(
    ("vectors", "said"),
    [
        ([[1.0]], "sent 1 vectors for 2 texts"),
        ([[1.0, 2.0], [1.0]], "a vector of 1 numbers beside one of 2"),
        ([[], []], "a vector of 0 numbers"),
    ],
)
def test_vectors_that_do_not_fit_are_described(vectors: list[list[float]], said: str) -> None:
    class Odd(OpenAIServer):
        def _embed(self, body: Any) -> Any:
            return {"data": [{"embedding": vector} for vector in vectors]}

    with Odd() as server, pytest.raises(ProviderError, match=said) as caught:
        _embeddings(server, max_retries=0).embed_documents(["one", "two"])
    assert "RAGQA_EMBEDDING_MODEL" in caught.value.hint


def test_errors_are_translated(openai_server: StartServer) -> None:
    server = openai_server(key="right")
    with pytest.raises(AuthError, match="OPENAI_API_KEY"):
        _embeddings(server, api_key="sk-wrong-0123456789").embed_query("one")
    with pytest.raises(ConfigError, match="RAGQA_EMBEDDING_MODEL"):
        _embeddings(server, api_key="right", model="")


def test_a_busy_service_is_asked_again(openai_server: StartServer) -> None:
    class Busy(OpenAIServer):
        turns = 0

        def _embed(self, body: Any) -> Any:
            self.turns += 1
            if self.turns == 1:
                return Reply(status=503, body={}, headers={"retry-after": "0"})
            return super()._embed(body)

    with Busy() as server:
        assert _embeddings(server).embed_query("one")
        assert server.turns == 2


def test_nobody_listens() -> None:
    server = OpenAIServer()
    with server:
        pass
    with pytest.raises(TransportError, match="OPENAI_BASE_URL"):
        _embeddings(server, max_retries=0).embed_query("one")


def test_no_tokenizer_is_loaded(openai_server: StartServer) -> None:
    server = openai_server()
    program = (
        "import sys\n"
        "from ragqa.providers.abilities import MemoryAbilityStore\n"
        "from ragqa.providers.embeddings import embeddings\n"
        "model = embeddings(base_url=sys.argv[1], api_key=None, model='e', timeout_s=9,\n"
        "                   abilities=MemoryAbilityStore())\n"
        "assert 'openai' not in sys.modules\n"
        "model.embed_query('one')\n"
        "print('tiktoken' in sys.modules, 'langchain_openai' in sys.modules)\n"
    )
    command = [sys.executable, "-c", program, server.base_url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["False", "False"]
