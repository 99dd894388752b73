"""What is asked of a chat model beyond its port is found behind whatever wraps the model."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage

from ragqa.agent.run.replies import langchain_model, model_fault, usage_in
from ragqa.app.priced import PricedModel
from ragqa.doctor.models import format_of
from ragqa.doctor.recording import RecordingModel
from ragqa.errors import ProviderError, ToolsRefusedError, TransportError
from ragqa.settings import Price
from ragqa.stages.noted import Recorder

REPLY = AIMessage(
    "x", usage_metadata={"input_tokens": 1_000_000, "output_tokens": 7, "total_tokens": 1_000_007}
)


class Model:
    name = "m"
    langchain = "LangChain's own"
    format_mode = "json_schema"

    def translated(self, exc: Exception) -> Exception:
        return TransportError(str(exc))


@pytest.fixture(params=["bare", "priced", "recorded", "recorded and priced"])
def model(request):
    model = Model()
    if "priced" in request.param:
        model = PricedModel(model, Price(prompt=2.5, completion=0))
    return RecordingModel(model, Recorder()) if "recorded" in request.param else model


def test_it_is_found_behind_what_wraps_the_model(model):
    assert langchain_model(model) == "LangChain's own"
    assert format_of(model) == "json_schema"
    assert isinstance(model_fault(OSError("broken"), model), TransportError)


def test_a_reply_costs_what_the_price_table_says(model):
    usage = usage_in(REPLY, model)
    assert (usage.calls, usage.prompt_tokens, usage.completion_tokens) == (1, 1_000_000, 7)
    assert (usage.cost is not None) == ("PricedModel" in repr(model))
    assert usage.cost in (None, 2.5)


def test_a_model_that_offers_nothing_calls_no_tools():
    with pytest.raises(ToolsRefusedError):
        langchain_model(None)
    assert format_of(None) == "instructions alone"
    assert isinstance(model_fault(OSError("broken"), None), ProviderError)
