"""Who counts as a listener."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from langchain_core.callbacks import (
    BaseCallbackHandler,
    CallbackManager,
    get_usage_metadata_callback,
)
from langchain_core.runnables import RunnableLambda

from ragqa.flow.hearing import Unheard, is_heard


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


def test_calls_of_a_run_that_nobody_hears_are_not_heard_but_by_their_own_callbacks() -> None:
    with get_usage_metadata_callback():  # began after the run did
        assert not is_heard(Unheard())
    assert is_heard(Unheard(), [Listener()])
    assert is_heard(Unheard(), verbose=True)


def in_a_new_process(program: str, **env: str) -> str:
    command = [sys.executable, "-c", f"import sys\n{program}"]
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    done = subprocess.run(
        command, env=kept | env, capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout.strip()


LOOKING = """
from ragqa.flow.hearing import is_heard
print(is_heard(None), "langchain_core" in sys.modules)
"""


def test_nobody_listens_to_what_is_not_loaded() -> None:
    assert in_a_new_process(LOOKING) == "False False"


@pytest.mark.parametrize("name", ["LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2"])
def test_a_tracer_that_the_environment_asks_for_listens(name: str) -> None:
    nowhere = {"LANGSMITH_ENDPOINT": "http://127.0.0.1:1", "LANGSMITH_API_KEY": "k"}
    assert in_a_new_process(LOOKING, **{name: "true"}, **nowhere) == "True True"
