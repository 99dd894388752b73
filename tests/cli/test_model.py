"""The same commands where an OpenAI-compatible model is configured, over real HTTP."""

import json

import pytest

from tests.cli.kettle import GOOD, INVENTED, QUESTION, at
from tests.cli.screen import run_on_screen
from tests.wire.openai_replies import Reply
from tests.wire.openai_server import OpenAIServer

KEY = "sk-test-0123456789abcdef"


def reply(**changes):
    return json.dumps(GOOD | changes)


def test_the_model_writes_the_answer(shop, serve):
    server = serve(reply())
    done = shop("ask", QUESTION, **at(server, OPENAI_API_KEY=KEY))
    answer = done.json
    assert (done.code, answer["chain"], answer["status"]) == (0, "stuff", "answered")
    assert answer["response"] == GOOD
    assert answer["usage"]["calls"] == 1
    assert KEY not in done.out + done.err


def test_an_invented_figure_is_mended_by_one_more_call(shop, serve):
    server = serve(INVENTED, reply())
    answer = shop("ask", QUESTION, **at(server)).json
    assert answer["status"] == "repaired"
    assert [attempt["verdict"] for attempt in answer["attempts"]] == ["rejected", "accepted"]
    assert "45 days" not in json.dumps(answer["response"])


def test_a_model_that_writes_nonsense_ends_in_a_valid_degraded_answer(shop, serve):
    done = shop("ask", QUESTION, **at(serve("garbage", "garbage")))
    assert (done.code, done.json["status"]) == (0, "degraded")
    assert done.json["response"]["needs_human"] is True


def test_the_same_as_an_error_where_that_is_asked_for(shop, serve):
    done = shop("ask", QUESTION, **at(serve("garbage", "garbage"), RAGQA_RAISE_DEGRADED="1"))
    assert (done.code, done.out) == (5, "")
    assert "invalid_output" in done.err


def test_quotations_where_that_is_asked_for(shop, serve):
    environ = at(serve("garbage", "garbage"), RAGQA_FALLBACK="extractive")
    answer = shop("ask", QUESTION, **environ).json
    assert (answer["chain"], answer["reason"]) == ("extractive", "invalid_output")
    assert "30 days" in answer["response"]["answer"]


def test_a_service_that_is_away_costs_no_answer(shop):
    environ = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "RAGQA_CHAT_MODEL": "m"}
    done = shop("ask", QUESTION, **environ)
    assert (done.code, done.json["reason"]) == (0, "model_unavailable")


@pytest.mark.parametrize("stream", [[], ["--stream"]])
def test_a_refused_key_is_an_error_that_names_the_setting(shop, serve, stream):
    server = serve(key="another-key", always=reply())
    done = shop("ask", QUESTION, *stream, **at(server, OPENAI_API_KEY=KEY))
    assert (done.code, done.out) == (3, "")
    assert "OPENAI_API_KEY" in done.err
    assert KEY not in done.err


def test_nothing_is_asked_where_there_are_no_documents(shell, serve):
    server = serve(always=reply())
    for chain in ("stuff", "two_stage"):
        done = shell("ask", QUESTION, "--chain", chain, **at(server))
        assert (done.code, done.out) == (4, "")
        assert "ragqa index" in done.err
    assert not server.requests


def test_a_model_that_is_not_there_is_named(shop, serve):
    done = shop("ask", QUESTION, **at(serve(models=["other"], always=reply())))
    assert done.out == ""
    assert done.code in (2, 3)
    assert "RAGQA_CHAT_MODEL" in done.err


def test_embeddings_that_always_fail_end_with_an_error(shell, serve):
    class Failing(OpenAIServer):
        async def _handle(self, exchange):
            body = b'{"error": {"message": "The server had an error", "type": "server_error"}}'
            exchange.respond(500, {"content-type": "application/json"}, body)

    shell.write({"docs/a.md": "Delivery takes 3 days."})
    with Failing([]) as server:
        environ = at(server, RAGQA_EMBEDDING_MODEL="e", RAGQA_TIMEOUT_S="5")
        for command in (["index", "docs"], ["ask", "How long is delivery?", "--docs", "docs"]):
            done = shell(*command, **environ)
            assert done.code in (3, 4)
            assert done.out == ""
            assert done.err


