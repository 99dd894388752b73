"""Tool calls from the model's words to a result: gates, faults, results, parallel calls."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, Literal

import pytest
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool, InjectedToolArg, StructuredTool, ToolException, tool
from pydantic import BaseModel, Field

from ragqa.agent.execution.executor import Executor
from ragqa.agent.execution.run_context import RunContext
from ragqa.agent.ledger.store import Ledger
from ragqa.agent.policy import ToolPolicy
from ragqa.agent.tools.call import ToolCall
from ragqa.contract import Caller
from ragqa.errors import ConfigError, UnknownNameError
from ragqa.validation.rules import Default, Normalise, Refuse


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        yield ledger


@pytest.fixture(params=["blocking", "async"])
def executor(request, ledger):
    """Make executors that are driven in both ways: ``executor(tools, policies).call(name, …)``."""
    return lambda tools, policies=None, **context: Driven(
        ledger, tools, policies, request.param == "async", context
    )


class Driven:
    def __init__(self, ledger, tools, policies, is_async, context):
        context = RunContext(**{"run_id": "run", **context})
        self.executor = Executor(tools, policies, ledger=ledger, context=context)
        self._is_async = is_async
        self._number = 0

    def call(self, name, arguments=None, call_id=None):
        self._number += 1
        call = ToolCall(call_id or f"call_{self._number}", name, arguments or {})
        if self._is_async:
            return asyncio.run(self.executor.arun(call))
        return self.executor.run(call)

    def pending(self):
        if self._is_async:
            return asyncio.run(self.executor.averify_pending())
        return self.executor.verify_pending()


READS = ToolPolicy(read_only=True)


@tool
def search_docs(query: str) -> list[dict[str, str]]:
    """Search the documents."""
    return [{"title": "kettle.pdf", "content": f"The kettle holds 1.7 litres ({query})."}]


@tool
def list_sources() -> list[str]:
    """List the documents."""
    return ["kettle.pdf"]


class Order(BaseModel):
    city: str
    amount: int = Field(gt=0)
    size: Literal["small", "large"] = "small"
    note: str | None = None


class Shop:
    """A tool that keeps what it was called with."""

    def __init__(self):
        self.orders: list[dict[str, Any]] = []

    def tool(self) -> BaseTool:
        def order(**fields: Any) -> str:
            self.orders.append(fields)
            return "ordered"

        return StructuredTool.from_function(
            order, name="order", description="Order something.", args_schema=Order
        )


def test_a_call_runs_and_its_result_is_one_text(executor):
    outcome = executor([search_docs], {"search_docs": READS}).call("search_docs", {"query": "K2"})
    assert not outcome.is_error
    assert "1.7 litres (K2)" in outcome.content
    assert outcome.record.state == "succeeded"


@pytest.mark.parametrize(
    "arguments",
    [
        *(
            '{"query": "K2 capacity"',
            "query=K2",
            '["K2"]',
            '"K2"',
            "{'query': 'K2'}",
            '{"query": "a"}}',
        ),
        *('{"query": "a", "query": "b"}', "{" * 5000, '{"query": NaN}', "null,", "\x00"),
    ],
)
def test_arguments_that_cannot_be_read_are_an_error_and_run_nothing(executor, arguments):
    runs = []

    @tool
    def search_docs(query: str) -> str:
        """Search."""
        runs.append(query)
        return "found"

    calls = executor([search_docs])
    outcome = calls.call("search_docs", arguments)
    assert outcome.is_error
    assert "search_docs" in outcome.content
    assert (outcome.record.state, outcome.record.attempt) == ("failed", 0)
    assert not runs
    assert not calls.call("search_docs", '{"query": "K2 capacity"}').is_error
    assert runs == ["K2 capacity"]


def test_an_unknown_tool_is_answered_with_the_known_ones(executor):
    outcome = executor([search_docs, list_sources]).call("doc_lookup")
    assert outcome.is_error
    for name in ("doc_lookup", "search_docs", "list_sources"):
        assert name in outcome.content
    assert outcome.record.state == "failed"


@pytest.mark.parametrize(
    "arguments",
    [
        {"city": "Delft"},
        {"city": 5, "amount": 1},
        {"city": "Delft", "amount": "1"},
        {"city": "Delft", "amount": 1.5},
        {"city": "Delft", "amount": 0},
        {"city": "Delft", "amount": True},
        {"city": "Delft", "amount": 1, "size": "huge"},
        {"city": "Delft", "amount": 1, "colour": "red"},
        {"city": None, "amount": 1},
        {"city": "Delft", "amount": 10**400},
        {"city": "\ud800", "amount": 1},
    ],
)
def test_arguments_that_do_not_fit_the_schema_run_nothing(executor, arguments):
    shop = Shop()
    outcome = executor([shop.tool()]).call("order", arguments)
    assert outcome.is_error
    assert outcome.record.state == "failed"
    assert shop.orders == []


def test_a_tool_with_a_json_schema_is_checked_as_strictly(executor):
    runs = []
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer", "default": 3}},
        "required": ["city"],
    }
    weather = StructuredTool(
        name="weather", description="Weather.", args_schema=schema, func=lambda **f: runs.append(f)
    )
    calls = executor([weather], {"weather": READS})
    for wrong in ({}, {"city": 5}, {"city": "Delft", "days": "3"}, {"city": "Delft", "x": 1}):
        assert calls.call("weather", wrong).is_error
    assert not runs
    assert not calls.call("weather", {"city": "Delft"}).is_error
    assert runs == [{"city": "Delft", "days": 3}]


def test_rules_normalise_default_and_refuse_arguments(executor):
    shop = Shop()
    policy = ToolPolicy(
        rules=(
            Normalise("city", str.title, "city_case"),
            Default("note", "by the agent"),
            Refuse(lambda order: order.amount > 500, "Above 500 a person decides.", field="amount"),
        )
    )
    calls = executor([shop.tool()], {"order": policy})
    assert not calls.call("order", {"city": "den haag", "amount": 5}).is_error
    assert shop.orders == [
        {"city": "Den Haag", "amount": 5, "size": "small", "note": "by the agent"}
    ]
    refused = calls.call("order", {"city": "Delft", "amount": 501})
    assert refused.is_error
    assert "Above 500 a person decides." in refused.content
    assert len(shop.orders) == 1


def test_arguments_are_kept_as_sent_and_as_run(executor):
    shop = Shop()
    policy = ToolPolicy(rules=(Normalise("city", str.title, "city_case"),))
    sent = '{"city": "delft",  "amount": 5}'
    record = executor([shop.tool()], {"order": policy}).call("order", sent).record
    assert record.sent == sent
    assert record.arguments == {"city": "Delft", "amount": 5, "size": "small", "note": None}


@pytest.mark.parametrize(
    ("state", "runs"),
    [({}, False), ({"order": {}}, False), ({"order": {"id": 1}}, True), (None, False)],
)
def test_a_required_state_has_to_be_there(executor, state, runs):
    shop = Shop()
    outcome = executor([shop.tool()], {"order": ToolPolicy(state=("order",))}, state=state).call(
        "order", {"city": "Delft", "amount": 1}
    )
    assert (len(shop.orders) == 1) is runs
    assert outcome.is_error is not runs


def test_the_state_is_that_of_the_moment(executor):
    shop, state = Shop(), {}
    calls = executor([shop.tool()], {"order": ToolPolicy(state=("order",))}, state=lambda: state)
    assert calls.call("order", {"city": "Delft", "amount": 1}).is_error
    state["order"] = {"id": 1}
    assert not calls.call("order", {"city": "Delft", "amount": 1}).is_error


def test_a_state_that_cannot_be_read_runs_nothing(executor):
    shop = Shop()

    def broken():
        raise KeyError("order")

    assert executor([shop.tool()], state=broken).call("order", {"city": "A", "amount": 1}).is_error
    assert shop.orders == []


@pytest.mark.parametrize(
    ("policy", "caller", "runs"),
    [
        (ToolPolicy(groups=("staff",)), Caller("ann", ("staff",)), True),
        (ToolPolicy(groups=("staff",)), Caller("ann", ("sales",)), False),
        (ToolPolicy(groups=("staff",)), Caller(), False),
        (ToolPolicy(groups=("*",)), Caller(), True),
        (
            ToolPolicy(permission=lambda caller, a: caller.principal == a["city"]),
            Caller("Delft"),
            1,
        ),
        (
            ToolPolicy(permission=lambda caller, a: caller.principal == a["city"]),
            Caller("x"),
            False,
        ),
        (ToolPolicy(permission=lambda caller, a: a["nothing"]), Caller("Delft"), False),
        (ToolPolicy(permission=lambda caller, a: "yes"), Caller("Delft"), False),
    ],
)
def test_permissions_are_code_and_come_before_anything_runs(executor, policy, caller, runs):
    shop = Shop()
    outcome = executor([shop.tool()], {"order": policy}, caller=caller).call(
        "order", {"city": "Delft", "amount": 1}
    )
    assert len(shop.orders) == int(runs)
    assert outcome.is_error is not bool(runs)
    if not runs:
        assert (outcome.record.state, outcome.record.attempt) == ("failed", 0)
        assert outcome.record.error


@pytest.mark.parametrize(
    ("arguments", "runs"),
    [
        ({"city": "x'; DROP TABLE orders; --", "amount": 1}, False),
        ({"city": "Delft; and Leiden", "amount": 1}, True),
        ({"city": "Delft", "amount": 1, "note": "don't; it's fragile"}, True),
    ],
)
def test_attacks_are_refused_and_a_semicolon_is_none(executor, arguments, runs):
    shop = Shop()
    executor([shop.tool()]).call("order", arguments)
    assert (len(shop.orders) == 1) is runs


@pytest.mark.parametrize(
    "raised",
    [
        RuntimeError("boom"),
        ValueError(""),
        ToolException("the service said no"),
        SystemExit(3),
        KeyError("x"),
        RecursionError("deep"),
        MemoryError(),
    ],
    ids=lambda raised: type(raised).__name__,
)
def test_an_exception_is_an_error_for_the_model_and_ends_nothing(executor, raised):
    @tool
    def broken() -> str:
        """Break."""
        raise raised

    calls = executor([broken, list_sources], {"list_sources": READS})
    outcome = calls.call("broken")
    assert outcome.is_error
    assert outcome.record.state == "failed"
    assert str(raised) in outcome.content
    assert not calls.call("list_sources").is_error


def test_what_an_exception_says_is_masked(executor):
    @tool
    def broken() -> str:
        """Break."""
        raise RuntimeError("401 for https://api.example.com/?api_key=sk-abcdefghijklmnop1234")

    outcome = executor([broken]).call("broken")
    assert "sk-abc" not in outcome.content
    assert "sk-abc" not in str(outcome.record.shown())


class Blocks:
    """What MCP's own client returns."""

    def __init__(self, text, is_error):
        self.content = [{"type": "text", "text": text}]
        self.isError = is_error


