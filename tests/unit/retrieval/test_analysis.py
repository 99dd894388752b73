import pytest

from ragqa.retrieval.analysis import analyzer, indexable, query_terms, well_formed


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Returning kettles", ["return", "kettl"]),
        ("CAFÉ naïve", ["cafe", "naiv"]),
        ("ＡＢＣ　１２", ["abc", "12"]),
        ("XK-200_b", ["xk", "200", "b"]),
        ("£1,200 or 1,234,567", ["1200", "or", "1234567"]),
        ("1,20 and 3,4567", ["1", "20", "and", "3", "4567"]),
        ("退货政策", ["退货", "政策"]),
        ("BSkyB的标清广播", ["bskyb", "的", "标清", "广播"]),
        ("😀 ☂ --", []),
        ("x" * 101, []),
    ],
)
def test_documents_and_questions_give_the_same_terms(text: str, terms: list[str]) -> None:
    assert analyzer().analyze(indexable(text)) == terms
    assert query_terms(text).words == terms


def test_long_chinese_words_stand_beside_their_parts() -> None:
    assert {"香港", "大学", "香港大学"} <= set(query_terms("香港大学").words)


def test_lone_surrogates_are_replaced_one_for_one() -> None:
    assert well_formed("a\ud800b\udfffc") == "a\ufffdb\ufffdc"
    assert well_formed("水壶 kettle") == "水壶 kettle"


def test_a_question_is_searched_by_its_different_words_and_pairs() -> None:
    terms = query_terms("green kettle or green kettle")
    assert terms.words == ["green", "kettl", "or"]
    assert terms.pairs == [("green", "kettl"), ("kettl", "or"), ("or", "green")]


def test_pairs_that_only_carry_grammar_and_chinese_pairs_are_left_out() -> None:
    assert query_terms("what is the size of it").pairs == [("the", "size"), ("size", "of")]
    assert query_terms("水壶的退货期限").pairs == []


def test_an_overlong_question_is_searched_by_its_beginning() -> None:
    terms = query_terms(" ".join(f"w{n}" for n in range(5000)))
    assert terms.words[:2] == ["w0", "w1"]
    assert len(terms.words) == 500
    assert len(terms.pairs) == 40
