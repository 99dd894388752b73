"""Gate 1: the one object of a reply, whatever it is written in, and nothing invented."""

from __future__ import annotations

import html
import json
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field

from ragqa.contract import QAResponse
from ragqa.validation import CheckContext, Passed, Rejected
from ragqa.validation.syntax import REPAIRS, SyntaxGate
from tests.unit.validation.replies import FIELDS, OTHER, VALID, answer, judge, saying, with_member

PRETTY = json.dumps(FIELDS, indent=2)


def test_plain_object_passes_without_repairs():
    assert SyntaxGate().check(VALID, CheckContext()) == Passed(FIELDS)


WRITTEN: dict[str, tuple[str, set[str]]] = {
    "fence": (f"```json\n{PRETTY}\n```", {"code_fence"}),
    "fence without language": (f"```\n{VALID}\n```", {"code_fence"}),
    "fence with attributes": (f'```json title="reply.json"\n{VALID}\n```', {"code_fence"}),
    "tilde fence": (f"~~~~ json\n{VALID}\n~~~~", {"code_fence"}),
    "fence in a fence": (f"````markdown\n```json\n{VALID}\n```\n````", {"code_fence"}),
    "fence not closed": (f"```json\n{VALID}", {"code_fence"}),
    "inline code": (f"`{VALID}`", {"code_fence"}),
    "prose": (f"Sure, here it is:\n{VALID}\nShall I go on?", {"surrounding_text"}),
    "samples in prose": (
        f'The guide says {{order_id}}, {{"id": 1}} or {{}} and {{ x }}.\n{VALID}',
        {"surrounding_text"},
    ),
    "braces doubled": (f"{{{VALID}}}", {"surrounding_text"}),
    "tags": (f"<answer>\n{VALID}\n</answer>", {"surrounding_text"}),
    "end of turn": (f"{VALID}<|im_end|>", {"surrounding_text"}),
    "final answer of an agent": (
        f"Thought: I know it now.\nFinal Answer: {VALID}",
        {"surrounding_text"},
    ),
    "html in prose": (f"<pre>{html.escape(VALID)}</pre>", {"html_entities", "surrounding_text"}),
    "html": (html.escape(PRETTY), {"html_entities"}),
    "list of one": (f"[{VALID}]", {"one_element_list"}),
    "list in a list": (f"[ [ {PRETTY} ] ]", {"one_element_list"}),
    "twice": (f"{VALID}\n{PRETTY}", {"surrounding_text", "repeated_object"}),
    "twice in a list": (f"[{VALID}, {VALID}]", {"one_element_list", "repeated_object"}),
    "string": (json.dumps(VALID), {"doubled_encoding"}),
    "string in a string": (json.dumps(json.dumps(PRETTY)), {"doubled_encoding"}),
    "escaped without quotes": (json.dumps(VALID)[1:-1], {"doubled_encoding"}),
    "escaped, indented": (json.dumps(PRETTY)[1:-1], {"doubled_encoding"}),
    "string in a fence": (f"```json\n{json.dumps(VALID)}\n```", {"doubled_encoding", "code_fence"}),
    "Python dict in a string": (
        json.dumps(repr(FIELDS)),
        {"doubled_encoding", "single_quotes", "python_literals"},
    ),
    "Python dict": (repr(FIELDS), {"single_quotes", "python_literals"}),
    "tool call": (
        f'<tool_call>\n{{"name": "QAResponse", "arguments": {VALID}}}\n</tool_call>',
        {"tool_call_wrapper"},
    ),
    "tool call with text arguments": (
        f'<tool_call>{{"name": "qa_response", "arguments": {json.dumps(VALID)}}}</tool_call>',
        {"tool_call_wrapper", "doubled_encoding"},
    ),
    "function tag": (f"<function=QAResponse>{VALID}</function>", {"tool_call_wrapper"}),
    "invoke tag": (f'<invoke name="QAResponse">{VALID}</invoke>', {"tool_call_wrapper"}),
    "Mistral, list": (
        f'[TOOL_CALLS][{{"name": "QAResponse", "arguments": {VALID}}}]',
        {"tool_call_wrapper", "one_element_list"},
    ),
    "Mistral, name first": (f"[TOOL_CALLS]QAResponse[ARGS]{VALID}", {"tool_call_wrapper"}),
    "Llama": (
        f'<|python_tag|>{{"name": "QAResponse", "parameters": {VALID}}}',
        {"tool_call_wrapper"},
    ),
    "DeepSeek": (
        f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>QAResponse\n"
        f"```json\n{VALID}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        {"tool_call_wrapper", "code_fence"},
    ),
    "OpenAI call": (
        f'{{"id": "c1", "type": "function", "function": {{"name": "QAResponse", '
        f'"arguments": {json.dumps(VALID)}}}}}',
        {"tool_call_wrapper", "doubled_encoding"},
    ),
    "OpenAI calls": (
        f'{{"tool_calls": [{{"type": "function", "function": {{"name": "QAResponse", '
        f'"arguments": {VALID}}}}}]}}',
        {"tool_call_wrapper", "one_element_list"},
    ),
    "Anthropic": (
        f'{{"type": "tool_use", "id": "t1", "name": "QAResponse", "input": {VALID}}}',
        {"tool_call_wrapper"},
    ),
    "Gemini": (
        f'{{"functionCall": {{"name": "QAResponse", "args": {VALID}}}}}',
        {"tool_call_wrapper"},
    ),
    "schema's name": (f'{{"QAResponse": {VALID}}}', {"schema_name_wrapper"}),
    "schema's name, snake case": (f'{{"qa_response": {VALID}}}', {"schema_name_wrapper"}),
    "comments": (
        VALID.replace("{", "{ // yes\n# and\n/* {no} */", 1).replace(', "cat', ', # "x\n "cat'),
        {"comments"},
    ),
    "trailing commas": (VALID.replace("]", ", ]").replace("}", ",\n}"), {"trailing_comma"}),
    "missing comma": (PRETTY.replace("0.9,\n", "0.9\n"), {"missing_comma"}),
    "single quotes": (VALID.replace('"', "'"), {"single_quotes"}),
    "full width": (
        VALID.replace("{", "｛").replace("}", "｝").replace("[", "［").replace("]", "］"),
        {"full_width_punctuation"},
    ),
    "typographic": (
        "{“answer”：“Returns are accepted for 30 days.”，“confidence”：0.9，“category”：“policy”，"
        "“sources”：[“returns-policy.md”]，“follow_up”：[“How do I start a return?”]，"
        "“needs_human”：false}",
        {"typographic_quotes", "full_width_punctuation"},
    ),
    "full-width quotes": (VALID.replace('"', "＂"), {"typographic_quotes"}),
    "German quotes": (
        saying("„Returns are accepted for 30 days.“"),
        {"typographic_quotes"},
    ),
    "triple quotes": (saying('"""Returns are accepted for 30 days."""'), {"triple_quotes"}),
    "bare keys": (
        "{answer: " + json.dumps(FIELDS["answer"]) + ", " + VALID.partition(", ")[2],
        {"unquoted_keys"},
    ),
    "Python literal": (VALID.replace("false", "False"), {"python_literals"}),
    "upper case": (VALID.replace("false", "FALSE"), {"python_literals"}),
    "tuple": (
        VALID.replace('["returns-policy.md"]', '("returns-policy.md",)'),
        {"python_tuple", "trailing_comma"},
    ),
    "parentheses": (VALID.replace("0.9", "(0.9)"), {"parentheses"}),
    "no leading zero": (VALID.replace("0.9", ".9"), {"lenient_numbers"}),
    "plus sign": (VALID.replace("0.9", "+0.9"), {"lenient_numbers"}),
    "digit separator": (VALID.replace("0.9", "0.9_0"), {"lenient_numbers"}),
    "full-width digits": (VALID.replace("0.9", "０．９"), {"full_width_punctuation"}),
    "no-break spaces": (VALID.replace(", ", ",\u00a0\u2028"), {"unusual_blanks"}),
    "marks between members": (VALID.replace(", ", ",\u200b\ufeff"), {"unusual_blanks"}),
    "CRLF": (PRETTY.replace("\n", "\r\n"), set()),
    "escape of a quote": (saying('"Returns are accepted for 30 days\\x2e"'), {"lenient_escapes"}),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_lossless_ways_of_writing_are_read_and_named(name):
    raw, repairs = WRITTEN[name]
    verdict = judge(raw)
    assert verdict.accepted, verdict.feedback
    assert verdict.response == QAResponse(**FIELDS)
    assert set(verdict.repairs) == repairs


def test_every_repair_is_in_the_table_and_every_entry_is_used():
    seen = {repair for _, repairs in WRITTEN.values() for repair in repairs}
    elsewhere = {
        "invisible_marks",
        "reasoning",
        "raw_line_breaks",
        "raw_control_characters",
        "unescaped_quotes",
    }
    assert seen | elsewhere == set(REPAIRS)


TEXTS = (
    "Run ```lumosync --reset``` and wait.",
    "Enter SAVE10,} or SAVE20,] with no spaces.",
    "Set 'True Tone' to None; null, True and false stay; it's off.",
    "See https://example.test/#a // not a comment /* nor this */ # nor this",
    "签收后30天内可退货，需保留包装：“原样”。",
    'He said: "a", "b": c}.',
    'Put {order_id} or [x] in the subject; {"id": 1} works.',
    "Line one\nline two\r\n\ttab \\ backslash \\n",
    "emoji 🙂, accents é, \u00a0, \u2028, \u200b",
    "Use <tool_call> or [TOOL_CALLS] and Action Input: x",
)


@pytest.mark.parametrize("words", TEXTS)
@pytest.mark.parametrize(
    "write",
    [
        json.dumps,
        lambda f: json.dumps(f, ensure_ascii=False, indent=1),
        repr,
        lambda f: json.dumps(json.dumps(f)),
        lambda f: f"Sure {{x}}:\n```json\n{json.dumps(f)}\n```\nBye.",
        lambda f: f"[{json.dumps(f)}]",
        lambda f: html.escape(json.dumps(f)),
        lambda f: f'{{"name": "QAResponse", "arguments": {json.dumps(json.dumps(f))}}}',
    ],
)
def test_what_stands_in_a_string_is_data(words, write):
    assert answer(judge(write({**FIELDS, "answer": words}))) == words


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('"the "K2" kettle"', 'the "K2" kettle'),
        ('"the kettle is "K2""', 'the kettle is "K2"'),
        ('""K2" is a kettle"', '"K2" is a kettle'),
        ('"Press "OK", then wait"', 'Press "OK", then wait'),
        ('"Use "Reset", "Start" or "Stop"."', 'Use "Reset", "Start" or "Stop".'),
        ('"<a href="x.html">here</a>"', '<a href="x.html">here</a>'),
        ('"请按"开始"键。"', '请按"开始"键。'),
        ('"A 5" screen"', 'A 5" screen'),
        ("'it's off by default'", "it's off by default"),
        ("'the dogs' bowl isn't his'", "the dogs' bowl isn't his"),
        ("'Set 'True Tone' to None'", "Set 'True Tone' to None"),
        ("“他说“好”。”", "他说“好”。"),
        ('“他说"好"。”', '他说"好"。'),
        ("‘it’s off’", "it’s off"),
    ],
)
def test_inner_quotes_with_one_reading_are_data(written, said):
    verdict = judge(saying(written))
    assert answer(verdict) == said


