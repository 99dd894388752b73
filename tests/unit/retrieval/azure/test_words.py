"""Words at Azure AI Search: those of the embedded index, if the service does what is published."""

from __future__ import annotations

import pytest

from ragqa.retrieval.analysis import analyzer, indexable, query_terms
from ragqa.retrieval.azure.queries import lucene_query
from ragqa.retrieval.azure.words import (
    ASKED,
    WORDS,
    analysis,
    asked_words,
    cut,
    neighbours,
)
from tests.wire.azure.search_analysis import custom
from tests.wire.azure.search_queries import full

TEXTS = [
    "Returning kettles, the K-2's and XK-200_b: £1,200 or 1,234,567; 1,20 and 3,4567.",
    "CAFÉ naïve Straße Œuvre ＡＢＣ　１２ Þór łódź",
    "水壶买了多久可以退货？K2 的容量是 1,700 毫升，BSkyB的标清广播。",
    "香港大学 中华人民共和国 退货政策.md 々 ひらがな カタカナ 한국어 ไทย हिन्दी",
    "a" * 101 + " " + "b" * 99 + " 😀 ☂ --",
    "Don't you know? e.g. 3.5 kg/m² at 50 % — “quoted” and/or [bracketed] text",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_field_of_words_holds_the_terms_of_the_embedded_index(text: str) -> None:
    analyze = custom(analysis(), WORDS)
    assert analyze is not None
    assert analyze(cut(text)) == analyzer().analyze(indexable(text))


@pytest.mark.parametrize("text", TEXTS)
def test_a_question_asks_for_the_terms_of_the_embedded_index(text: str) -> None:
    text = text.replace("中华人民共和国", "")  # longer words are taken for uncut text
    analyze = custom(analysis(), ASKED)
    assert analyze is not None
    asked = full(lucene_query(text))
    assert asked.required + asked.banned == []
    words = [term for word in asked.optional for term in analyze(word)]
    assert list(dict.fromkeys(words)) == query_terms(text).words
    assert [tuple(analyze(phrase)) for phrase, _ in asked.phrases] == query_terms(text).pairs


def test_what_other_programs_ask_is_cut_into_neighbours() -> None:
    analyze = custom(analysis(), ASKED)
    assert analyze is not None
    assert analyze("水壶买了多久? 退货政策 K2") == [
        "水壶", "壶买", "买了", "了多", "多久", "久", "退货政策", "k2",
    ]  # fmt: skip
    assert analyze("一二三四五六") == ["一二", "二三", "三四", "四五", "五六", "六"]
    assert analyze("一二三四") == ["一二三四"]


def test_a_word_counts_once() -> None:
    assert asked_words("New York, new york? 水壶，水壶") == "New York, 水壶 ，"
    assert neighbours("new kettle, new kettle") == ["new kettle", "kettle new"]
    assert len(asked_words(" ".join(f"w{n}" for n in range(2000))).split()) == 500
    assert len(neighbours(" ".join(f"w{n}" for n in range(2000)))) == 40


@pytest.mark.parametrize(
    "text",
    ['"kettle', "a -b +c", "AND OR NOT", "NOT kettle", "title:x", "[a TO b]", "{a}", "(a|b)",
     "a* b? c~2 d^4", "/re.x/", "a && b || c", "C:\\x\\", "\\", "!", "https://x.example/?q=1&r=2"],
)  # fmt: skip
def test_a_question_is_no_program_of_the_full_syntax(text: str) -> None:
    asked = full(lucene_query(text))
    assert asked.required + asked.banned == []
    assert " ".join(asked.optional) == text