def test_another_embedding_model_asks_for_indexing_anew(shell, serve):
    shell.write({"docs/a.md": "Delivery takes 3 days."})
    server = serve(always=reply())
    assert shell("index", "docs", **at(server, RAGQA_EMBEDDING_MODEL="e")).code == 0
    assert shell("search", "delivery", **at(server, RAGQA_EMBEDDING_MODEL="e")).code == 0
    done = shell("search", "delivery", **at(server, RAGQA_EMBEDDING_MODEL="f"))
    assert done.code in (2, 4)
    assert done.out == ""
    assert "ragqa index" in done.err


def test_streaming_shows_withdraws_and_ends_with_the_answer(shop, serve):
    done = shop("ask", QUESTION, "--stream", **at(serve(INVENTED, reply())))
    events = [json.loads(line) for line in done.out.splitlines()]
    kinds = [event["event"] for event in events]
    assert kinds.count("withdrawn") == 1
    assert kinds[-1] == "answer"
    last_withdrawal = kinds.index("withdrawn")
    text = "".join(event["text"] for event in events[last_withdrawal + 1 : -1])
    assert text == events[-1]["response"]["answer"] == GOOD["answer"]


def test_a_person_sees_that_text_was_withdrawn(shop, serve):
    environ = at(serve(INVENTED, reply()))
    code, shown = run_on_screen(shop, "ask", QUESTION, "--stream", NO_COLOR="1", **environ)
    assert code == 0
    assert "45 days" in shown
    assert "The text above is withdrawn" in shown
    assert GOOD["answer"] in shown.partition("withdrawn")[2]
    assert "quotation" not in shown


def test_the_price_table_tells_the_cost(shell, serve):
    prices = "[prices.m]\nprompt = 1000000\ncompletion = 0\n"
    shell.write({"docs/a.md": "A kettle can be returned within 30 days of delivery.",
                 "ragqa.toml": prices})  # fmt: skip
    environ = at(serve(reply(sources=["a.md"])))
    usage = shell("ask", QUESTION, "--docs", "docs", **environ).json["usage"]
    assert usage["cost"] == pytest.approx(usage["prompt_tokens"])


def test_many_questions_are_bounded(shop, serve, tmp_path):
    source, target = tmp_path / "q.jsonl", tmp_path / "a.jsonl"
    source.write_text("".join(json.dumps(f"{QUESTION} {n}") + "\n" for n in range(12)))
    server = serve(always=Reply(reply(), delay_s=0.1))
    environ = at(server, RAGQA_CONCURRENCY="3", RAGQA_TIMEOUT_S="60")
    done = shop("ask", "--file", str(source), "--out", str(target), **environ)
    assert done.code == 0
    assert 2 <= server.http.most_at_once <= 3
    rows = [json.loads(line) for line in target.read_text().splitlines()]
    assert [row["id"] for row in rows] == list(range(1, 13))
    assert all(row["response"] == GOOD for row in rows)


def test_a_refused_key_ends_many_questions_at_once(shop, serve, tmp_path):
    source, target = tmp_path / "q.jsonl", tmp_path / "a.jsonl"
    source.write_text("".join(json.dumps(f"{QUESTION} {n}") + "\n" for n in range(50)))
    server = serve(key="another-key", always=reply())
    done = shop(
        "ask", "--file", str(source), "--out", str(target), **at(server, OPENAI_API_KEY=KEY)
    )
    assert done.code == 3
    assert len(server.chats) < 20
    assert target.read_text() == ""


def test_the_doctor_tries_the_model(shop, serve):
    done = shop("doctor", **at(serve(always=reply())))
    checks = {check["name"]: check for check in done.json["checks"]}
    assert checks["model"]["status"] == "ok"
    assert "stuff" in checks["trial question"]["detail"]
