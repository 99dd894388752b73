"""What the doctor says of services, over real HTTP: each fault by its name, and what was sent."""

import json
import socket
import ssl
import subprocess
import threading

import pytest

from tests.cli.kettle import GOOD, GOOD_TEXT, QUESTION, at
from tests.cli.screen import run_on_screen
from tests.wire.azure.openai_server import AzureOpenAIServer
from tests.wire.azure.search_server import SearchServer
from tests.wire.openai_replies import Reply

KEY = "sk-test-0123456789abcdef"
DUMP = json.dumps(
    {"value": [{"@search.score": 1.2, "id": "1", "content": "A kettle.", "title": "returns.md"}]}
)
EXTRA = json.dumps(GOOD | {"rationale": "because", "language": "en", "tone": "kind"})
MISSING = json.dumps({"answer": GOOD["answer"], "confidence": "very"})
BROKEN = '{"answer": "A kettle can be'
RETURNS = {"docs/returns.md": "# Returns\n\nA kettle can be returned within 30 days of delivery.\n"}


def checked(shell, *args, **environ):
    done = shell("doctor", "--json", *args, **environ)
    assert KEY not in done.out + done.err
    return done.code, {check["name"]: check for check in done.json["checks"]}


def test_a_good_endpoint_is_ok_from_top_to_bottom(shop, serve):
    server = serve(always=GOOD_TEXT, key=KEY)
    code, checks = checked(shop, QUESTION, **at(server, OPENAI_API_KEY=KEY))
    assert code == 0
    assert {check["status"] for check in checks.values()} == {"ok"}
    connection = checks["connection OPENAI_BASE_URL"]["detail"]
    assert "DNS resolves, TCP connects" in connection
    assert "nothing was sent" in connection
    assert "one short text was sent" in checks["model reply"]["detail"]
    assert "format by json_schema" in checks["model reply"]["detail"]
    trial = checks["trial question"]
    assert trial["stage"] is None
    assert trial["question"] == QUESTION
    assert trial["strategy"] == {
        "category": "policy", "k": 5, "search_type": "keyword", "filter": {}, "boost": {}
    }  # fmt: skip
    assert len(server.requests) == 2  # what the lines say: a short text, and the trial


def test_the_message_sequence_is_shown_with_sizes_and_without_texts(shop, serve):
    server = serve(GOOD_TEXT, MISSING, GOOD_TEXT)
    code, checks = checked(shop, QUESTION, **at(server))
    first, repair = checks["trial question"]["calls"]
    assert code == 0
    assert (first["kind"], first["verdict"], first["tools"]) == ("answer", "rejected", [])
    assert first["code"].startswith("schema.")
    assert (repair["kind"], repair["verdict"], repair["finish_reason"]) == (
        "repair", "accepted", "stop"
    )  # fmt: skip
    sent = server.chats[1]["messages"]
    assert [(m["role"], m["chars"]) for m in first["messages"]] == [
        *((message["role"], len(message["content"])) for message in sent),
        ("assistant", len(MISSING)),
    ]
    assert first["messages"][0]["kind"] == "instructions"
    assert "rejected reply and reason" in [m["kind"] for m in repair["messages"]]
    assert "30 days" not in json.dumps([first, repair])


@pytest.mark.parametrize(
    ("replies", "stage"),
    [
        (["I would say thirty days."] * 2, "instructions ignored"),
        (["garbage", "garbage"], "instructions ignored"),
        ([DUMP, DUMP], "instructions ignored"),
        ([EXTRA, EXTRA], "instructions ignored"),
        ([BROKEN, BROKEN], "format rejected"),
        ([MISSING, MISSING], "format rejected"),
        ([Reply("", finish_reason="length")] * 2, "retrieval only"),
        ([Reply(refusal="I cannot help with that.")], "retrieval only"),
        ([GOOD_TEXT.replace("30 days", "45 days")] * 2, "instructions ignored"),
    ],
)
def test_the_stage_where_it_breaks_is_named(shop, serve, replies, stage):
    code, checks = checked(shop, QUESTION, **at(serve(GOOD_TEXT, *replies)))
    trial = checks["trial question"]
    assert trial["stage"] == stage
    assert (code, trial["status"]) == (3, "broken")
    assert stage in trial["detail"]
    assert trial["hint"]


def test_nonsense_is_broken_where_quotations_take_its_place(shop, serve):
    server = serve(GOOD_TEXT, "garbage", "garbage")
    code, checks = checked(shop, QUESTION, **at(server, RAGQA_FALLBACK="extractive"))
    assert (code, checks["trial question"]["stage"]) == (3, "instructions ignored")


