"""The commands with nothing but AZURE_OPENAI_* settings, over real HTTP."""

import json
from contextlib import ExitStack
from subprocess import DEVNULL, PIPE

import pytest

from tests.cli.kettle import GOOD, GOOD_TEXT, QUESTION
from tests.wire.azure.openai_bodies import prompt_filtered
from tests.wire.azure.openai_server import AzureOpenAIServer
from tests.wire.openai_replies import Reply

KEY = "0123456789abcdef0123456789abcdef"
PLANTED = {
    "OPENAI_API_KEY": "sk-planted-openai-0123456789",
    "OPENAI_ADMIN_KEY": "sk-planted-admin-0123456789",
    "OPENAI_ORG_ID": "org-planted-0123456789",
    "OPENAI_CUSTOM_HEADERS": "x-more: planted-header-0123456789",
    "AZURE_OPENAI_AD_TOKEN": "planted-token-0123456789",
    "AZURE_CLIENT_SECRET": "planted-secret-0123456789",
    "AZURE_SEARCH_API_KEY": "planted-search-0123456789",
}
NO_IDENTITY = {
    "AZURE_TOKEN_CREDENTIALS": "EnvironmentCredential",  # looks nowhere else, and finds nothing
}


@pytest.fixture
def serve():
    with ExitStack() as stack:
        yield lambda *script, **options: stack.enter_context(
            AzureOpenAIServer(list(script), **{"key": KEY, **options})
        )


def at(server, form="deployment", **environ):
    return {
        "AZURE_OPENAI_ENDPOINT": server.v1 if form == "v1" else server.endpoint,
        "AZURE_OPENAI_API_KEY": KEY,
        "AZURE_OPENAI_CHAT_DEPLOYMENT": "gpt",
        **environ,
    }


@pytest.mark.parametrize(
    ("form", "provider"), [("deployment", None), ("v1", "azure"), ("v1", "auto")]
)
def test_the_deployment_writes_the_answer(shop, serve, form, provider):
    server = serve(GOOD_TEXT)
    done = shop("ask", QUESTION, **at(server, form, RAGQA_PROVIDER=provider))
    answer = done.json
    assert (done.code, answer["chain"], answer["status"]) == (0, "stuff", "answered")
    assert answer["response"] == GOOD
    assert (answer["usage"]["calls"], len(server.requests)) == (1, 1)
    assert KEY not in done.out + done.err


def test_azure_comes_before_openai_and_takes_nothing_of_it(shop, serve):
    server = serve(GOOD_TEXT)
    openai = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "RAGQA_CHAT_MODEL": "other"}
    done = shop("ask", QUESTION, **at(server), **openai, **PLANTED)
    assert done.json["status"] == "answered"
    assert server.keys_seen == {KEY}
    assert "planted" not in str([item.headers for item in server.requests])


@pytest.mark.parametrize("form", ["deployment", "v1"])
def test_vectors_come_from_the_embedding_deployment(shell, serve, form):
    shell.write({"docs/a.md": "A kettle can be returned within 30 days of delivery."})
    server = serve(always=json.dumps(GOOD | {"sources": ["a.md"]}))
    environ = at(server, form, AZURE_OPENAI_EMBEDDING_DEPLOYMENT="embed")
    assert shell("index", "docs", **environ).code == 0
    done = shell("ask", QUESTION, **environ)
    assert (done.code, done.json["status"]) == (0, "answered")
    assert done.json["passages"][0]["score_kind"] == "fused"
    paths = [item.path.partition("?")[0] for item in server.requests]
    assert [path.endswith("/embeddings") for path in paths] == [True, True, False]
    assert server.keys_seen == {KEY}


def test_prices_and_the_fallback_are_looked_up_by_deployment(own, serve):
    own.write(
        {
            "ragqa.toml": 'fallback_model = "second"\n'
            "[prices.second]\nprompt = 1.0\ncompletion = 2.0\n"
        }
    )
    declines = Reply(refusal="I cannot help with that.")
    server = serve(declines, GOOD_TEXT, deployments={"gpt": "gpt-4o", "second": "gpt-4o-mini"})
    answer = own("ask", QUESTION, **at(server)).json
    assert answer["status"] in ("answered", "repaired")
    assert answer["usage"]["cost"] > 0
    assert [item.path.split("/")[3] for item in server.requests] == ["gpt", "second"]


@pytest.mark.parametrize(
    ("changes", "code", "named"),
    [
        ({"AZURE_OPENAI_API_KEY": "f" * 32}, 3, "AZURE_OPENAI_API_KEY"),
        ({"AZURE_OPENAI_CHAT_DEPLOYMENT": "gone"}, 3, "AZURE_OPENAI_CHAT_DEPLOYMENT"),
        ({"AZURE_OPENAI_CHAT_DEPLOYMENT": "embed"}, 3, "AZURE_OPENAI_CHAT_DEPLOYMENT"),
        ({"AZURE_OPENAI_API_VERSION": "2031-01-01"}, 2, "AZURE_OPENAI_API_VERSION"),
        ({"AZURE_OPENAI_API_KEY": None, **NO_IDENTITY}, 3, "AZURE_OPENAI_API_KEY"),
    ],
)
def test_a_wrong_setting_is_named(shop, serve, changes, code, named):
    server = serve(always=GOOD_TEXT)
    done = shop("ask", QUESTION, **{**at(server), **changes})
    assert (done.code, done.out) == (code, "")
    assert named in done.err
    assert "OPENAI_BASE_URL" not in done.err
    assert len(done.err.splitlines()) <= 3  # no list of everything that azure-identity tried
    assert KEY not in done.err