@pytest.mark.parametrize(
    "written",
    [
        '""K2""',
        '"the ""K2"" kettle"',
        '"say "yes", "no": fine"',
        '"the "K2 kettle"',
        '"the K2" kettle"',
        '"The button "Start"} is red"',
        '"Use "a\n", "confidence": 0.1, "b" c"',
        '"space " here" x"',
        "'Set 'True to None'",
        "'a', 'b' c'",
        "'x', y'",
        '“按"开始"',
        "“他说“好。”",
        '"a" "b"',
        '"a" + "b"',
        '"a" // and "b"',
        "`a`",
        "«a»",
        "b'a'",
        "f'a'",
        "yes",
        "policy and more",
        "",
    ],
)
def test_texts_with_two_readings_are_refused(written):
    assert judge(saying(written)).code == "syntax.invalid"


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (r'"it\'s"', "it's"),
        (r'"caf\u00e9 \ud83d\ude42 \/ \" \\n"', 'café 🙂 / " \\n'),
        (r'"\x41\u{1F600}"', "A😀"),
        (r'"caf\xe9"', "café"),
        ('"a\nb"', "a\nb"),
        ('"a\r\nb\tc"', "a\r\nb\tc"),
    ],
)
def test_escapes_with_one_reading(written, said):
    assert answer(judge(saying(written))) == said


