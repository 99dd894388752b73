"""What a fault of a tool means: nothing happened, or nobody knows."""

import asyncio
import http.client
import socket
import urllib.error

import httpx
import pytest
from langchain_core.tools import ToolException

from ragqa.agent.execution.outcome import outcome_of_error, outcome_of_result, pauses
from ragqa.agent.policy import ToolPolicy

EFFECT = ToolPolicy()
LOOKED_UP = ToolPolicy(verifier=lambda operation: None)
READS = ToolPolicy(read_only=True)


def status(code):
    request = httpx.Request("POST", "http://127.0.0.1/tickets")
    response = httpx.Response(code, request=request, headers={"x-request-id": "r-9"})
    return httpx.HTTPStatusError(str(code), request=request, response=response)


UNSURE = [
    TimeoutError("late"),
    httpx.ReadTimeout("late"),
    httpx.ReadError("reset"),
    httpx.RemoteProtocolError("hung up"),
    ConnectionResetError("reset"),
    BrokenPipeError("pipe"),
    http.client.RemoteDisconnected("hung up"),
    asyncio.IncompleteReadError(b"", 5),
    urllib.error.URLError(TimeoutError("late")),
    status(500),
    status(502),
    status(503),
    status(504),
    status(408),
    status(409),
]
NEVER_SENT = [
    httpx.ConnectError("refused"),
    httpx.ConnectTimeout("late"),
    ConnectionRefusedError("refused"),
    socket.gaierror("no such host"),
    urllib.error.URLError(ConnectionRefusedError("refused")),
]
REFUSED = [ToolException("no"), PermissionError("no"), *map(status, (400, 401, 403, 404, 422, 429))]
BUGS = [KeyError("id"), ValueError("no"), AttributeError("x"), RuntimeError("boom")]


def kind(exc, policy):
    return outcome_of_error(exc, policy).kind


def name(exc):
    return f"{type(exc).__name__}-{getattr(getattr(exc, 'response', None), 'status_code', '')}"


@pytest.mark.parametrize("exc", UNSURE, ids=name)
def test_what_broke_off_may_have_happened(exc):
    assert kind(exc, EFFECT) == "uncertain"
    assert kind(exc, LOOKED_UP) == "uncertain"


@pytest.mark.parametrize("exc", NEVER_SENT + BUGS, ids=name)
def test_only_a_look_up_tells_whether_anything_happened_before(exc):
    assert kind(exc, EFFECT) == "failed"
    assert kind(exc, LOOKED_UP) == "uncertain"


@pytest.mark.parametrize("exc", REFUSED, ids=name)
def test_what_was_refused_did_not_happen(exc):
    assert kind(exc, EFFECT) == "failed"
    assert kind(exc, LOOKED_UP) == "failed"


@pytest.mark.parametrize("exc", UNSURE + NEVER_SENT + REFUSED + BUGS, ids=name)
def test_a_read_has_failed_in_any_case(exc):
    assert kind(exc, READS) == "failed"


@pytest.mark.parametrize(
    ("exc", "may_pass"),
    [
        *(
            (status(429), True),
            (status(503), True),
            (status(404), False),
            (ToolException("no"), False),
        ),
        *((TimeoutError(), True), (httpx.ConnectError("x"), True), (PermissionError(), False)),
    ],
    ids=str,
)
def test_what_may_pass_is_worth_another_try(exc, may_pass):
    assert outcome_of_error(exc, READS).may_pass is may_pass


def test_the_services_id_is_kept():
    assert outcome_of_error(status(500), EFFECT).request_id == "r-9"
    own = ToolPolicy(request_id=lambda result: result["meta"]["ref"])
    assert outcome_of_result({"meta": {"ref": 7}}, own).request_id == "7"
    assert outcome_of_result({"other": 1, "request_id": "r"}, own).request_id == "r"


def test_langgraphs_interrupt_is_no_fault():
    from langgraph.errors import GraphInterrupt

    assert pauses(GraphInterrupt(()))
    assert not pauses(RuntimeError("GraphInterrupt"))
