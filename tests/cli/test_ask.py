"""``ragqa ask`` as people and programs see it, without any model."""

import json

import pytest

from ragqa.contract import Answer, QAResponse
from tests.cli.conftest import DOCUMENTS
from tests.cli.screen import run_on_screen

KETTLE = "How long do I have to return a kettle?"
FIELDS = {
    "response", "status", "reason", "chain", "citations", "attempts", "tools", "passages", "usage",
    "timings_ms", "run_id", "session_id",
}  # fmt: skip


def test_a_pipe_gets_one_json_object_that_is_an_answer(shop):
    done = shop("ask", KETTLE)
    answer = done.json
    assert done.code == 0
    assert set(answer) == FIELDS
    assert "30 days" in answer["response"]["answer"]
    assert answer["response"]["sources"] == ["returns.md"]
    assert (answer["chain"], answer["status"]) == ("extractive", "answered")
    response = QAResponse.model_validate_json(json.dumps(answer["response"]), strict=True)
    assert Answer.model_validate(answer | {"response": response, "passages": ()})


def test_json_says_the_same_as_the_pipe(shop):
    changing = ("run_id", "timings_ms")
    answers = [shop("ask", KETTLE, *flag).json for flag in ([], ["--json"])]
    for answer in answers:
        for name in changing:
            del answer[name]
    assert answers[0] == answers[1]


def test_every_quote_is_the_exact_slice_of_its_document(shop):
    (citation,) = shop("ask", KETTLE).json["citations"][:1]
    text = DOCUMENTS[citation["title"]]
    assert text[citation["start"] : citation["end"]] == citation["quote"]


def test_a_person_gets_text_with_sources_and_is_told_that_it_is_a_quotation(shop):
    code, shown = run_on_screen(shop, "ask", KETTLE, NO_COLOR="1")
    assert code == 0
    lines = shown.splitlines()
    assert "30 days" in lines[0]
    assert "[1] returns.md" in shown
    assert "“A kettle can be returned within 30 days of delivery.”" in shown
    said = " ".join(shown.split())
    assert "This is a quotation from the documents, not a written answer" in said
    assert "no model is configured" in said
    with pytest.raises(ValueError, match="Expecting"):
        json.loads(shown)


@pytest.mark.parametrize(
    ("question", "lang"), [("多少天内可以退货？", "C.UTF-8"), (KETTLE, "zh_CN.UTF-8")]
)
def test_chinese_questions_and_locales_get_chinese_around_the_answer(shop, question, lang):
    code, shown = run_on_screen(shop, "ask", question, NO_COLOR="1", LANG=lang)
    assert code == 0
    assert "来源" in shown
    assert "并非撰写的回答" in "".join(shown.split())


def test_what_the_documents_do_not_hold_is_said_to_be_missing(shop):
    done = shop("ask", "Who won the chess championship in 1972?")
    answer = done.json
    assert done.code == 0
    assert (answer["status"], answer["reason"]) == ("abstained", "no_evidence")
    assert answer["response"]["sources"] == []
    assert answer["response"]["needs_human"] is True
    _, shown = run_on_screen(shop, "ask", "Who won the chess championship in 1972?")
    assert "do not hold an answer" in " ".join(shown.split())


def test_documents_named_with_the_question_are_indexed_first(shell):
    shell.write({"docs/a.md": "# Delivery\n\nDelivery takes 3 days."})
    done = shell("ask", "How long does delivery take?", "--docs", "docs")
    assert "3 days" in done.json["response"]["answer"]
    shell.write({"docs/a.md": "# Delivery\n\nDelivery takes 7 days."})
    done = shell("ask", "--docs", "docs", "--", "How long does delivery take?")
    assert "7 days" in done.json["response"]["answer"]
    done = shell("ask", "--docs", "docs", "How long does delivery take?")
    assert "7 days" in done.json["response"]["answer"]


def test_documents_can_be_named_by_a_setting(shell):
    shell.write({"docs/a.md": "Delivery takes 3 days.", "more/b.md": "Lamps cost 5 euros."})
    done = shell("ask", "What do lamps cost?", RAGQA_DOCS="docs, more")
    assert "5 euros" in done.json["response"]["answer"]


def test_skipped_documents_are_named_beside_the_answer(shell):
    shell.write({"docs/a.md": "Delivery takes 3 days.", "docs/empty.txt": ""})
    done = shell("ask", "How long does delivery take?", "--docs", "docs")
    assert done.code == 0
    assert "empty.txt" in done.err
    assert done.json["response"]["answer"]


def test_a_question_from_standard_input(shop):
    for raw in (KETTLE, f"\ufeff{KETTLE}\r\n"):
        done = shop("ask", "-", stdin=raw.encode())
        assert "30 days" in done.json["response"]["answer"]


@pytest.mark.parametrize("raw", [b"", b"  \n", "\u200b\n".encode(), b"why " * 2000])
def test_a_question_from_standard_input_that_is_none(shop, raw):
    done = shop("ask", "-", stdin=raw)
    assert (done.code, done.out) == (2, "")


def test_groups_decide_what_is_seen(shop):
    question = "What do staff pay for a kettle?"
    assert "12 euros" not in shop("ask", question).out
    assert "12 euros" in shop("ask", question, "--group", "staff").json["response"]["answer"]
    assert "12 euros" in shop("ask", "--group", "sales", "staff", "--json", "--", question).out


def test_a_session_is_named_in_the_answer(shop):
    assert shop("ask", KETTLE, "--session", "s1").json["session_id"] == "s1"


def test_streaming_ends_with_the_answer(shop):
    done = shop("ask", KETTLE, "--stream", "--json")
    events = [json.loads(line) for line in done.out.splitlines()]
    assert [event["event"] for event in events][-1] == "answer"
    answer = events[-1]
    assert set(answer) == FIELDS | {"event"}
    text = "".join(event["text"] for event in events[:-1])
    assert text == answer["response"]["answer"]


def test_streaming_to_a_person_shows_the_answer_once(shop):
    code, shown = run_on_screen(shop, "ask", KETTLE, "--stream", NO_COLOR="1")
    assert code == 0
    assert shown.count("A kettle can be returned within 30 days of delivery.") == 2  # and its quote
    assert "Sources" in shown


def test_the_state_folder_is_private_and_ignored_by_git(shop):
    home = shop.folder / ".ragqa"
    assert home.stat().st_mode & 0o777 == 0o700
    assert (home / ".gitignore").read_text() == "*\n"


def test_a_folder_that_was_there_before_is_left_as_it_is(shell):
    shell.write({"docs/a.md": "Delivery takes 3 days.", "home/mine.txt": "x"})
    home = shell.folder / "home"
    home.chmod(0o755)
    assert shell("ask", "How long is delivery?", "--docs", "docs", RAGQA_HOME="home").code == 0
    assert home.stat().st_mode & 0o777 == 0o755
    assert not (home / ".gitignore").exists()
