import json
import subprocess
import sys

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

import chains
from ragqa import flow
from ragqa.app.tracer import tracer_for
from ragqa.contract import Usage
from ragqa.errors import AuthError
from ragqa.ports import ModelReply, Parts
from ragqa.settings import Settings
from ragqa.stages.begin import begin
from ragqa.stages.whole import whole
from tests.unit.stages.test_record import GOOD, QUESTION, TEXT, Found, Says

MODEL = "azure(name.openai.azure.com:443):gpt:4"


class Model(Says):
    name = MODEL


def replied(**more):
    return lambda: ModelReply(
        json.dumps(GOOD | more),
        usage=Usage(calls=1, prompt_tokens=90, completion_tokens=12, cached_tokens=64),
        model="gpt-4-2026",
    )


@pytest.fixture
def traced():
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    yield provider.get_tracer("tests"), exporter
    provider.shutdown()


def ready(traced, *script):
    parts = Parts(retriever=Found(), model=Model(*script), tracer=traced[0])
    return whole(chains.stuff.pipeline(parts), parts), begin(parts, "stuff")


def spans(traced):
    return {span.name: span for span in traced[1].get_finished_spans()}


def test_an_ask_is_a_workflow_with_its_calls(traced):
    pipeline, first = ready(traced, replied())
    turn = flow.invoke(pipeline, first({"question": QUESTION, "session": "s1"}))
    found = spans(traced)
    assert set(found) == {"invoke_workflow stuff", "chat gpt:4", "retrieval"}
    whole_ask = found["invoke_workflow stuff"]
    assert dict(whole_ask.attributes) == {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.agent.name": "stuff",
        "gen_ai.conversation.id": "s1",
        "gen_ai.usage.input_tokens": 90,
        "gen_ai.usage.output_tokens": 12,
        "ragqa.run.id": turn.run_id,
        "ragqa.status": "answered",
        "ragqa.category": "policy",
        "ragqa.needs_human": False,
    }
    chat = found["chat gpt:4"]
    assert chat.kind is SpanKind.CLIENT
    assert dict(chat.attributes) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "azure.ai.openai",
        "gen_ai.request.model": "gpt:4",
        "gen_ai.request.max_tokens": chat.attributes["gen_ai.request.max_tokens"],
        "gen_ai.request.temperature": 0.2,
        "gen_ai.output.type": "json",
        "gen_ai.response.model": "gpt-4-2026",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 90,
        "gen_ai.usage.output_tokens": 12,
        "gen_ai.usage.cache_read.input_tokens": 64,
    }
    assert {chat.parent.span_id, found["retrieval"].parent.span_id} == {whole_ask.context.span_id}
    assert whole_ask.start_time <= chat.start_time <= chat.end_time <= whole_ask.end_time


def test_spans_hold_no_content(traced):
    pipeline, first = ready(traced, replied())
    flow.invoke(pipeline, first(QUESTION))
    with pytest.raises(AuthError):
        flow.invoke(ready(traced, AuthError("The key hunter2 is refused."))[0], first(QUESTION))
    written = "".join(span.to_json() for span in traced[1].get_finished_spans())
    for text in (QUESTION, TEXT, "hunter2", "returns.md"):
        assert text not in written


def test_a_failure_is_marked_by_its_code(traced):
    pipeline, first = ready(traced, AuthError("no"))
    with pytest.raises(AuthError):
        flow.invoke(pipeline, first(QUESTION))
    for name in ("invoke_workflow stuff", "chat gpt:4"):
        span = spans(traced)[name]
        assert span.status.status_code is StatusCode.ERROR
        assert span.attributes["error.type"] == "provider.auth"


async def test_streams_and_async_asks_are_traced_too(traced):
    pipeline, first = ready(traced, replied(), replied(), replied())
    list(flow.stream(pipeline, first(QUESTION)))
    await flow.ainvoke(pipeline, first(QUESTION))
    async for _ in flow.astream(pipeline, first(QUESTION)):
        pass
    names = [span.name for span in traced[1].get_finished_spans()]
    assert sorted(names) == sorted(["invoke_workflow stuff", "chat gpt:4", "retrieval"] * 3)


def test_an_ask_is_a_child_of_the_programs_own_span(traced):
    pipeline, first = ready(traced, replied())
    with traced[0].start_as_current_span("mine") as mine:
        flow.invoke(pipeline, first(QUESTION))
    assert spans(traced)["invoke_workflow stuff"].parent.span_id == mine.context.span_id


def test_callbacks_of_langchain_are_called_as_ever(traced):
    heard = []

    class Heard(BaseCallbackHandler):
        def on_chain_start(self, *args, **kwargs):
            heard.append("start")

        def on_chain_end(self, *args, **kwargs):
            heard.append("end")

    parts = Parts(retriever=Found(), model=Model(replied()), tracer=traced[0])
    chain = chains.stuff.build(parts)
    assert chain.invoke(QUESTION, {"callbacks": [Heard()]}).status == "answered"
    assert heard == ["start", "end"]
    assert "invoke_workflow stuff" in spans(traced)


def test_nothing_is_traced_unless_it_is_asked_for():
    assert tracer_for(Settings(otel=True)) is not None
    code = (
        "import sys; from ragqa.app.tracer import tracer_for; from ragqa.settings import Settings;"
        "assert tracer_for(Settings()) is None; sys.exit('opentelemetry' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


def test_a_provider_of_the_program_is_enough():
    code = (
        "from opentelemetry import trace; from opentelemetry.sdk.trace import TracerProvider;"
        "from ragqa.app.tracer import tracer_for; from ragqa.settings import Settings;"
        "assert tracer_for(Settings()) is None; trace.set_tracer_provider(TracerProvider());"
        "assert tracer_for(Settings()) is not None"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0
