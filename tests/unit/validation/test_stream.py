"""The text that shows while a reply streams in."""

from __future__ import annotations

import json
import random

import pytest
from pydantic import BaseModel

from ragqa.validation.stream import PartialAnswer
from tests.unit.validation.replies import FIELDS, OTHER, VALID, judge, saying
from tests.unit.validation.test_syntax import WRITTEN

NOT_FOLLOWED = {"html", "html in prose", "triple quotes"}
"""Ways of writing that only the whole reply can be read in: they show nothing."""


def pieces(raw: str, size: int) -> list[str]:
    return [raw[at : at + size] for at in range(0, len(raw), size)]


def shown(raw: str, size: int = 1, **options) -> str:
    reveal = PartialAnswer(**options)
    return "".join(reveal.feed(piece) for piece in pieces(raw, size))


def test_text_shows_as_soon_as_it_is_there():
    reveal = PartialAnswer()
    raw = '{"answer": "Two years, \\u00e9 \\ud83d\\ude42", "conf'
    steps = [
        reveal.feed(piece) for piece in (raw[:15], raw[15:26], raw[26:34], raw[34:38], raw[38:])
    ]
    assert steps == ["Two", " years, ", "é ", "", "🙂"]
    assert reveal.is_complete


@pytest.mark.parametrize("size", [1, 2, 3, 7, 20, 10_000])
@pytest.mark.parametrize("name", WRITTEN)
def test_joined_pieces_are_the_answer(name, size):
    raw = WRITTEN[name][0]
    assert shown(raw, size) == ("" if name in NOT_FOLLOWED else FIELDS["answer"])


@pytest.mark.parametrize(
    "words",
    [
        'He said: "a", "b": c}.',
        "tab\tline\r\nline \\ \\n / é 🙂 \u2028",
        '<think> {x} ```json {"answer": 1} // # /*',
        "'quoted' “quoted”，：",
    ],
)
@pytest.mark.parametrize(
    "write",
    [
        json.dumps,
        lambda f: json.dumps(f, ensure_ascii=False, indent=2),
        repr,
        lambda f: json.dumps(json.dumps(json.dumps(f))),
        lambda f: f"<think>{OTHER}</think>Sure {{x}}: [1] ```json\n{json.dumps(f)}\n```",
        lambda f: json.dumps({"sources": [{"answer": "no"}], "z": {"answer": "no"}, **f}),
        lambda f: json.dumps(dict(reversed(f.items()))),
    ],
)
def test_answer_shows_whatever_stands_in_and_around_it(words, write):
    raw = write({**FIELDS, "answer": words})
    for seed in range(20):
        rng, reveal, at, said = random.Random(seed), PartialAnswer(), 0, ""
        while at < len(raw):
            to = at + rng.choice((1, 1, 2, 5, 30))
            said += reveal.feed(raw[at:to])
            at = to
        assert said == words


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('"the "K2" kettle"', 'the "K2" kettle'),
        ('"Press "OK", then wait"', 'Press "OK", then wait'),
        ("'it's off by default'", "it's off by default"),
        ("“他说“好”，走了。”", "他说“好”，走了。"),
        ('"a\nb\tc"', "a\nb\tc"),
    ],
)
def test_answer_with_bare_quotes_shows_whole(written, said):
    assert judge(saying(written)).accepted
    for size in (1, 2, 5, 1000):
        assert shown(saying(written), size) == said


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "I think so.",
        f"<think>{VALID}",
        f"<think>{VALID}</think>",
        f"<|channel|>analysis<|message|>{VALID}<|end|>",
        f"analysis{VALID}",
        f"Action Input: {VALID}",
        f"<function=search>{VALID}</function>",
        f'{{"name": "search", "arguments": {VALID}}}',
        f'{{"response": {VALID}}}',
        f'{{"tool_calls": [{VALID}]}}',
        '{"id": 1} {order_id} {"query": "answer"}',
        '{"answer": 3, "confidence": 0.9}',
        '{"answer": ["a"]}',
    ],
)
def test_what_is_no_answer_shows_nothing(raw):
    for size in (1, 4, 1000):
        assert shown(raw, size) == ""


def test_draft_before_a_lone_closing_tag_has_been_shown():
    """Nobody can know it then; the caller compares with the accepted answer and takes it back."""
    raw = f"{OTHER}\n</think>\n{VALID}"
    assert shown(raw) != judge(raw).response.answer


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_cut_off_reply_shows_no_more_than_it_holds(size):
    for at in range(len(VALID)):
        assert FIELDS["answer"].startswith(shown(VALID[:at], size))
    assert shown('{"answer": "a\\ud83d', size) == "a"
    assert shown('{"answer": "a\\ud83d\\u0041", "x": 1}', size) == "a"
    assert shown('{"answer": "a\\q b", "x": 1}', size) == "a"


def test_field_and_schema_may_be_others():
    class Reply(BaseModel):
        text: str

    raw = '{"Reply": {"title": "no", "text": "yes"}}'
    assert shown(raw, 2, field="text", schema=Reply) == "yes"
    assert shown('{"answer": "no", "text": "yes"}', 2, field="text", schema=Reply) == "yes"


def test_nothing_is_shown_after_the_end():
    reveal = PartialAnswer()
    reveal.feed(VALID)
    assert reveal.is_complete
    assert reveal.feed(f"\n{OTHER}") == ""