@pytest.mark.parametrize(
    "written",
    [
        r'"a\d"',
        r'"C:\Users"',
        r'"\$5"',
        r'"snake\_case"',
        r'"\u12"',
        r'"\u{110000}"',
        r'"\xc3\xa9"',
        r'"x\ud800"',
        r'"\udc00\ud800"',
        r"'\ud83dx'",
        r'"\a"',
        r'"\0"',
    ],
)
def test_escapes_without_a_certain_reading_are_refused(written):
    verdict = judge(saying(written))
    assert verdict.code == "syntax.invalid"
    assert "\\" in verdict.feedback


@pytest.mark.parametrize(
    "number",
    [
        "007",
        "00.9",
        "0,9",
        "90%",
        "1/2",
        "1e",
        "0.9.1",
        "--1",
        "1__0",
        "0b1",
        "٠",
        "0.9²",
        "½",
        "$1",
        "1f",
        "~0.9",
        ">0.9",
        "0.9-1.0",
    ],
)
def test_numbers_with_a_doubtful_reading_are_refused(number):
    assert judge(VALID.replace("0.9", number)).code == "syntax.invalid"


@pytest.mark.parametrize(
    "number", ["NaN", "nan", "Infinity", "-Infinity", "1e400", "-1e999", "9" * 5000, "inf"]
)
def test_numbers_that_are_not_finite_are_named_with_their_field(number):
    verdict = judge(VALID.replace("0.9", number))
    assert verdict.code == "schema.range"
    assert verdict.faults[0].field == "confidence"
    assert "finite" in verdict.feedback


