import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragqa.contract import Passage
from ragqa.grounding import citations_for, locate

RETURNS = Passage(
    id="docs/returns.md",
    title="returns.md",
    path="docs/returns.md",
    text="Unopened items can be returned within 30 days. A return costs 4.95 euros.\n"
    "The K17 kettle must be dry.",
    start=100,
    end=201,
)
GUIDE = Passage(
    id="guide.pdf", title="guide.pdf", text="退货期限为30天。请保留包装。", page=3, start=7
)


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        ("You can return unopened items within 30 days.", "Unopened items can be returned"),
        ("The kettle K17 has to be dry [1].", "The K17 kettle must be dry."),
        ("退货要在三十天内，即30天。", "退货期限为30天。"),
    ],
)
def test_the_supporting_sentence_is_found(sentence: str, quote: str) -> None:
    found = locate(sentence, [RETURNS, GUIDE])
    assert found is not None
    assert found.text.startswith(quote)
    assert found.passage.text[found.start : found.end] == found.text


PUMP = Passage(
    id="pump.md",
    title="pump.md",
    text="The pump holds 1,250 ml. It comes in white. It costs €49.90 in all shops. "
    "Delivery takes 3–5 days. The warranty lasts two years.",
)
ZH_PUMP = Passage(
    id="水泵.md", title="水泵.md", text="水泵容量为1250毫升。价格为49.90欧元。保修期两年。"
)


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        ("保修24个月。", "The warranty lasts two years."),
        ("价格为49.9欧元。", "It costs €49.90 in all shops."),
        ("送货需三到五天。", "Delivery takes 3–5 days."),
        ("水泵可装1.25升。", "The pump holds 1,250 ml."),
        ("Sugar lies in jars of 1.25 l.", None),
        ("Its cost: EUR 49.9.", "It costs €49.90 in all shops."),
    ],
)
def test_measures_find_what_no_word_does(sentence: str, quote: str | None) -> None:
    found = locate(sentence, [PUMP])
    assert (found and (found.text, found.verified)) == (quote and (quote, True))


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        ("The warranty lasts two years.", "保修期两年。"),
        ("It costs 49.9 euros.", "价格为49.90欧元。"),
        ("The warranty lasts three years.", None),
        ("It comes with 2 parts.", None),
    ],
)
def test_measures_find_a_quote_in_the_other_language(sentence: str, quote: str | None) -> None:
    found = locate(sentence, [ZH_PUMP])
    assert (found and (found.text, found.verified)) == (quote and (quote, True))


def test_two_neighbours_are_quoted_where_one_does_not_hold_it() -> None:
    found = locate("Items can be returned within 30 days, which costs 4.95 euros.", [RETURNS])
    assert found is not None
    assert found.verified
    assert "30 days" in found.text
    assert "4.95" in found.text


def test_a_wrong_figure_is_not_verified() -> None:
    found = locate("Unopened items can be returned within 60 days.", [RETURNS])
    assert found is not None
    assert not found.verified


def test_nothing_supports_what_is_not_there() -> None:
    assert locate("The president lives in Paris.", [RETURNS, GUIDE]) is None
    assert locate("", [RETURNS]) is None
    assert citations_for("Bananas are yellow.", [RETURNS]) == ()


def test_a_clause_of_words_that_tell_nothing_is_held_by_nothing() -> None:
    price = Passage(id="p", title="prices.md", text="Students pay 12 euros instead of 15.")

    assert locate("有", [price]) is None
    assert citations_for("有。", [price]) == ()


def test_citations_have_offsets_of_the_document() -> None:
    (citation,) = citations_for("A return costs 4.95 euros.", [RETURNS, GUIDE])
    assert citation.model_dump() == {
        "title": "returns.md",
        "id": "docs/returns.md",
        "path": "docs/returns.md",
        "page": None,
        "quote": "A return costs 4.95 euros.",
        "start": 147,
        "end": 173,
        "verified": True,
    }
    (chinese,) = citations_for("退货期限为30天。", [RETURNS, GUIDE])
    assert (chinese.page, chinese.start, chinese.quote) == (3, 7, "退货期限为30天。")


def test_each_sentence_gets_its_citation_and_none_comes_twice() -> None:
    answer = "Unopened items can be returned within 30 days. A return costs 4.95 euros. "
    cited = citations_for(answer + "Unopened items can be returned.", [RETURNS])
    assert [c.quote for c in cited] == [
        "Unopened items can be returned within 30 days.",
        "A return costs 4.95 euros.",
    ]


def of(title: str, text: str) -> Passage:
    return Passage(id=title, title=title, text=text)


@pytest.mark.parametrize(
    ("answer", "texts"),
    [
        (
            "The K2 kettle holds 1.7 litres and the L4 lamp costs 199 euros.",
            ("The K2 kettle holds 1.7 litres. It is white.", "The L4 lamp costs 199 euros."),
        ),
        (
            "The K2 kettle holds 1.7 litres and weighs 900 g.",
            ("The K2 kettle holds 1.7 litres. It is white. We like it. The K2 weighs 900 g.",),
        ),
        ("K2水壶容量1.7升，L4台灯售价199元。", ("K2水壶容量1.7升。", "L4台灯售价199元。")),
    ],
)
def test_a_sentence_that_draws_on_two_places_is_verified_clause_by_clause(answer, texts) -> None:
    passages = [of(f"{at}.md", text) for at, text in enumerate(texts)]

    found = citations_for(answer, passages)

    assert [each.verified for each in found] == [True, True]
    assert len({each.title for each in found}) == len(texts)


@pytest.mark.parametrize(
    ("answer", "texts"),
    [
        (
            "The K2 kettle holds 1.7 litres and weighs 900 g.",
            ("The K2 kettle holds 1.7 litres.", "The L4 lamp weighs 900 g."),
        ),
        (
            "The K2 kettle costs 199 euros and the L4 lamp costs 49 euros.",
            ("The K2 kettle costs 49 euros.", "The L4 lamp costs 199 euros."),
        ),
    ],
)
def test_a_clause_about_another_thing_verifies_nothing(answer, texts) -> None:
    passages = [of(f"{at}.md", text) for at, text in enumerate(texts)]

    assert not any(each.verified for each in citations_for(answer, passages))


def test_a_long_run_of_blanks_is_passed_in_no_time() -> None:
    answer = f"The K2 holds 99 litres{' ' * 50_000}of water, and 17 cups."
    begun_s = time.process_time()
    (citation,) = citations_for(answer, [of("k2.md", "The K2 holds 2 litres of water.")])
    assert not citation.verified
    assert time.process_time() - begun_s < 1


def test_a_shared_quote_is_verified_only_if_it_holds_for_all() -> None:
    answer = "Unopened items can be returned within 30 days. Items can be returned within 90 days."
    (citation,) = citations_for(answer, [RETURNS])
    assert not citation.verified


@given(st.text(alphabet="abc 30。.\n水壶K17", max_size=120), st.text(max_size=60))
def test_quotes_are_verbatim_whatever_is_asked(text: str, sentence: str) -> None:
    passage = Passage(id="d", title="d", text=text, start=5)
    for citation in citations_for(f"abc 30 {sentence}", [passage]):
        assert text[citation.start - 5 : citation.end - 5] == citation.quote
