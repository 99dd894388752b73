"""Who counts as a listener."""

from __future__ import annotations

import pytest
from langchain_core.callbacks import (
    BaseCallbackHandler,
    CallbackManager,
    get_usage_metadata_callback,
)
from langchain_core.runnables import RunnableLambda

from ragqa.flow.hearing import is_heard


class Listener(BaseCallbackHandler):
    pass


@pytest.mark.parametrize("config", [None, {}, {"tags": ["a"]}, {"callbacks": []}])
def test_without_callbacks_nobody_listens(config) -> None:
    assert not is_heard(config)


def test_callbacks_of_a_call_listen() -> None:
    assert is_heard({"callbacks": [Listener()]})
    assert is_heard({"callbacks": CallbackManager([Listener()])})


def test_callbacks_of_the_object_listen() -> None:
    assert is_heard(None, [Listener()])


def test_who_watches_an_outer_chain_listens() -> None:
    inner = RunnableLambda(lambda _: is_heard(None))
    assert inner.invoke("x", {"callbacks": [Listener()]})
    assert not inner.invoke("x")


def test_who_counts_usage_of_a_context_listens() -> None:
    with get_usage_metadata_callback():
        assert is_heard(None)