@pytest.mark.parametrize(
    ("result", "is_error"),
    [
        (ToolMessage("no such user", tool_call_id="1", status="error"), True),
        (ToolMessage("fine", tool_call_id="1"), False),
        (Blocks("no such user", True), True),
        (Blocks("fine", False), False),
        ({"error": "no such user"}, True),
        ({"error": {"code": 7, "message": "no"}, "request_id": "r"}, True),
        ('{"isError": true, "content": "no"}', True),
        ({"success": False, "ticket": 5}, True),
        ({"ok": False}, True),
        ({"error": None, "ticket": 5}, False),
        ({"error": "rounding", "value": 0.3}, False),
        ({"ok": 0}, False),
        ({"errors": 0, "rows": 3}, False),
        ({"status": "failed", "payment": 7}, False),
    ],
)
def test_an_error_in_the_result_is_never_a_success(executor, result, is_error):
    @tool
    def ask() -> Any:
        """Ask."""
        return result

    outcome = executor([ask]).call("ask")
    assert outcome.is_error is is_error
    assert outcome.record.state == ("failed" if is_error else "succeeded")


def test_an_error_of_an_mcp_tool_is_an_error(executor):
    def refuse(error):
        return [{"type": "text", "text": str(error)}]

    async def call_tool(**arguments: Any) -> Any:
        raise ToolException("quota is used up")

    mcp = StructuredTool(
        name="book",
        description="Book.",
        args_schema={"type": "object", "properties": {}},
        coroutine=call_tool,
        response_format="content_and_artifact",
        handle_tool_error=refuse,
    )
    outcome = executor([mcp]).call("book")
    assert outcome.is_error
    assert "quota is used up" in outcome.content


