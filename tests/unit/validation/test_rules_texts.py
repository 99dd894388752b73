"""Texts that are no answer, and answers that only look like such texts."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragqa.contract import QAResponse
from ragqa.language import sentences
from ragqa.validation.gate import CheckContext, Passed
from ragqa.validation.rules import (
    EchoedQuestion,
    JsonAnswer,
    PlaceholderAnswer,
    RulesGate,
    Scratchpad,
    SearchDump,
)
from ragqa.validation.rules.dumps import looks_like_search_output
from ragqa.validation.rules.labels import is_field_list, is_table
from ragqa.validation.rules.payloads import is_payload
from ragqa.validation.rules.scratchpad import scratchpad_mark
from tests.unit.validation.answers import codes, judged, passage, response

REPOSITORY = Path(__file__).parents[3]
QA = REPOSITORY.parent / "shared" / "data" / "qa"
needs_data = pytest.mark.skipif(not QA.is_dir(), reason="the shared data is not here")


DUMPS = [
    "檢索結果：退貨政策.md 30天內可退",
    "Chunk 1: Unopened items can be returned.\nChunk 2: Delivery takes 3 days.",
    "[Passage 1] Unopened items can be returned. [Passage 2] Delivery takes 3 days.",
    "【片段1】签收后30天内可退货。【片段2】配送需要3天。",
    "Result 1 of 3: Unopened items can be returned within 30 days.",
    "I found the following documents: returns-policy.md, shipping-faq.html",
    "为您找到以下相关文档：退货政策.md、配送.md",
    "1. [Returns](returns-policy.md) - Unopened\n2. [Shipping](shipping-faq.html) - Delivery",
    '\\"title\\": \\"returns-policy.md\\", \\"content\\": \\"Unopened\\"',
    "(score=0.91) Unopened items",
    "returns-policy.md: 0.91\nshipping.md: 0.83",
    "＠search.score：3.1 content: x source: y score: 2",
    '[{"@search.score": 2.4, "content": "Standard delivery takes 3 to 5 working days."}]',
    "@search.score: 3.1 returns-policy.md Unopened items",
    '{"@odata.context":"https://x/$metadata","value":[]}',
    "[Document(page_content='Unopened items', metadata={'source': 'returns-policy.md'})]",
    "page_content='Unopened items' metadata={'source': 'r.md'}",
    "returns-policy.md (score: 0.92) Unopened items can be returned",
    "returns-policy.md (0.87), shipping-faq.html (0.71)",
    "[0.92] returns-policy.md: Unopened items…",
    "Doc 3 score 0.83: Unopened items",
    "Search results: 1. returns-policy.md",
    "检索结果：退货政策.md 30天内可退",
    '"content": "Unopened items", "source": "returns-policy.md"',
    "{'content': 'Unopened', 'source': 'x'}",
    "1. returns-policy.md - Unopened items\n2. shipping-faq.html - Standard delivery",
    "score: 0.83 text A\nscore: 0.71 text B",
    "文档1 相关度 0.93 签收后30天内",
    "退货政策.md（得分：0.93）：30天内可退货",
    "search.score=1.2 title=returns",
    "chunk_12 (score=0.77): Unopened items can be returned",
    '"chunk_id": "abc_12", "title": "x"',
    "Retrieved documents: returns-policy.md says 30 days",
    "@search.rerankerScore 2.1",
]


PAYLOADS = [
    "標題：退貨政策.md\n內容：簽收後30天內可退貨",
    "(1, 'returns-policy.md', 'Unopened items can be returned')",
    r"(2, 'C:\docs\d.md', 'It\'s open')",
    "[('Alice', 3), ('Bob', 4)]",
    "[(30,)]",
    '{\\"title\\": \\"returns\\"}',
    "value: [{ id: 1, title: returns-policy.md}]",
    "title: returns-policy.md content: Unopened items can be returned within 30 days.",
    "answer=30 days confidence=0.9",
    "id;name;price\n1;Tent;250\n2;Bag;90",
    "Title：退货政策\n内容：30天\n来源：x",
    '{"answer": "30 days"}',
    '{"mode": "eco", "steps": 3}',
    "{'days': 30, 'unopened': True}",
    '["30 days", "unopened"]',
    "[]",
    "{}",
    '```json\n{"days": 30}\n```',
    'Here it is: {"days": 30, "unopened": true}',
    "title: Returns score: 3.1 content: Unopened items",
    "Name: K2; Price: 49; Id: 7",
    "Name: K2\nPrice: 49\nId: 7",
    "名称：K2；价格：49元；编号：7",
    "名称: K2, 价格: 49, 库存: 3",
    "| Way | Takes |\n| --- | --- |\n| Standard | 3 days |",
    "Way\tTakes\tCosts\nStandard\t3 days\t4.95",
    "<table><tr><td>x</td></tr></table>",
    "id,name,price\n1,Tent,250\n2,Bag,90",
    "| Standard | 3 days | 4.95 |",
    '{"answer": "30 da',
    "Capacity: 1.7 L; weight: 1.2 kg; colour: white",
    "Product: K2 | Price: 49 | Stock: 3",
    "- Capacity: 1.7 L\n- Power: 2200 W\n- Weight: 1 kg",
    "<answer>30 days</answer>",
    '{answer: "30 days", confidence: 0.9}',
    '"answer": "30 days", "confidence": 0.9',
    "answer: 30 days; confidence: 0.9; sources: x",
    "title=Returns; score=3; content=Unopened",
    "**Name:** K2 **Price:** 49 **Id:** 7",
    '[{"a": 1}, {"a": 2}]',
    "[1, 2, 3]",
    "Answer: 30 days\nConfidence: 0.9\nSources: r.md",
    "{“名称”：“K2”，“价格”：49}",
    "“名称”：“K2”，“价格”：“49”，“库存”：“3”",
    "+------+-----+\n| a | b |",
    "name: K2\nprice: 49",
    '```\n{"days": 30}\n```',
    "产品：水壶K17\n容量：1.7升\n颜色：白",
]


NOTES = [
    "思考：我要查詢。\n行動：搜尋",
    "Tool result: Unopened items can be returned within 30 days.",
    "工具返回结果：签收后30天内可退货。",
    "Thought 1: I need to search. Action 1: Search[K2]",
    "I should call search_documents to find it.",
    "Let me search for that.",
    "我需要先查询库存。",
    "&lt;think&gt;hm",
    "[THOUGHT] x [ACTION] y",
    "【思考】x【回答】30天",
    "assistant: The K2 holds 1.7 L",
    'Thought: I should look this up.\nAction: search_docs\nAction Input: {"query": "K2"}',
    "Action: search_docs",
    "Action Input: x",
    "Observation: The K2 holds 1.7 L",
    "Final Answer: 30 days",
    "I will check. Final Answer: 30 days",
    "<think>hm</think> 30 days",
    "<tool_call>search</tool_call>",
    "<|im_start|>assistant 30 days",
    "[INST] x [/INST]",
    "Thought: The passage says 30 days. Answer: 30 days",
    "思考：需要查找。行动：搜索 K2",
    "最终答案：30天",
    'functions.search_documents({"query": "K2"})',
    "You are a helpful assistant. Answer the question.",
    "User: how long?\nAssistant: 30 days",
    "你是一个乐于助人的助手，请回答问题",
    "Reply with one JSON object",
    "**Thought:** I need\n**Action:** search",
    "</think>30 days",
    'search_documents("K2")',
    "Thought: need info. Action: search[K2]",
    "观察：文档提到30天",
    "### Response: 30 days",
    "<<SYS>> be nice",
    "工具调用：搜索",
]


FILLERS = [
    "好的，以下是您查詢的內容：",
    "Sure, here is the answer:",
    "Here is the information you requested.",
    "I can help with that!",
    "How can I help you today?",
    "好的，以下是答案：",
    "我可以帮您解答这个问题。",
    "%s",
    "${answer}",
    "xxx",
    "（略）",
    "回答内容",
    "TODO: fill in",
    "Lorem ipsum dolor sit amet, consectetur",
    '"answer"',
    "string",
    "...",
    "…",
    "<answer>",
    "N/A",
    "n/a.",
    "TBD",
    "answer",
    "[answer]",
    "{answer}",
    "[Your answer here]",
    "null",
    "undefined",
    "Lorem ipsum",
    "-",
    "？",
    "答案",
    "待定",
    "<string>",
    "【答案】",
    "（此处填写答案）",
    QAResponse.model_fields["answer"].description or "",
    "用问题的语言写的简短直接的回答，完整句子；不要原始搜索结果、JSON、字段列表或表格。",
    "your answer",
    "“...”",
    "placeholder",
    "<your answer>",
]


ANSWERS = [
    ("({[1]: 2}, 'one')", ""),
    ("I will call you when it is ready.", ""),
    ("Let me know the order number.", ""),
    ("我会在两天内回复。", ""),
    ("The search looks through all documents.", ""),
    ("@search.score is the relevance score of a hit.", "What is @search.score?"),
    ("The blog's assistant: a small program.", ""),
    ("Unopened items can be returned within 30 days.", ""),
    ("Opening hours: 9–17.", ""),
    ("Opening hours: Mon–Fri 9–17; Sat: 10–14; Sun: closed.", ""),
    ("The price is 49 euros; delivery: 3 days.", ""),
    ("Run ```lumosync --reset``` and wait one minute.", ""),
    ("Open the listing with ```json and close it with three backticks.", ""),
    ("Write ```yaml in the first line of the listing, then paste the listing.", ""),
    ('Post ```json {"pin": 4711}``` to the hub and keep the button pressed until it beeps.', ""),
    ("Put {order_id} in the subject line.", ""),
    (
        'Set {"mode": "eco"} in the configuration file, then restart the lamp twice.',
        "How do I turn on eco mode?",
    ),
    (
        'Use {"mode": "eco", "steps": 60, "on": true} as the sample config.',
        "What is in the sample config?",
    ),
    ("You can pay in three ways: by card, by transfer, or in the shop.", ""),
    ("White: 49 euros; red: 45 euros; black: 47 euros.", ""),
    ("Enter the code as SAVE10,} with no spaces.", ""),
    ("First unplug the kettle.\nThen rinse it twice.", ""),
    ("- Unplug the kettle.\n- Rinse it twice.\n- Let it dry.", ""),
    ("Set 'True Tone' to None before pairing; it's off by default.", ""),
    ("Register at https://warranty.example.test/k2 within 30 days.", ""),
    ("Menu → 设置", ""),
    ("42", ""),
    ("Yes.", ""),
    ("No", ""),
    ("K17", ""),
    ("3–5 days", ""),
    ("Note: the lamp must be unplugged.", ""),
    ("Warning: do not open the case. Source: the manual.", ""),
    ("The blog asks for replies with a single thoughts key.", ""),
    ("@search.score is the relevance score of a hit.", "What is @search.score?"),
    ("Press Ctrl+C, then type [y/N] and confirm with y.", ""),
    ("The action is reversible: undo it in the menu.", ""),
    ("The thought behind it: fewer returns.", ""),
    ("Action: press the red button for 3 seconds.", ""),
    ("He said: “It works.”", ""),
    ("The set is A = {1; 2; 3}.", ""),
    ("It has 3 | 5 gears.", ""),
    ("See returns-policy.md for details.", ""),
    ("The score was 3:1 in the final.", ""),
    ("The test score is 0.83 on average.", ""),
    ("价格：49元。", ""),
    ("水壶有两种颜色：白色和石墨色。", ""),
    ("营业时间：周一至周五9:00–17:00，周六10:00–14:00。", ""),
    ("请先断电：拔下插头。", ""),
    ("无需费用。", ""),
    ("没有。", ""),
    ("颜色：白色、黑色。", ""),
    ("保修两年；电池保修一年。", ""),
    ("The formula is E = mc^2.", ""),
    ("Use x[0] to get the first item.", "How do I get the first item in code?"),
    ("The title is “Returns”.", ""),
    ("Type: USB-C.", ""),
    ("Model: K17.", ""),
    ("Use the command `git status | grep foo`.", ""),
    ("if a < b then c > d", ""),
    ("Dimensions: 30 × 40 × 50 cm (length × width × height).", ""),
    ("The answer is yes.", ""),
    ("Who is it?", ""),
    ("The word 'string' means text.", ""),
    ("The name of the tent is T2 and its price is 199 euros.", ""),
    ("You are a member of the club.", ""),
    ("You are the owner of the device.", ""),
    ("Assistant managers: two.", ""),
    ("User: a person who owns an account.", ""),
    ("Reply with YES to the message.", ""),
    ("1. Unplug it. 2. Rinse it. 3. Dry it.", ""),
    ("(1) Unplug it; (2) rinse it.", ""),
    ("Delivery: 3 to 5 working days.", ""),
    ("Ports: 1 × HDMI, 2 × USB-C, 1 × LAN.", ""),
    ("Yes: the price includes VAT, and the warranty is 2 years.", ""),
    ("Content: one kettle, one base, one filter.", ""),
    ("Materials: steel and glass; colour: white.", ""),
    ("Weight: 1.2 kg, width: 30 cm.", ""),
    ("I think the plan is good. Observation shows otherwise.", ""),
    ("The documents do not hold an answer to this question.", ""),
    ("文档中没有这个问题的答案。", ""),
    ("<em>Kettle</em> is fine", ""),
    ("Choose Settings > General > Reset.", ""),
    ("a || b means or", ""),
    ("Yes, [see the policy](https://x.test/policy).", ""),
    ("Question: can I return it? Yes, within 30 days.", ""),
]


@pytest.mark.parametrize("text", DUMPS)
def test_search_output_is_no_answer(text: str) -> None:
    assert judged(SearchDump(), text) == ["rules.search_dump"]


@pytest.mark.parametrize(
    ("text", "question", "refused"),
    [
        ("returns.md", "How long?", True),
        ("See returns.md.", "How long?", True),
        ("VA-12.pdf", "Which form do I need?", False),
        ("VA-12.pdf", "我需要哪张表格？", False),
        ("Sources: [returns.md], [delivery.html]", "How long?", True),
        ("1. returns.md 2. delivery.html", "How long?", True),
        ("请见退货政策.md。", "多久可以退货？", True),
        ("returns.md", "Which file holds the policy?", False),
        ("退货政策.md", "退货政策在哪个文件里？", False),
        ("It is in returns.md: 30 days.", "How long?", False),
        ("Oxygen", "What is it?", False),
    ],
)
def test_names_of_files_alone_are_no_answer_unless_one_was_asked_for(text, question, refused):
    titles = ("returns.md", "delivery.html", "退货政策.md", "Oxygen", "VA-12.pdf")
    context = CheckContext(question=question, titles=titles)

    found = codes(SearchDump().check(response(text, sources=["returns.md"]), context))

    assert found == (["rules.search_dump"] if refused else [])


def test_pieces_that_are_no_hits_pass() -> None:
    for text in (
        "Passage 1 of the book is about ships; passage 2 about trade.",
        "Bring document 1: a passport, and document 2: a bill.",
        "Part 1: history. Part 2: law.",
    ):
        assert judged(SearchDump(), text) == []


def test_search_output_is_found_in_every_text() -> None:
    dump = "@search.score: 2.4 Standard delivery"
    outcome = SearchDump().check(response(follow_up=["How long?", dump]), CheckContext())
    assert codes(outcome) == ["rules.search_dump"]
    assert outcome.faults[0].field == "follow_up.1"  # type: ignore[union-attr]

    class Noted(QAResponse):
        note: dict[str, str]

    noted = Noted(**response().model_dump(), note={"why": dump})
    assert codes(SearchDump().check(noted, CheckContext())) == ["rules.search_dump"]


def test_a_key_that_the_question_is_about_may_be_named() -> None:
    said = "@search.score is the relevance score of a hit."
    assert judged(SearchDump(), said, question="What is @search.score?") == []
    assert judged(SearchDump(), said, question="How long?") == ["rules.search_dump"]
    dump = "@search.score: 3.2 returns.md"
    assert judged(SearchDump(), dump, question="What is @search.score?") == ["rules.search_dump"]


@pytest.mark.parametrize("text", PAYLOADS)
def test_json_lists_and_tables_are_no_answer(text: str) -> None:
    assert judged(JsonAnswer(), text) == ["rules.json_answer"]


def test_what_kind_of_payload_it_is_is_told() -> None:
    assert is_payload('{"days": 30}') == "JSON"
    assert is_payload("a\tb\tc") == "a table"
    assert is_payload("Name: K2; Price: 49; Id: 7") == "a list of fields"
    assert is_payload("Within 30 days.") == ""


def test_a_snippet_that_was_asked_for_passes_but_nothing_but_data_never() -> None:
    said = 'The sample config is {"mode": "eco", "steps": 60, "on": true}.'
    assert judged(JsonAnswer(), said, question="What is in the sample config?") == []
    assert judged(JsonAnswer(), said) == ["rules.json_answer"]
    bare = '{"mode": "eco", "steps": 60}'
    assert judged(JsonAnswer(), bare, question="Which JSON body?") == ["rules.json_answer"]


@pytest.mark.parametrize("text", NOTES)
def test_notes_and_prompts_are_no_answer(text: str) -> None:
    assert judged(Scratchpad(), text) == ["rules.scratchpad"]


def test_a_mark_that_the_question_is_about_passes() -> None:
    said = "The <think> tag holds the reasoning."
    assert judged(Scratchpad(), said, question="What does the <think> tag do?") == []


@pytest.mark.parametrize("text", FILLERS)
def test_fillers_are_no_answer(text: str) -> None:
    outcome = PlaceholderAnswer().check(response(text, sources=[]), CheckContext())
    assert codes(outcome) == ["rules.placeholder_answer"]


@pytest.mark.parametrize("text", ["None.", "string", "无", "文本", "example"])
def test_a_word_that_is_a_type_may_be_the_answer_of_a_source(text: str) -> None:
    assert judged(PlaceholderAnswer(), text) == []
    outcome = PlaceholderAnswer().check(response(text, sources=[]), CheckContext())
    assert codes(outcome) == ["rules.placeholder_answer"]


def test_the_worked_example_is_an_answer_only_where_a_passage_says_it() -> None:
    example = "The lamp has a two-year warranty."
    lamp = passage("lamp.md", "About it: the lamp has a two-year warranty. It shines.")
    kettle = passage("kettle.md", "The kettle holds 1.7 litres.")
    refused = ["rules.placeholder_answer"]
    assert judged(PlaceholderAnswer(), example, passages=(kettle,)) == refused
    assert judged(PlaceholderAnswer(), "台灯保修两年。", passages=(kettle,)) == refused
    assert judged(PlaceholderAnswer(), example, passages=(kettle, lamp)) == []
    assert judged(PlaceholderAnswer(), example) == []


def test_the_words_of_the_callers_own_schema_are_no_answer() -> None:
    class Own(QAResponse):
        answer: str = "x"

    rule = "One sentence about the product and nothing else."
    Own.model_fields["answer"].description = rule
    value = Own(**response(rule).model_dump())
    outcome = PlaceholderAnswer().check(value, CheckContext(schema=Own))
    assert codes(outcome) == ["rules.placeholder_answer"]


def test_what_says_something_is_no_announcement() -> None:
    for text in ("Yes.", "Sure, returns are free.", "I can help with returns.", "没问题。"):
        assert judged(PlaceholderAnswer(), text) == []


def test_filler_questions_are_left_out() -> None:
    value = response(follow_up=["...", "How long?", "string"])
    outcome = PlaceholderAnswer().check(value, CheckContext())
    assert outcome.value.follow_up == ["How long?"]
    assert outcome.repairs == ("filler_follow_up",)


@pytest.mark.parametrize(
    ("question", "answer", "echoed"),
    [
        ("How long can I return a kettle?", "How long can I return a kettle?", True),
        ("How long can I return a kettle?", "how long can i return a kettle", True),
        ("水壶多久可以退货？", "水壶多久可以退货", True),
        ("水壶多久可以退货？", "问题：水壶多久可以退货？", True),
        ("How long?", "Question: How long?", True),
        ("How long can I return it?", "You asked how long you can return it.", True),
        ("How long can I return it?", "You asked how long: 30 days.", False),
        ("水壶多久可以退货？", "请问水壶多久可以退货？", True),
        ("水壶多久可以退货？", "您想知道水壶多久可以退货。", True),
        ("水壶多久可以退货？", "您的水壶可以退货。", False),
        ("How long?", "Q: How long? A: 30 days.", False),
        ("Which kettle?", "Which kettle do you mean, the K17 or the K2?", False),
        ("Is it waterproof?", "It is waterproof.", False),
        ("", "", False),
        ("???", "!!!", False),
    ],
)
def test_the_question_over_again_is_no_answer(question: str, answer: str, echoed: bool) -> None:
    value = response().model_copy(update={"answer": answer})
    outcome = EchoedQuestion().check(value, CheckContext(question=question))
    assert codes(outcome) == (["rules.echoed_question"] if echoed else [])


@pytest.mark.parametrize(("answer", "question"), ANSWERS)
def test_sentences_with_marks_in_them_pass(answer: str, question: str) -> None:
    value = response(answer, confidence=0.4)  # some say that the documents do not hold it
    assert codes(RulesGate().check(value, CheckContext(question=question))) == []


def _said(folder: Path) -> list[str]:
    """Return the sentences of the samples' prose."""
    files = [path for path in sorted(folder.rglob("*")) if path.suffix in {".md", ".txt"}]
    texts = [path.read_text(encoding="utf-8") for path in files]
    prose = [
        "\n".join(line for line in text.splitlines() if line[:1] not in "|#") for text in texts
    ]
    return [text[start:end] for text in prose for start, end in sentences(text)]


