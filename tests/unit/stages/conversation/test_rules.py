"""Follow-up questions are made self-contained by rule; a change of subject is left alone."""

import re

import pytest

from ragqa.contract import Question, Turn
from ragqa.ports import Parts, PastTurn
from ragqa.stages.conversation.courtesy import is_courtesy
from ragqa.stages.conversation.resolve import faithful, resolve
from ragqa.stages.conversation.rules import resolved, stands_alone


def after(*questions: str, answer: str = "") -> list[PastTurn]:
    return [PastTurn(f"r{n}", question, answer=answer) for n, question in enumerate(questions)]


@pytest.mark.parametrize(
    ("earlier", "question", "whole"),
    [
        ("How much is the black L4 lamp?", "and the white one?", "How much is the white L4 lamp?"),
        ("How much is the black L4 lamp?", "white?", "How much is the white L4 lamp?"),
        ("How much is the black L4 lamp?", "What about the white version?",
         "How much is the white L4 lamp?"),
        ("How much is the small B28 backpack?", "How about the large one?",
         "How much is the large B28 backpack?"),
        ("How much is the kettle?", "and the backpack?", "How much is the backpack?"),
        ("How heavy is the kettle?", "no, I meant the tent", "How heavy is the tent?"),
        ("How heavy is the kettle?", "No, the tent.", "How heavy is the tent?"),
        ("How heavy is the kettle?", "I was asking about the tent, not the kettle.",
         "How heavy is the tent?"),
        ("How long is the warranty on tents?", "Sorry, I mean backpacks",
         "How long is the warranty on backpacks?"),
        ("How long is the warranty on tents?", "Actually, kettles",
         "How long is the warranty on kettles?"),
        ("How long is delivery to France?", "Wait, to Spain!", "How long is delivery to Spain?"),
        ("How much is the black L4 lamp?", "no, the white one", "How much is the white L4 lamp?"),
        ("How long do I have to return the K17 kettle?", "How much is it?",
         "How much is the K17 kettle?"),
        ("How much is the kettle?", "And how long is its warranty?",
         "How long is the kettle's warranty?"),
        ("How much is the kettle?", "is that one waterproof?", "Is the kettle waterproof?"),
        ("Is the kettle waterproof?", "How much?", "How much is the kettle?"),
        ("How much is the kettle?", "What colours are available?",
         "What colours are available for the kettle?"),
        ("How much is the K17 kettle?", "what about returns?",
         "What about returns for the K17 kettle?"),
        ("How long is delivery?", "and to Norway?", "How long is delivery to Norway?"),
        ("Do you ship the Nova desk to Spain?", "and to Portugal?",
         "Do you ship the Nova desk to Portugal?"),
        ("How long does delivery to New York take?", "and to Boston?",
         "How long does delivery to Boston take?"),
        ("Is the red mug dishwasher safe?", "And in blue?", "Is the blue mug dishwasher safe?"),
        ("Nova 书桌多少钱？", "Vega 椅子呢？", "Vega 椅子多少钱？"),
        ("L4 台灯多少钱？", "那运费呢？", "L4 台灯的运费呢？"),
        ("How long is delivery?", "How much is it?", "How much is delivery?"),
        ("When was the University of Cambridge founded?", "Who founded it?",
         "Who founded the University of Cambridge?"),
        ("Who was Ada Lovelace?", "When was she born?", "When was Ada Lovelace born?"),
        ("How much is the black L4 lamp?", "Thanks. And the white one?",
         "How much is the white L4 lamp?"),
        ("How much is the K2 kettle in red?", "and white?", "How much is the white K2 kettle?"),
        ("黑色的L4台灯多少钱？", "那白色款呢？", "白色L4台灯多少钱？"),
        ("黑色台灯多少钱？", "白色的多少钱？", "白色台灯多少钱？"),
        ("黑色的L4台灯多少钱？", "不对，我问的是白色的", "白色L4台灯多少钱？"),
        ("黑色的L4台灯多少钱？", "抱歉，我是说K2水壶", "K2水壶多少钱？"),
        ("水壶有多重？", "不是水壶，是帐篷", "帐篷有多重？"),
        ("水壶有多重？", "我指的是帐篷，不是水壶", "帐篷有多重？"),
        ("水壶有多重？", "不好意思，问错了，是帐篷。", "帐篷有多重？"),
        ("水壶有多重？", "等等，保修多久？", "水壶保修多久？"),
        ("大号背包多少钱？", "小号的呢？", "小号背包多少钱？"),
        ("水壶K17的保修期多久？", "多少钱？", "水壶K17多少钱？"),
        ("背包B28防水吗？", "它多重？", "背包B28多重？"),
        ("水壶多少钱？", "那背包呢？", "背包多少钱？"),
        ("水壶K17多少钱？", "这款有现货吗？", "水壶K17有现货吗？"),
        ("水壶K17多少钱？", "它的保修期多久？", "水壶K17的保修期多久？"),
        ("怎么清洗磨豆机？", "保修期多久？", "磨豆机保修期多久？"),
        ("磨豆机G1多少钱？", "可以退货吗？", "磨豆机G1可以退货吗？"),
        ("水壶多少钱？", "退货呢？", "水壶的退货呢？"),
        ("剑桥大学是哪年成立的？", "它是谁创立的？", "剑桥大学是谁创立的？"),
    ],
)  # fmt: skip
def test_the_subject_is_carried_over(earlier, question, whole):
    assert resolved(question, after(earlier)) == whole
    assert not stands_alone(question)