def test_an_async_tool_runs_in_both_ways(executor):
    @tool
    async def wait() -> str:
        """Wait."""
        await asyncio.sleep(0.01)
        return "waited"

    assert executor([wait], {"wait": READS}).call("wait").content == "waited"


def test_only_as_much_of_a_result_as_allowed_is_passed_on(executor):
    @tool
    def dump() -> str:
        """Dump."""
        return "x" * 10**6

    outcome = executor([dump], {"dump": ToolPolicy(read_only=True, max_result_chars=100)}).call(
        "dump"
    )
    assert len(outcome.content) == 100


def test_a_read_only_tool_is_tried_again(executor):
    tries = []

    @tool
    def look() -> str:
        """Look."""
        tries.append(1)
        if len(tries) < 3:
            raise ConnectionError("reset")
        return "seen"

    outcome = executor([look], {"look": ToolPolicy(read_only=True, retries=2)}).call("look")
    assert (outcome.content, outcome.record.attempt, len(tries)) == ("seen", 3, 3)


def test_a_refusal_is_not_tried_again(executor):
    tries = []

    @tool
    def look() -> str:
        """Look."""
        tries.append(1)
        raise ToolException("you may not see that")

    assert executor([look], {"look": ToolPolicy(read_only=True, retries=3)}).call("look").is_error
    assert len(tries) == 1


