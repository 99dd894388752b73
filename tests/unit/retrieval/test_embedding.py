from __future__ import annotations

import asyncio
from typing import Any

import numpy as np
import pytest

from ragqa.errors import AuthError, RetrievalError
from ragqa.retrieval.embedding import EmbeddingModel, model_name
from tests.unit.retrieval.shelf import WordEmbeddings


class Returning:
    """Returns whatever it was given, or raises it."""

    def __init__(self, outcome: Any) -> None:
        self._outcome = outcome

    def _out(self) -> Any:
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return self._outcome

    def embed_documents(self, texts: list[str]) -> Any:
        return self._out()

    def embed_query(self, text: str) -> Any:
        return self._out()

    async def aembed_query(self, text: str) -> Any:
        return self._out()


def named(**attributes: Any) -> Any:
    return type("SomeEmbeddings", (Returning,), attributes)([])


@pytest.mark.parametrize(
    ("attributes", "name"),
    [
        ({"model": "text-embedding-3-small"}, "text-embedding-3-small"),
        ({"model": "text-embedding-3-small", "dimensions": 256}, "text-embedding-3-small/256"),
        ({"model": "ada", "deployment": "mine"}, "mine"),
        ({"model_name": "all-MiniLM", "model": None}, "all-MiniLM"),
        ({}, "SomeEmbeddings"),
    ],
)
def test_a_model_is_told_by_its_name(attributes: dict[str, Any], name: str) -> None:
    assert model_name(named(**attributes)) == name
    assert EmbeddingModel(named(**attributes)).name == name
    assert EmbeddingModel(named(**attributes), "given").name == "given"


def test_vectors_have_length_one() -> None:
    model = EmbeddingModel(Returning([[3.0, 4.0], [0.0, 0.0]]))
    assert model.documents(["a", "b"]).tolist() == [
        [pytest.approx(0.6), pytest.approx(0.8)],
        [0, 0],
    ]
    assert model.documents(["a", "b"]).dtype == np.float32


def test_questions_are_embedded_either_way() -> None:
    model = EmbeddingModel(WordEmbeddings())
    assert np.array_equal(model.query("kettle"), asyncio.run(model.aquery("kettle")))
    assert model.query("kettle").shape == (1, 64)


@pytest.mark.parametrize(
    "outcome",
    [
        [],
        [[]],
        [[1.0, 2.0], [1.0]],
        [[1.0], [2.0], [3.0]],
        [[float("nan"), 1.0], [1.0, 1.0]],
        [[float("inf"), 1.0], [1.0, 1.0]],
        [[1e39, 1.0], [1.0, 1.0]],
        [["a", "b"], ["c", "d"]],
        None,
        [None, None],
        "vectors",
        [[[1.0]], [[1.0]]],
    ],
)
def test_what_is_no_matrix_is_refused(outcome: Any) -> None:
    with pytest.raises(RetrievalError, match="SomeModel") as caught:
        EmbeddingModel(Returning(outcome), "SomeModel").documents(["a", "b"])
    assert caught.value.hint


@pytest.mark.parametrize("call", ["documents", "query", "aquery"])
def test_a_failure_of_the_service_says_no_secret(call: str) -> None:
    model = EmbeddingModel(Returning(ConnectionError("key sk-123 at host")), "SomeModel")

    def fail() -> None:
        if call == "documents":
            model.documents(["a"])
        elif call == "query":
            model.query("a")
        else:
            asyncio.run(model.aquery("a"))

    with pytest.raises(RetrievalError) as caught:
        fail()
    assert "SomeModel" in caught.value.message
    assert "ConnectionError" in caught.value.message
    assert "sk-123" not in str(caught.value)
    assert "RAGQA_SEARCH_TYPE=keyword" in caught.value.hint


def test_errors_of_our_own_pass() -> None:
    error = AuthError("The key was refused.")
    with pytest.raises(AuthError) as caught:
        EmbeddingModel(Returning(error)).query("a")
    assert caught.value is error