@pytest.mark.parametrize(
    ("earlier", "question"),
    [
        ("How much is the kettle?", "How long is delivery?"),
        ("How much is the kettle?", "How long does delivery take?"),
        ("How much is the kettle?", "Is the lamp dimmable?"),
        ("How much is the kettle?", "What payment methods do you accept?"),
        ("How much is the kettle?", "Do you ship to Norway?"),
        ("How much is the kettle?", "What is the capital of France?"),
        ("How much is the kettle?", "Can I return a lamp if it is used?"),
        ("How much is the kettle?", "Is it possible to pay by invoice?"),
        ("How much is the kettle?", "opening hours?"),
        ("How much is the kettle?", "Hello"),
        ("How much is the kettle?", "Actually, how long is delivery?"),
        ("How much is the kettle?", "Sorry, I lost my receipt"),
        ("How much is the kettle?", "Actually, cancel my order please"),
        ("How much is the kettle?", "I meant to ask how long delivery takes"),
        ("How much is the kettle?", "No problem"),
        ("水壶多少钱？", "抱歉，我的水壶坏了"),
        ("水壶多少钱？", "对不起，我想退货"),
        ("水壶多少钱？", "不，送货要多久？"),
        ("水壶多少钱？", "配送要多久？"),
        ("水壶多少钱？", "台灯怎么保修？"),
        ("水壶多少钱？", "你们支持货到付款吗？"),
        ("水壶多少钱？", "发票怎么开？"),
        ("水壶多少钱？", "这个背包防水吗？"),
        ("水壶多少钱？", "法国的首都是哪里？"),
        ("水壶多少钱？", "谢谢"),
    ],
)
def test_a_change_of_subject_is_not_dragged_along(earlier, question):
    assert resolved(question, after(earlier)) is None
    assert stands_alone(question)


def test_a_subject_further_back_is_found():
    turns = after("How much is the black L4 lamp?", "How long is delivery?")
    assert resolved("and the white one?", turns) == "How much is the white L4 lamp?"


@pytest.mark.parametrize(
    ("earlier", "courtesy", "question", "whole"),
    [
        ("How long does standard delivery take?", "Thanks!", "And express?", "express"),
        ("How much is the black L4 lamp?", "Ok, got it. Thank you very much", "and the white one?",
         "How much is the white L4 lamp?"),
        ("How much is the black L4 lamp?", "👍", "and the white one?",
         "How much is the white L4 lamp?"),
        ("K2 水壶的容量是多少？", "好的，谢谢！", "保修期呢？", "K2 水壶的保修期"),
        ("K2 水壶的容量是多少？", "明白了，非常感谢", "保修期呢？", "K2 水壶的保修期"),
    ],
)  # fmt: skip
def test_thanks_are_no_subject_and_lead_to_none(earlier, courtesy, question, whole):
    assert stands_alone(courtesy)
    said = resolved(question, after(earlier, courtesy)) or ""
    assert whole in said
    assert said == resolved(question, after(earlier))