def test_an_effect_is_not_tried_again_without_a_policy(executor):
    tries = []

    @tool
    def send() -> str:
        """Send."""
        tries.append(1)
        raise ConnectionError("reset")

    outcome = executor([send]).call("send")
    assert (outcome.record.state, len(tries)) == ("unknown", 1)


def test_a_fallback_answers_for_a_tool_that_failed(executor):
    @tool
    def live_price(item: str, currency: str = "EUR") -> str:
        """Look a price up."""
        raise ConnectionError("down")

    @tool
    def listed_price(item: str) -> str:
        """Look a price up in the list."""
        return f"{item}: 39.00"

    policies = {
        "live_price": ToolPolicy(read_only=True, fallback="listed_price"),
        "listed_price": READS,
    }
    calls = executor([live_price, listed_price], policies)
    outcome = calls.call("live_price", {"item": "kettle"})
    assert not outcome.is_error
    assert "kettle: 39.00" in outcome.content
    assert "live_price" in outcome.content
    first, second = calls.executor.records()
    assert (first.state, second.state, second.fallback_for) == ("failed", "succeeded", first.id)


def test_a_fallback_that_fails_leaves_the_first_error(executor):
    @tool
    def one() -> str:
        """Do one."""
        raise ConnectionError("first")

    @tool
    def two() -> str:
        """Do two."""
        raise ConnectionError("second")

    policies = {"one": ToolPolicy(read_only=True, fallback="two"), "two": READS}
    outcome = executor([one, two], policies).call("one")
    assert outcome.is_error
    assert "first" in outcome.content


def test_what_is_forbidden_has_no_fallback(executor):
    policies = {
        "order": ToolPolicy(groups=("staff",), fallback="list_sources"),
        "list_sources": READS,
    }
    outcome = executor([Shop().tool(), list_sources], policies).call(
        "order", {"city": "A", "amount": 1}
    )
    assert outcome.is_error
    assert "kettle.pdf" not in outcome.content


def test_parallel_calls_run_at_the_same_time_and_one_failing_fails_alone(ledger):
    together = threading.Barrier(3, timeout=5)

    @tool
    def look(query: str) -> str:
        """Look."""
        together.wait()
        if query == "L4":
            raise TimeoutError("search took too long")
        return f"found {query}"

    executor = Executor([look], {"look": READS}, ledger=ledger, context=RunContext(run_id="run"))
    calls = [ToolCall(query, "look", {"query": query}) for query in ("K2", "L4", "M6")]
    with ThreadPoolExecutor(3) as pool:
        blocking = list(pool.map(executor.run, calls))

    async def at_once():
        return await asyncio.gather(*(executor.arun(call) for call in calls))

    for outcomes in (blocking, asyncio.run(at_once())):
        assert [outcome.is_error for outcome in outcomes] == [False, True, False]
        assert "search took too long" in outcomes[1].content


def test_messages_are_in_the_language_of_the_run(executor):
    outcome = executor([list_sources], language="zh").call("doc_lookup")
    assert "没有名为 doc_lookup 的工具" in outcome.content


def test_what_stands_in_a_message_is_no_template(executor):
    @tool
    def echo(text: str) -> str:
        """Echo."""
        raise ToolException(text)

    outcome = executor([echo]).call("echo", {"text": "{{tool}} {detail} {0} %s {{detail}}"})
    assert "{{tool}} {detail} {0} %s {{detail}}" in outcome.content