def test_a_wrong_path_is_a_wrong_endpoint(shop, serve):
    server = serve(always=GOOD_TEXT)
    done = shop("ask", QUESTION, **at(server, AZURE_OPENAI_ENDPOINT=f"{server.endpoint}/x"))
    assert (done.code, done.out) == (2, "")
    assert "AZURE_OPENAI_ENDPOINT" in done.err


def test_a_filtered_prompt_ends_in_a_degraded_answer_without_a_second_call(shop, serve):
    server = serve(always=Reply(status=400, body=prompt_filtered()))
    done = shop("ask", QUESTION, **at(server))
    assert (done.code, done.json["status"], done.json["reason"]) == (
        0, "degraded", "content_filter",
    )  # fmt: skip
    assert len(server.requests) == 1


@pytest.mark.parametrize("key", [{"AZURE_OPENAI_API_KEY": KEY}, {}])
@pytest.mark.parametrize("file", [".env", "ragqa.toml"])
def test_no_secret_goes_where_a_file_of_the_folder_says(own, key, file):
    url = "https://collector.example.com"
    text = {
        ".env": f"AZURE_OPENAI_ENDPOINT={url}\n",
        "ragqa.toml": f'[azure_openai]\nendpoint = "{url}"\n',
    }
    own.write({file: text[file]})
    for command in (("ask", QUESTION), ("doctor",)):
        done = own(*command, AZURE_OPENAI_CHAT_DEPLOYMENT="gpt", **key)
        assert done.code == 2
        assert "AZURE_OPENAI_ENDPOINT comes from a file" in done.out + done.err
        assert KEY not in done.out + done.err


@pytest.mark.parametrize("form", ["deployment", "v1"])
def test_the_doctor_looks_at_the_deployment(shop, serve, form):
    server = serve(always=GOOD_TEXT)
    done = shop("doctor", **at(server, form))
    checks = {check["name"]: check for check in done.json["checks"]}
    assert (done.code, checks["model"]["status"]) == (0, "ok")
    assert "gpt" in checks["model"]["detail"]
    assert ("v1 form" if form == "v1" else "2024-10-21") in checks["model"]["detail"]
    assert checks["trial question"]["detail"].startswith("stuff: ")
    assert checks["trial question"]["detail"].endswith("format by json_schema")
    assert KEY not in done.out + done.err


def test_the_doctor_says_which_format_the_deployment_takes(own, serve):
    server = serve(always=GOOD_TEXT)
    done = own("doctor", **at(server, AZURE_OPENAI_API_VERSION="2024-06-01"))
    checks = {check["name"]: check for check in done.json["checks"]}
    assert checks["trial question"]["detail"].endswith("format by function_calling")


def test_the_doctor_names_a_deployment_that_is_not_there(shop, serve):
    server = serve(always=GOOD_TEXT)
    done = shop("doctor", **at(server, AZURE_OPENAI_CHAT_DEPLOYMENT="gone"))
    assert done.code == 3
    assert "AZURE_OPENAI_CHAT_DEPLOYMENT" in done.out


ECHO = Reply(status=400, body={"error": {"code": "BadRequest", "message": f"{KEY} is no good"}})
SITUATIONS = {
    "good": {"always": GOOD_TEXT},
    "wrong key": {"always": GOOD_TEXT, "key": "another"},
    "echoed key": {"always": ECHO},
    "page": {"always": Reply(status=502, body=f"<html>{KEY}</html>")},
    "filtered": {"always": Reply(status=400, body=prompt_filtered())},
    "busy": {"always": GOOD_TEXT, "quota": 0, "retry_after_ms": 10},
    "nonsense": {"always": "garbage"},
}


@pytest.mark.parametrize("situation", SITUATIONS)
def test_no_secret_is_written_anywhere(own, serve, situation):
    server = serve(**SITUATIONS[situation])
    environ = at(server, RAGQA_DEBUG="1", RAGQA_TIMEOUT_S="5", **PLANTED)
    commands = [("ask", QUESTION, "--stream")]
    if situation in ("good", "echoed key"):
        commands += [("doctor",), ("ask", QUESTION)]
    written = ""
    for command in commands:
        done = own.start(*command, env=environ, stdout=PIPE, stderr=PIPE, stdin=DEVNULL)
        out, err = done.communicate(timeout=60)
        written += (out + err).decode()
    files = [path for path in own.folder.rglob("*") if path.is_file()]
    written += "".join(path.read_bytes().decode("latin-1") for path in files)
    for secret in (KEY, *PLANTED.values()):
        assert secret not in written
    assert len(server.requests) >= len(commands)
    assert "planted" not in str([(item.headers, item.body) for item in server.requests])