@pytest.mark.parametrize("question", ["OK?", "Great lamps", "好用吗", "你呢？", "What about it?"])
def test_few_words_are_not_always_thanks(question):
    assert not is_courtesy(question)


def test_the_answer_names_what_the_question_asked_for():
    turns = after("Which kettle is the cheapest?", answer="The K17 kettle is the cheapest.")
    assert resolved("How heavy is it?", turns) == "How heavy is the K17 kettle?"


def test_the_resolved_question_counts_not_the_typed_one():
    turns = [
        PastTurn("a", "How much is the black L4 lamp?"),
        PastTurn("b", "and the white one?", resolved="How much is the white L4 lamp?"),
    ]
    assert resolved("How heavy is it?", turns) == "How heavy is the white L4 lamp?"


def test_languages_may_change():
    turns = after("How much is the white K2 kettle?")
    assert resolved("那黑色款呢？", turns) == "黑色K2 kettle怎么样？"
    assert "水壶K17" in (resolved("How much is it?", after("水壶K17的保修期多久？")) or "")
    assert "K17" in (
        resolved("多少钱？", after("How long is the warranty of the K17 kettle?")) or ""
    )


@pytest.mark.parametrize(
    "question",
    [
        "?",
        "？",
        "...",
        "one",
        "it",
        "它",
        "呢？",
        "那呢？",
        "and",
        "and?",
        "的",
        "🙂",
        "L4",
        "的呢",
    ],
)
@pytest.mark.parametrize("earlier", ["?", "水壶", "How much is the kettle?", "", "它", "it?"])
def test_nothing_breaks_on_little(question, earlier):
    assert isinstance(resolved(question, after(earlier)), str | None)
    assert stands_alone(question) in {True, False}


def test_long_questions_take_no_long_time():
    import time

    text = "and the white one of the " * 160
    begun_s = time.perf_counter()
    resolved(text, after(text))
    resolved("那白色款呢" * 300, after("黑色的水壶K17" * 300))
    assert time.perf_counter() - begun_s < 2


@pytest.mark.parametrize(
    "said",
    [
        "How much is the white L4 lamp?",
        "  'How much is the white L4 lamp?'\n",
        "Rewritten question: How much is the white L4 lamp?",
        "Question: How much is the white L4 lamp?",
    ],
)
def test_a_faithful_rewriting_is_tidied_and_taken(said):
    turns = after("How much is the black L4 lamp?")
    assert faithful(said, "and the white one?", turns) == "How much is the white L4 lamp?"


def test_a_faithful_rewriting_in_chinese():
    turns = after("黑色的L4台灯多少钱？")
    assert faithful("白色的L4台灯多少钱？", "那白色款呢？", turns) == "白色的L4台灯多少钱？"
    assert faithful("白色的L4台灯199元。", "那白色款呢？", turns) is None


@pytest.mark.parametrize(
    "typed",
    ["mail bob@example.com", "call +44 20 7946 0958", "password: hunter2secret", "4111-1111"],
)
def test_what_was_typed_beside_a_variant_is_not_taken_apart(typed):
    whole = resolved(f"and the white one, {typed}", after("How much is the black lamp?"))
    assert typed in whole
    assert "white" in whole
    assert "black" not in whole


@pytest.mark.parametrize(
    ("earlier", "question"),
    [
        ("How much is the black lamp of bob@example.com?", "and the white one?"),
        ("Password: hunter2secret. How much is the black lamp?", "and the white one?"),
        ("bob@example.com 的黑色台灯多少钱？", "那白色款呢？"),
    ],
)
def test_secrets_of_earlier_turns_are_in_no_search(earlier, question):
    turn = Turn(question=Question.of(question), run_id="r")
    steps = resolve(turn, after(earlier), Parts(retriever=None))
    with pytest.raises(StopIteration) as stopped:
        next(steps)
    search_text = stopped.value.value.search_text
    assert ("white" in search_text) or ("白色" in search_text)
    assert not re.search("bob|example|hunter2", search_text)
