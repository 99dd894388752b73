"""What kind of quantity a question asks for, and what its rows are found by."""

from __future__ import annotations

import pytest

from ragqa.grounding import asked
from ragqa.grounding.answer_spans import answer_spans, measured_spans
from ragqa.language import looked_up, measure_asked, without_phrase


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("How much is the kettle?", "money"),
        ("How much does express delivery cost?", "money"),
        ("What is the price of the lamp?", "money"),
        ("水壶多少钱？", "money"),
        ("运费是多少？", "money"),
        ("How long does delivery take?", "duration"),
        ("配送要多久？", "duration"),
        ("How heavy is the tent?", "mass"),
        ("How much does the tent weigh?", "mass"),
        ("帐篷多重？", "mass"),
        ("How tall is the lamp?", "length"),
        ("Is the lamp in stock?", "stock"),
        ("台灯有货吗？", "stock"),
        ("How much water does the kettle hold?", "volume"),
        ("Why did the price of oil rise?", None),
        ("为什么油价的价格上涨？", None),
        ("How much is known about it?", None),
        ("How long is the river?", None),
        ("How long must a password be?", None),
        ("Who made it?", None),
        ("谁设计的？", None),
    ],
)
def test_the_kind_of_quantity(question, name):
    measure = measure_asked(question)
    assert (measure.name if measure else None) == name


@pytest.mark.parametrize(
    ("question", "sentence", "told"),
    [
        ("How much is it?", "It costs 199 euros and weighs 2 kg.", ["199 euros"]),
        ("How much is it?", "price_eur: 49.90", ["49.90"]),
        ("多少钱？", "价格（欧元）：49.90", ["49.90"]),
        ("How much is it?", "rent_eur: 398", ["398"]),
        ("多少钱？", "日租金（元）: 398", ["398"]),
        ("How much is it?", "It holds 1.7 litres.", []),
        ("How long does it take?", "The cable is 75 cm long.", []),
        ("How long does it take?", "It takes 3 to 5 working days.", ["3", "5 working days"]),
        ("Is it in stock?", "in_warehouse: 27", ["in warehouse"]),
        ("Is it in stock?", "It is made of steel.", []),
    ],
)
def test_what_tells_it(question, sentence, told):
    measure = measure_asked(question)
    spans = measured_spans(sentence, measure)
    assert [sentence.replace("_", " ")[start:end] for start, end in spans] == told


def test_rows_are_looked_up_by_the_name_of_their_column():
    assert looked_up("What is the price of the kettle?") == "kettle price"
    assert set(looked_up("水壶多少钱？").split()) >= {"水壶", "价格"}
    assert looked_up("Who invented the kettle?") == "Who invented the kettle?"


def test_words_that_only_ask_are_no_words_of_the_question():
    assert without_phrase("How long is delivery?") == "how is delivery?"
    assert "long" not in asked("How long is delivery?").weights


def test_a_duration_may_be_told_by_a_date():
    question = asked("How long did it last?")
    assert answer_spans("It lasted until May 1901.", question)
    assert not answer_spans("It was 75 cm long.", question)


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("How long does it take until I get my refund?", {"return"}),
        ("What does E2 mean?", {"e2"}),
        ("What is error code F-03?", {"f", "03"}),
        ("Why did the error rate rise?", {"error", "rate", "rise"}),
        ("退款需要多长时间？", {"退款"}),
        ("退款几天到账？", {"退款", "账"}),
        ("出事故怎么办？", {"出", "事故"}),
        ("F02 是什么意思？", {"f02"}),
        ("哪款车最便宜？", {"车", "便宜"}),
    ],
)
def test_phrases_that_only_ask_tell_nothing(question, terms):
    assert set(asked(question).weights) == terms


def test_a_question_on_two_things_asks_for_no_quantity_alone():
    assert asked("How long is delivery, and what does it cost?").measure is None
    assert asked("What does delivery cost?").measure is not None


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("How much is express delivery?", "money"),
        ("How much are tickets?", "money"),
        ("How much is known about it?", None),
        ("How much is included?", None),
        ("How much is left?", None),
        ("多久除垢一次？", None),
        ("多久需要清洗一次？", None),
        ("保修多久？", "duration"),
    ],
)
def test_a_price_needs_no_article_and_a_frequency_is_no_duration(question, name):
    measure = measure_asked(question)
    assert (measure.name if measure else None) == name


def test_a_stock_list_is_looked_up_by_what_its_columns_are_called():
    words = looked_up("How many kettles are in stock?").split()
    assert {"kettles", "stock", "warehouse"} <= set(words)
    assert "几号" not in asked("几号发工资？").weights


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("How many kettles are in stock?", {"kettl"}),
        ("Is the kettle still available?", {"kettl"}),
        ("Are there any kettles left?", {"kettl"}),
        ("How many kettles are left?", {"kettl"}),
        ("Is it in stock?", {"stock"}),
        ("水壶还有货吗？", {"水壶"}),
        ("水壶还有多少？", {"水壶"}),
        ("Is the service available in Spain?", {"servic", "avail", "spain"}),
        ("How many people left?", {"peopl", "leav"}),
    ],
)
def test_words_for_stock_are_told_by_the_table(question, terms):
    assert set(asked(question).weights) == terms


def test_when_it_is_in_stock_is_told_by_a_date():
    assert asked("How many tents are in stock?").measure.name == "stock"
    assert asked("When will the tent be back in stock?").measure is None
    assert "warehouse" in looked_up("When will the tent be back in stock?").split()


@pytest.mark.parametrize(
    ("question", "name", "told", "other"),
    [
        ("What is the e-mail address of payroll?", "e-mail", "Write to pay@x.example.", "By post."),
        ("客服邮箱是多少？", "e-mail", "请写信到 help@x.example。", "请打电话。"),
        ("What is your phone number?", "phone", "Call 01 555 0142.", "We open at 10:30 in 2026."),
        ("客服电话是多少？", "phone", "可以打 400-555-0142。", "2026 年 10 月 1 日起营业。"),
    ],
)
def test_addresses_and_numbers_are_told_by_their_form(question, name, told, other):
    measure = measure_asked(question)
    assert measure.name == name
    assert measured_spans(told, measure)
    assert not measured_spans(other, measure)
    assert not {"address", "number", "号码"} & set(asked(question).weights)


@pytest.mark.parametrize(
    "question",
    [
        "电话是谁发明的？",
        "邮箱里的邮件怎么删除？",
        "What is the limit of an e-mail?",
        "When was the hotline opened?",
        "How do I change my e-mail address?",
        "Can I change my phone number?",
    ],
)
def test_what_is_about_mail_or_phones_asks_for_neither(question):
    measure = measure_asked(question)
    assert measure is None or measure.name not in ("e-mail", "phone")
