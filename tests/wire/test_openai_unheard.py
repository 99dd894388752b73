"""A call that no callback hears is the same call as one that some callback does."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler, get_usage_metadata_callback
from langchain_core.globals import set_debug

from ragqa.ports import Message, ModelReply, ModelRequest
from ragqa.providers.chat import EndpointChatModel
from tests.wire.asked import VALID, plain, request
from tests.wire.conftest import MakeModel, StartServer
from tests.wire.openai_replies import Reply

Way = Callable[[EndpointChatModel, ModelRequest, Any], ModelReply]


def _acomplete(model: EndpointChatModel, asked: ModelRequest, config: Any) -> ModelReply:
    return asyncio.run(model.acomplete(asked, config))


ways = pytest.mark.parametrize("way", [EndpointChatModel.complete, _acomplete])


class _Ear(BaseCallbackHandler):
    def __init__(self) -> None:
        self.heard: list[str] = []

    def on_chat_model_start(self, *args: Any, **kwargs: Any) -> None:
        self.heard.append("start")

    def on_llm_end(self, *args: Any, **kwargs: Any) -> None:
        self.heard.append("end")

    def on_llm_error(self, *args: Any, **kwargs: Any) -> None:
        self.heard.append("error")


@ways
@pytest.mark.parametrize(
    "reply",
    [
        Reply(VALID),
        Reply(VALID, finish_reason="length"),
        Reply("", refusal="I cannot help with that."),
        Reply("", finish_reason="content_filter"),
        Reply(VALID, usage=False),
        Reply("", choices=[]),
        Reply(VALID, usage={"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 4}}),
    ],
    ids=["whole", "cut off", "refused", "filtered", "uncounted", "no choices", "cached"],
)
def test_heard_or_not_the_endpoint_gets_and_gives_the_same(
    way: Way, reply: Reply, openai_server: StartServer, model_at: MakeModel
) -> None:
    server, ear = openai_server(reply, reply), _Ear()
    model = model_at(server)
    unheard = way(model, request(), None)
    heard = way(model, request(), {"callbacks": [ear]})
    first, second = server.chats
    assert heard == unheard
    assert first == second
    assert ear.heard == ["start", "end"]


_TALK = ModelRequest(
    (*request().messages, Message("assistant", "Two years."), Message("user", "And the lamp?"))
)


@ways
@pytest.mark.parametrize("name", ["gpt-4.1", "gpt-5-mini", "gpt-6", "o1", "o4-mini", "Qwen/qwen3"])
@pytest.mark.parametrize(
    "asked",
    [request(), request(temperature=0.0), plain(max_tokens=9), _TALK],
    ids=["with a format", "cold", "short", "a talk"],
)
def test_no_model_is_asked_differently_because_nobody_hears(
    way: Way, name: str, asked: ModelRequest, openai_server: StartServer, model_at: MakeModel
) -> None:
    server = openai_server(VALID, VALID)
    model = model_at(server, model=name)
    way(model, asked, None)
    way(model, asked, {"callbacks": [_Ear()]})
    first, second = server.chats
    assert first == second


def test_a_call_that_nobody_hears_loads_nothing_of_langchain(
    openai_server: StartServer,
) -> None:
    program = (
        "import sys\n"
        "from ragqa.ports import Message, ModelRequest\n"
        "from ragqa.providers.abilities import MemoryAbilityStore\n"
        "from ragqa.providers.openai import chat_model\n"
        "model = chat_model(base_url=sys.argv[1], api_key=None, model='m', timeout_s=9,\n"
        "                   abilities=MemoryAbilityStore())\n"
        "print(model.complete(ModelRequest((Message('user', 'Say hello.'),))).text)\n"
        "loaded = {name.partition('.')[0] for name in sys.modules}\n"
        "print(loaded & {'langchain_core', 'langchain_openai', 'langsmith', 'tiktoken'})\n"
    )
    command = [sys.executable, "-c", program, openai_server("Hello.").base_url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["Hello.", "set()"]


@ways
def test_callbacks_of_langchains_model_hear_the_call(
    way: Way, openai_server: StartServer, model_at: MakeModel
) -> None:
    ear, model = _Ear(), model_at(openai_server(VALID, VALID))
    way(model, request(), None)
    model.langchain.callbacks = [ear]
    way(model, request(), None)
    assert ear.heard == ["start", "end"]


@ways
def test_a_handler_of_the_context_hears_the_call(
    way: Way, openai_server: StartServer, model_at: MakeModel
) -> None:
    with get_usage_metadata_callback() as counted:
        way(model_at(openai_server(VALID)), request(), None)
    assert [usage["output_tokens"] > 0 for usage in counted.usage_metadata.values()] == [True]


def test_langchains_debug_output_hears_the_call(
    openai_server: StartServer, model_at: MakeModel, capsys: pytest.CaptureFixture[str]
) -> None:
    set_debug(True)
    try:
        model_at(openai_server(VALID)).complete(request())
    finally:
        set_debug(False)
    assert "ChatOpenAI" in capsys.readouterr().out