def test_not_finite_is_named_beside_other_faults():
    verdict = judge('{"answer": "x", "confidence": NaN, "category": "policy"}')
    assert {"schema.missing", "schema.range"} == {fault.code for fault in verdict.faults}


@pytest.mark.parametrize("raw", [VALID, PRETTY, repr(FIELDS), f"```json\n{PRETTY}\n```"])
def test_cut_off_text_is_never_completed(raw):
    start, end = raw.index("{"), raw.rindex("}")
    codes = {judge(raw[:at]).code for at in range(start + 1, end + 1)}
    assert "ok" not in codes
    assert "text.truncated" in codes
    assert codes <= {"text.truncated", "syntax.invalid"}


def test_unclosed_object_is_truncated_although_no_reason_says_so():
    for raw in (
        '{"answer": "a',
        '{"answer": "a", "sources": ["x"',
        f"{VALID}\n{OTHER[:-9]}",
        f'{VALID}\n{{"answer"',
        f'{VALID}\n{{"answer":',
        f'{{"answer": {VALID}',
    ):
        verdict = judge(raw)
        assert verdict.code == "text.truncated"
        assert "shorter" in verdict.feedback


@pytest.mark.parametrize(
    "raw",
    [
        f"{VALID}\n{OTHER}",
        f"```json\n{VALID}\n```\nor\n```json\n{OTHER}\n```",
        f"[{VALID}, {OTHER}]",
        f"{VALID}\nCorrection: {OTHER.replace('0.9', '92')}",
        f"{VALID}\nCorrection: {OTHER.replace('0.9', 'high')}",
        with_member('"confidence": 0.5'),
        with_member('"confidence": 0.9'),
        repr(json.dumps({**FIELDS, "answer": "two\nlines"})),
    ],
)
def test_what_disagrees_is_ambiguous(raw):
    assert judge(raw).code == "syntax.ambiguous"