def _refused(said: list[str]) -> Counter[str]:
    gate = RulesGate()
    good = response()
    return Counter(
        code
        for sentence in said
        for code in codes(gate.check(good.model_copy(update={"answer": sentence}), CheckContext()))
    )


def test_sentences_of_the_samples_pass() -> None:
    said = _said(REPOSITORY / "ragqa" / "samples")
    assert len(said) > 100
    refused = _refused(said)
    print(f"samples: {sum(refused.values())} of {len(said)}: {dict(refused)}")
    assert sum(refused.values()) <= 0.005 * len(said)


@needs_data
@pytest.mark.parametrize("language", ["en", "zh"])
def test_sentences_of_real_documents_pass(language: str) -> None:
    with (QA / language / "corpus.jsonl").open(encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines]
    said = [text[start:end] for text in texts for start, end in sentences(text)]
    refused = _refused(said)
    print(f"{language}: {sum(refused.values())} of {len(said)}: {dict(refused)}")
    assert sum(refused.values()) <= 0.005 * len(said)


@pytest.mark.parametrize(
    "look",
    [looks_like_search_output, is_payload, scratchpad_mark, is_field_list, is_table],
)
@pytest.mark.parametrize(
    "piece", ["{", "[1]", '{"a":1,', "<think", "a: b\n", "a,b\n", "\n", " ", "|-", "x.md (0.", "@"]
)
def test_time_grows_with_the_text_only(look: Callable[[str], Any], piece: str) -> None:
    def seconds(chars: int) -> float:
        text = piece * (chars // len(piece))
        begin = time.process_time()
        look(text)
        return time.process_time() - begin

    longer, shorter = (min(seconds(chars) for _ in range(3)) for chars in (100_000, 10_000))
    assert longer < 40 * max(shorter, 0.002)


@given(st.text(), st.text())
def test_any_text_can_be_looked_at(text: str, question: str) -> None:
    for rule in (SearchDump(), JsonAnswer(), Scratchpad(), PlaceholderAnswer(), EchoedQuestion()):
        value = response().model_copy(update={"answer": text})
        outcome = rule.check(value, CheckContext(question=question))
        assert isinstance(outcome, Passed) or codes(outcome) == [f"rules.{rule.name}"]


@pytest.mark.parametrize(
    ("text", "codes_found"),
    [
        ('stock(item="kettle")', ["rules.scratchpad"]),
        ('`stock({"item": "kettle"})`', ["rules.scratchpad"]),
        ('open("a.txt")', []),
        ("The stock (of kettles) is 12.", []),
    ],
)
def test_a_call_of_a_tool_of_the_run_is_no_answer(text, codes_found):
    context = CheckContext(records=({"name": "stock"},))
    assert codes(Scratchpad().check(response(text, sources=[]), context)) == codes_found


def test_what_is_to_be_called_is_no_answer():
    assert judged(Scratchpad(), "I need to call stock with item=kettle to find out.")
    assert not judged(Scratchpad(), "I will call you tomorrow with good news.")