def test_without_time_left_nothing_runs(executor):
    shop = Shop()
    outcome = executor([shop.tool()], remaining_s=lambda: 0.0).call(
        "order", {"city": "A", "amount": 1}
    )
    assert outcome.is_error
    assert shop.orders == []


def test_a_call_takes_no_longer_than_its_run(executor):
    @tool
    def slow() -> str:
        """Be slow."""
        time.sleep(0.5)
        return "done"

    begun_s = time.monotonic()
    outcome = executor([slow], {"slow": READS}, remaining_s=lambda: 0.1).call("slow")
    assert outcome.is_error
    assert time.monotonic() - begun_s < 0.45


def test_the_key_is_hidden_from_the_model_and_given_to_the_tool(executor):
    keys = []

    @tool
    def send(text: str, key: Annotated[str, InjectedToolArg]) -> str:
        """Send."""
        keys.append(key)
        return "sent"

    @tool
    def post(text: str, key: str) -> str:
        """Post."""
        keys.append(key)
        return "posted"

    policy = ToolPolicy(key=("text",), key_parameter="key")
    calls = executor([send, post], {"send": policy, "post": policy})
    for name in ("send", "post"):
        schema = calls.executor.schema_for_model(name)
        assert "key" not in str(schema if isinstance(schema, dict) else schema.model_json_schema())
        assert calls.call(name, {"text": "a", "key": "mine"}).is_error
        assert not calls.call(name, {"text": "a"}).is_error
    records = [record for record in calls.executor.records() if record.state == "succeeded"]
    assert keys == [record.key for record in records]
    assert len(set(keys)) == 2


def test_a_policy_has_to_fit_its_tool(ledger):
    def build(tools, policies):
        Executor(tools, policies, ledger=ledger, context=RunContext(run_id="run"))

    with pytest.raises(UnknownNameError, match="nothing"):
        build([list_sources], {"nothing": READS})
    with pytest.raises(ConfigError, match="no parameter 'key'"):
        build([list_sources], {"list_sources": ToolPolicy(key_parameter="key")})
    with pytest.raises(ConfigError, match="not a read-only tool"):
        build(
            [list_sources, search_docs],
            {"list_sources": ToolPolicy(read_only=True, fallback="search_docs")},
        )
    with pytest.raises(UnknownNameError, match="other"):
        build([list_sources], {"list_sources": ToolPolicy(read_only=True, fallback="other")})


def test_a_tool_of_the_provider_gets_a_record(ledger):
    executor = Executor([], ledger=ledger, context=RunContext(run_id="run"))
    executor.ran_elsewhere(ToolCall("ws_1", "web_search", {"query": "x"}), has_result=True)
    executor.ran_elsewhere(ToolCall("ws_2", "web_search", {"query": "y"}), has_result=False)
    first, second = executor.records()
    assert (first.state, second.state) == ("succeeded", "unknown")
    assert first.shown()["by_provider"]
    assert first.read_only  # it bears out no claim of an effect


@pytest.mark.parametrize("names", [{"key": ("cty",)}, {"compares": ("cty",), "verifier": print}])
def test_a_policy_names_arguments_that_the_tool_has(ledger, names):
    with pytest.raises(ConfigError, match="cty"):
        Executor(
            [Shop().tool()],
            {"order": ToolPolicy(**names)},
            ledger=ledger,
            context=RunContext(run_id="run"),
        )


def test_ids_and_names_of_a_broken_model_are_kept(executor):
    calls = executor([list_sources])
    for call_id, name in (
        ("\ud800", "list_sources"),
        ("a\x00b", "x\ud800y"),
        ("", ""),
        ("9" * 999, "z" * 999),
    ):
        calls.call(name, {}, call_id=call_id)
    assert [record.state for record in calls.executor.records()] == [
        "succeeded",
        "failed",
        "failed",
        "failed",
    ]


def test_a_tool_that_asks_a_person_itself_is_let_out_and_runs_again(executor):
    from langgraph.errors import GraphInterrupt

    replies = []

    @tool
    def ask_person() -> str:
        """Ask a person."""
        if not replies:
            raise GraphInterrupt(())
        return replies[0]

    calls = executor([ask_person])
    with pytest.raises(GraphInterrupt):
        calls.call("ask_person", call_id="1")
    assert calls.executor.records()[0].state == "waiting_for_approval"
    replies.append("yes")
    outcome = calls.call("ask_person", call_id="1")
    assert (outcome.content, outcome.record.state, outcome.record.attempt) == (
        "yes",
        "succeeded",
        2,
    )