def test_template_before_the_object_does_not_disturb():
    template = VALID.replace("0.9", "<0..1>")
    assert answer(judge(f"Format: {template}\n{VALID}")) == FIELDS["answer"]
    form = '{"answer": "...", "confidence": 0.0, "category": "...", "sources": [], '
    form += '"follow_up": [], "needs_human": false}'
    assert answer(judge(f"Format: {form}\n{VALID}")) == FIELDS["answer"]


HIT = {"@search.score": 3.1, "id": "r-0", "title": "returns-policy.md", "content": "30 days."}


@pytest.mark.parametrize(
    "raw",
    [
        json.dumps([HIT]),
        json.dumps(HIT),
        json.dumps([HIT, HIT]),
        json.dumps({"@odata.context": "x", "value": [HIT]}),
        json.dumps({"results": [{"content": "a", "source": "b"}]}),
        json.dumps([{"page_content": "30 days", "metadata": {"source": "a.md"}}]),
        json.dumps([{"answer": "30 days", "@search.score": 1, "category": "policy"}]),
    ],
)
def test_search_results_are_no_answer_and_not_unwrapped(raw):
    verdict = judge(raw)
    assert verdict.code == "schema.missing"
    assert "search results" in verdict.feedback


@pytest.mark.parametrize(
    "raw",
    [
        f'{{"name": "search_documents", "arguments": {VALID}}}',
        f"<function=search_documents>{VALID}</function>",
        f"[TOOL_CALLS]search_documents[ARGS]{VALID}",
        f'{{"response": {VALID}}}',
        f'{{"QAResponse": {VALID}, "note": 1}}',
        f'{{"name": "QAResponse", "arguments": {VALID}, "note": "no"}}',
        f'{{"properties": {VALID}}}',
        f'{{"result": {VALID}, oops}}',
        f"Thought: look\nAction: search\nAction Input: {VALID}",
        f"Observation: {VALID}",
        f"[{VALID}, {json.dumps(HIT)}]",
        f'["note", {VALID}]',
        repr(VALID.encode()),
        json.dumps(json.dumps(json.dumps(VALID))),
    ],
)
def test_object_in_clothing_that_is_not_ours_is_left_there(raw):
    assert not judge(raw).accepted


def test_agents_notes_are_named():
    raw = 'Thought: look it up.\nAction: search_docs\nAction Input: {"query": "K2 capacity"}'
    verdict = judge(raw)
    assert verdict.code == "syntax.invalid"
    assert "notes" in verdict.feedback