def test_a_question_about_what_is_not_there(shop, serve):
    code, checks = checked(shop, "Who won the volleyball cup?", **at(serve(always=GOOD_TEXT)))
    assert (code, checks["trial question"]["status"]) == (0, "warning")
    assert checks["trial question"]["stage"] == "irrelevant retrieval"


def test_the_question_is_about_something_that_is_there(shop, shell):
    _, checks = checked(shop)
    assert checks["trial question"]["status"] == "ok"
    shell.write({"docs/售后.md": "# 售后\n\n## 退货期限\n\n签收后30天内可退货，需保留包装。\n"})
    assert shell("index", "docs").code == 0
    _, checks = checked(shell)
    assert "退货期限" in checks["trial question"]["question"]


def test_documents_that_are_for_groups_alone_are_no_fault(shell):
    line = {"id": "s", "title": "Staff", "text": "Staff pay 12 euros.", "groups": ["staff"]}
    shell.write({"docs/staff.jsonl": json.dumps(line)})
    assert shell("index", "docs").code == 0
    code, checks = checked(shell)
    assert (code, checks["trial question"]["status"]) == (0, "not_configured")
    assert "Staff" not in checks["trial question"]["detail"]


def test_a_wrong_key_is_found_without_documents(shell, serve):
    server = serve(always=GOOD_TEXT, key="another")
    code, checks = checked(shell, **at(server, OPENAI_API_KEY=KEY))
    assert code == 3
    assert checks["connection OPENAI_BASE_URL"]["status"] == "ok"
    assert checks["model reply"]["status"] == "broken"
    assert "OPENAI_API_KEY" in checks["model reply"]["detail"] + checks["model reply"]["hint"]
    assert checks["trial question"]["status"] == "not_configured"


def test_another_format_is_found_without_documents(shell, serve):
    server = serve(always=GOOD_TEXT, refuse=["json_schema"])
    _, checks = checked(shell, **at(server))
    assert "format by function_calling" in checks["model reply"]["detail"]
    _, checks = checked(shell, **at(serve(always="Hello!")))
    assert checks["model reply"]["status"] == "warning"


def test_an_unknown_deployment_is_found_without_documents(shell):
    with AzureOpenAIServer(always=GOOD_TEXT, key=KEY) as server:
        code, checks = checked(
            shell,
            AZURE_OPENAI_ENDPOINT=server.endpoint,
            AZURE_OPENAI_API_KEY=KEY,
            AZURE_OPENAI_CHAT_DEPLOYMENT="gone",
        )
    found = checks["model reply"]
    assert (code, found["status"]) == (3, "broken")
    assert "AZURE_OPENAI_CHAT_DEPLOYMENT" in found["detail"] + found["hint"]


@pytest.fixture
def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


def test_a_port_where_nothing_listens_is_named_with_its_setting(shop, free_port):
    url = f"http://127.0.0.1:{free_port}/v1"
    code, checks = checked(shop, OPENAI_BASE_URL=url, RAGQA_CHAT_MODEL="m", RAGQA_TIMEOUT_S="5")
    found = checks["connection OPENAI_BASE_URL"]
    assert (code, found["status"]) == (3, "broken")
    assert f"127.0.0.1:{free_port}: TCP connection failed" in found["detail"]
    assert "OPENAI_BASE_URL" in found["hint"]
    assert "model reply" not in checks
    assert checks["trial question"]["stage"] == "model unavailable"


def test_a_name_that_does_not_resolve(shell):
    code, checks = checked(
        shell, OPENAI_BASE_URL="http://nowhere.invalid/v1", RAGQA_CHAT_MODEL="m", NO_PROXY="*"
    )
    found = checks["connection OPENAI_BASE_URL"]
    assert (code, found["status"]) == (3, "broken")
    assert "DNS failed" in found["detail"]


class Listener:
    """Takes one connection, speaks TLS with an unknown certificate if given one, and notes."""

    def __init__(self, certificate=None):
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self.received = b""
        self._context = None
        if certificate:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(*certificate)
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self):
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                self._talk(connection)

    def _talk(self, connection):
        connection.settimeout(20)
        try:
            if self._context is None:
                connection.recv(65536)
                connection.recv(65536)  # until the other side hangs up
                return
            with self._context.wrap_socket(connection, server_side=True) as shaken:
                while data := shaken.recv(65536):
                    self.received += data
        except OSError:
            return

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(20)


@pytest.fixture
def certificate(tmp_path):
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
         "-keyout", str(key), "-out", str(cert)],
        capture_output=True, check=False,
    )  # fmt: skip
    if made.returncode:
        pytest.skip("openssl cannot make a certificate here")
    return cert, key


