"""A real model behind a real server, called in every way."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from ragqa.contract import QAResponse
from ragqa.ports import Message, ModelRequest
from tests.llm.small_model import small_model
from tests.wire.asked import plain, streamed


@pytest.mark.timeout(600)
def test_every_way_of_calling_it(llm_base_url: str) -> None:
    model = small_model(llm_base_url)
    whole = model.complete(plain(max_tokens=12, temperature=0.0))
    assert whole.text
    assert whole.usage.completion_tokens > 0
    pieces, reply = streamed(model.stream(plain(max_tokens=12, temperature=0.0)))
    assert "".join(pieces) == reply.text
    assert reply.finish_reason in ("stop", "length")

    async def events() -> list[Any]:
        return [event async for event in model.astream(plain(max_tokens=12, temperature=0.0))]

    assert streamed(asyncio.run(events()))[1].text
    assert asyncio.run(model.acomplete(plain(max_tokens=12))).text


@pytest.mark.timeout(600)
def test_a_schema_is_enforced_where_the_server_can(llm_base_url: str) -> None:
    asked = ModelRequest(
        (Message("system", "Reply in JSON."), Message("user", "What is the capital of France?")),
        schema=QAResponse,
        max_tokens=300,
        temperature=0.0,
    )
    reply = small_model(llm_base_url).complete(asked)
    assert reply.finish_reason in ("stop", "length")
    if reply.finish_reason == "stop":
        assert json.loads(reply.text).keys() == QAResponse.model_fields.keys()