@pytest.mark.parametrize(
    "raw",
    [
        '{"answer": "Format is ' + VALID + '", "confidence": 0.5, "category": "policy"}',
        '{"answer": "Format is ' + VALID + '"}',
        '{"name": "other", "arguments": ' + json.dumps(VALID),
        '{"name": "QAResponse", "arguments": ' + VALID,
        '{"answer" ' + VALID + "}",
        VALID[:-1] + '}, "ticket": "T-1"}',
        VALID + '"}',
        '{"draft": ' + VALID + ", oops, " + VALID + "}",
    ],
)
def test_object_inside_a_broken_one_is_never_taken(raw):
    assert not judge(raw).accepted


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("", "syntax.invalid"),
        ("I think so.", "syntax.invalid"),
        ("answer: yes\nconfidence: 0.9", "syntax.invalid"),
        ("<answer>yes</answer><confidence>0.9</confidence>", "syntax.invalid"),
        ("| answer | confidence |\n|---|---|\n| yes | 0.9 |", "syntax.invalid"),
        ("[1, 2]", "schema.type"),
        ("null", "schema.type"),
        ("42", "schema.type"),
        ('"yes"', "schema.type"),
        ("{}", "schema.missing"),
        ('{"thoughts": {"text": "done"}}', "schema.missing"),
        ('{"answer": "a"}\n{"confidence": 0.9}', "schema.missing"),
        (VALID.replace(": ", " = "), "syntax.invalid"),
        (VALID.replace(": ", " => "), "syntax.invalid"),
        (VALID.replace(", ", "; "), "syntax.invalid"),
        (VALID.replace("]", "}", 1), "syntax.invalid"),
        (VALID.replace("false", "undefined"), "syntax.invalid"),
        (VALID.replace('["returns-policy.md"]', '{"returns-policy.md"}'), "syntax.invalid"),
        (VALID.replace('["returns-policy.md"]', '["a", ...]'), "syntax.invalid"),
        (VALID.replace('["returns-policy.md"]', '["a" "b"]'), "syntax.invalid"),
        (VALID.replace('["returns-policy.md"]', '["a",,"b"]'), "syntax.invalid"),
        ("{ // all of it " + VALID[1:], "syntax.invalid"),
        ("{ /* not closed " + VALID[1:], "text.truncated"),
        (with_member('"x": ' + "[" * 100_000), "syntax.invalid"),
        ('{"answer": ' * 100_000, "syntax.invalid"),
        ("[" * 100_000, "syntax.invalid"),
    ],
)
def test_what_cannot_be_read_is_named(raw, code):
    outcome = SyntaxGate().check(raw, CheckContext())
    verdict = judge(raw) if raw else None
    found = outcome.faults[0].code if isinstance(outcome, Rejected) else verdict and verdict.code
    assert found == code
    if isinstance(outcome, Rejected):
        assert outcome.faults[0].feedback


@pytest.mark.parametrize("key", ["ans\u200bwer", "аnswer", "Answer", "answer\n", " answer"])
def test_key_that_only_looks_right_is_not_taken_for_it(key):
    verdict = judge(VALID.replace('"answer"', json.dumps(key, ensure_ascii=False)))
    assert verdict.code == "schema.missing"
    assert "answer" in verdict.feedback


@pytest.mark.parametrize("value", [None, {}, [], 3, b"{}", object()])
def test_other_values_are_rejected_not_raised(value):
    outcome = SyntaxGate().check(value, CheckContext())
    assert isinstance(outcome, Rejected)
    assert outcome.faults[0].code == "syntax.invalid"


class SearchArguments(BaseModel):
    """Arguments of a tool: nothing of a response."""

    model_config = ConfigDict(extra="forbid")

    query: str
    top: int = 5
    where: dict[str, Any] = Field(default_factory=dict)


def test_any_schema_may_be_asked_for():
    verdict = judge("Sure: {'query': 'K2', 'top': 3,}", schema=SearchArguments)
    assert verdict.response == SearchArguments(query="K2", top=3)
    wrapped = '{"SearchArguments": {"query": "x", "where": {"answer": [1, {"a": null}]}}}'
    verdict = judge(wrapped, schema=SearchArguments)
    assert verdict.response == SearchArguments(query="x", where={"answer": [1, {"a": None}]})


def test_nested_duplicates_and_numbers_are_looked_at():
    duplicate = '{"query": "x", "where": {"a": 1, "a": 2}}'
    assert judge(duplicate, schema=SearchArguments).code == "syntax.ambiguous"
    verdict = judge('{"query": "x", "where": {"a": [1, NaN]}}', schema=SearchArguments)
    assert (verdict.code, verdict.faults[0].field) == ("schema.range", "where.a.1")


def test_name_of_a_parent_class_opens_a_wrapper_too():
    class Support(QAResponse):
        pass

    for name in ("Support", "QAResponse"):
        verdict = judge(f'{{"{name}": {VALID}}}', schema=Support)
        assert isinstance(verdict.response, Support)