@pytest.mark.parametrize("port", [None, "junk"])
def test_a_proxy_is_what_is_connected_to(shell, port):
    with Listener() as listener:
        proxy = f"http://user:{KEY}@127.0.0.1:{port or listener.port}"
        outside = {"HTTPS_PROXY": proxy, "AZURE_SEARCH_ENDPOINT": "https://kb.example"}
        code, checks = checked(shell, **SEARCH, **outside)
    found = checks["connection AZURE_SEARCH_ENDPOINT"]
    if port:
        assert (code, found["status"]) == (2, "broken")
        assert "HTTPS_PROXY" in found["hint"]
    else:
        assert found["status"] == "ok"
        assert f"kb.example by the proxy 127.0.0.1:{listener.port}" in found["detail"]


def test_an_index_of_another_embedding_model_is_broken(shell, serve):
    shell.write(RETURNS)
    server = serve(always=GOOD_TEXT)
    assert shell("index", "docs", **at(server, RAGQA_EMBEDDING_MODEL="e")).code == 0
    code, checks = checked(shell, **at(server, RAGQA_EMBEDDING_MODEL="e"))
    assert (code, checks["embedding model"]["status"]) == (0, "ok")
    assert checks["trial question"]["strategy"]["search_type"] == "hybrid"
    code, checks = checked(shell, **at(server, RAGQA_EMBEDDING_MODEL="f"))
    assert code in (2, 4)
    broken = [check for check in checks.values() if check["status"] == "broken"]
    assert any("ragqa index" in check["hint"] for check in broken)


SEARCH = {"AZURE_SEARCH_API_KEY": KEY, "AZURE_SEARCH_INDEX": "kb"}


def test_the_handshake_of_tls_is_made_and_nothing_sent_after_it(shell, certificate):
    trusted = {"SSL_CERT_FILE": str(certificate[0])}
    with Listener(certificate) as listener:
        url = f"https://localhost:{listener.port}"
        _, checks = checked(shell, AZURE_SEARCH_ENDPOINT=url, **SEARCH)
        found = checks["connection AZURE_SEARCH_ENDPOINT"]
        assert found["status"] == "broken"
        assert "TLS handshake failed: self" in found["detail"]
        _, checks = checked(shell, AZURE_SEARCH_ENDPOINT=url, **SEARCH, **trusted)
        found = checks["connection AZURE_SEARCH_ENDPOINT"]
        assert found["status"] == "ok", found
        assert "handshake ok" in found["detail"]
    assert listener.received == b""


def test_a_handshake_without_end_is_given_up(shell):
    with Listener() as listener:
        url = f"https://127.0.0.1:{listener.port}"
        code, checks = checked(shell, AZURE_SEARCH_ENDPOINT=url, **SEARCH)
    found = checks["connection AZURE_SEARCH_ENDPOINT"]
    assert (code, found["status"]) == (4, "broken")
    assert "TLS handshake failed" in found["detail"]


@pytest.fixture
def azure(shell):
    """A folder whose documents are at Azure AI Search, with vectors of 64 numbers."""
    with AzureOpenAIServer(always=GOOD_TEXT, key=KEY) as models, SearchServer() as search:
        environ = {
            "RAGQA_RETRIEVER": "azure",
            "AZURE_SEARCH_ENDPOINT": search.endpoint,
            "AZURE_SEARCH_API_KEY": search.admin_key,
            "AZURE_SEARCH_INDEX": "kb",
            "AZURE_OPENAI_ENDPOINT": models.endpoint,
            "AZURE_OPENAI_API_KEY": KEY,
            "AZURE_OPENAI_CHAT_DEPLOYMENT": "gpt",
            "AZURE_OPENAI_EMBEDDING_DEPLOYMENT": "embed",
            "RAGQA_TIMEOUT_S": "10",
        }
        shell.write(RETURNS)
        assert shell("index", "docs", **environ).code == 0
        models.requests.clear()
        search.requests.clear()
        yield lambda *args, **changes: checked(shell, *args, **environ | changes), models, search


def test_azure_is_looked_over(azure):
    look, models, _ = azure
    code, checks = look()
    assert code == 0
    assert {check["status"] for check in checks.values()} == {"ok"}
    assert "vectors of 64 numbers (one text was embedded)" in checks["embedding model"]["detail"]
    assert checks["trial question"]["strategy"]["search_type"] == "hybrid"
    assert "Returns" in checks["trial question"]["question"]
    ends = [item.path.partition("?")[0].rpartition("/")[2] for item in models.requests]
    assert ends == ["completions", "embeddings", "embeddings", "completions"]


def test_vectors_of_another_size_are_named(azure):
    look, models, _ = azure
    models.dimension = 32
    code, checks = look()
    assert (code, checks["index"]["status"]) == (2, "broken")
    assert "takes vectors of 64 numbers" in checks["index"]["detail"]
    assert "makes 32 (AZURE_OPENAI_EMBEDDING_DEPLOYMENT" in checks["index"]["detail"]


def test_a_missing_semantic_configuration_is_named(azure):
    look, _, search = azure
    changes = {"RAGQA_SEARCH_TYPE": "semantic_hybrid", "AZURE_SEARCH_SEMANTIC_CONFIG": "bad"}
    code, checks = look(**changes)
    assert (code, checks["index"]["status"]) == (2, "broken")
    assert "AZURE_SEARCH_SEMANTIC_CONFIG" in checks["index"]["detail"]
    code, checks = look(**changes, AZURE_SEARCH_API_KEY=search.query_key)
    assert (code, checks["index"]["status"]) == (2, "broken")
    assert "AZURE_SEARCH_SEMANTIC_CONFIG" in checks["index"]["hint"]


def test_a_query_key_is_checked_by_searches(azure):
    look, _, search = azure
    code, checks = look(AZURE_SEARCH_API_KEY=search.query_key)
    assert (code, checks["index"]["status"]) == (0, "warning")
    assert "may not read its definition" in checks["index"]["detail"]
    assert checks["trial question"]["status"] == "ok"


def test_an_index_without_documents_is_empty(azure):
    look, _, search = azure
    search.indexes["kb"].documents.clear()
    code, checks = look()
    assert (code, checks["index"]["status"]) == (0, "not_configured")
    assert "--to azure" in checks["index"]["hint"]
    assert checks["model reply"]["status"] == "ok"
    assert checks["trial question"]["status"] == "not_configured"


def test_a_search_service_that_is_away(azure, free_port):
    look, _, _ = azure
    code, checks = look(AZURE_SEARCH_ENDPOINT=f"http://127.0.0.1:{free_port}")
    assert code == 4
    assert checks["connection AZURE_SEARCH_ENDPOINT"]["status"] == "broken"
    assert checks["connection AZURE_OPENAI_ENDPOINT"]["status"] == "ok"
    assert checks["model reply"]["status"] == "ok"
    assert checks["index"]["status"] == "broken"


def test_a_person_sees_the_message_sequence(shop, serve):
    environ = at(serve(GOOD_TEXT, "garbage", "garbage"))
    code, shown = run_on_screen(shop, "doctor", QUESTION, NO_COLOR="1", **environ)
    assert code == 3
    assert "call 1 (answer) to" in shown
    assert "tools offered: none" in shown
    assert "gates: rejected (" in shown
    assert "instructions ignored" in shown


class TestAgent:
    """The trial question where an agent answers."""

    def asked(self, shop, server):
        return checked(shop, QUESTION, **at(server, RAGQA_CHAIN="agent"))

    def searching(self, serve, last):
        """Serve a model that searches where it is offered tools, and then says ``last``."""
        server = serve()
        asked = (("search_documents", json.dumps({"query": "return a kettle"})),)

        def turn(body):
            has_result = any(message["role"] == "tool" for message in body["messages"])
            if "tools" in body and not has_result:
                return Reply(None, tool_calls=asked, finish_reason="tool_calls")
            return Reply(last)

        server._next = turn
        return server

    def test_the_messages_and_the_tools_are_told(self, shop, serve):
        _, checks = self.asked(shop, self.searching(serve, GOOD_TEXT))
        (call,) = checks["trial question"]["calls"]
        assert call["tools"] == ["search_documents", "calculate"]
        kinds = [message["kind"] for message in call["messages"]]
        assert kinds == ["instructions", "question", "tool calls", "tool result", "reply"]
        assert call["messages"][3]["tool_call_id"] == call["messages"][2]["tool_calls"][0]["id"]

    def test_no_tool_call_is_named(self, shop, serve):
        unfound = json.dumps(GOOD | {"sources": [], "confidence": 0.1, "needs_human": True})
        _, checks = self.asked(shop, serve(always=unfound))
        assert checks["trial question"]["stage"] == "no tool call"
        assert "RAGQA_FORCE_SEARCH" in checks["trial question"]["hint"]

    def test_instructions_that_are_ignored_are_named(self, shop, serve):
        _, checks = self.asked(shop, self.searching(serve, DUMP))
        assert checks["trial question"]["stage"] == "instructions ignored"

    def test_no_tool_of_the_callers_is_called(self, shop, serve):
        server = self.searching(serve, GOOD_TEXT)
        checked(shop, QUESTION, **at(server, RAGQA_CHAIN="agent", RAGQA_TOOLS="ragqa.app:nothing"))
        names = {
            tool["function"]["name"] for chat in server.chats for tool in chat.get("tools", ())
        }
        assert names <= {"search_documents", "calculate"}
