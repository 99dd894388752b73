import subprocess
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragqa.language import (
    answer_type,
    asks_name,
    clauses,
    content_terms,
    content_words,
    estimate_tokens,
    has_han,
    is_function_word,
    language_of,
    likeness,
    rarity,
    refers_back,
    search_terms,
    sentences,
    sub_questions,
    words,
)


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. Smith met Mrs. Jones. They talked.", ["Dr. Smith met Mrs. Jones.", "They talked."]),
        ("It costs $3.50, i.e. little. Buy it.", ["It costs $3.50, i.e. little.", "Buy it."]),
        ("See Fig. 3 and No. 5. Then stop.", ["See Fig. 3 and No. 5.", "Then stop."]),
        ("The U.S. Army left. It rained.", ["The U.S. Army left.", "It rained."]),
        ("J. S. Bach wrote it. He played.", ["J. S. Bach wrote it.", "He played."]),
        ("Open until 5 p.m. The shop closes.", ["Open until 5 p.m.", "The shop closes."]),
        ("It is 30 °C. This is warm.", ["It is 30 °C.", "This is warm."]),
        ('"What?" she asked. "Go!" He went.', ['"What?" she asked.', '"Go!"', "He went."]),
        ("Wait... what? Yes.", ["Wait... what?", "Yes."]),
        ("It ended here.[1] Next came more.[2]", ["It ended here.[1]", "Next came more.[2]"]),
        ("keep the receipt. then send it.", ["keep the receipt.", "then send it."]),
        ("temp. range and max. load apply.", ["temp. range and max. load apply."]),
        ("他走了。是吗？好！", ["他走了。", "是吗？", "好！"]),
        ("他说：“走吧！”然后离开。", ["他说：“走吧！”然后离开。"]),
        ("他说：“走吧。”她留下。", ["他说：“走吧。”", "她留下。"]),
        ("《快乐吧！》是一首歌。", ["《快乐吧！》是一首歌。"]),
        ("奥利奇（，；），球员。", ["奥利奇（，；），球员。"]),
        ("价格3.5元；含税。", ["价格3.5元；", "含税。"]),
        ("会丢失吗?不会.好", ["会丢失吗?", "不会.", "好"]),
        ("他想……然后说了。", ["他想……然后说了。"]),
    ],
)
def test_sentences_end_where_they_should(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


def test_the_marks_of_a_sentence_in_bold_belong_to_it() -> None:
    assert cut("**有会员卡吗？**\n有。") == ["**有会员卡吗？**", "有。"]
    assert cut("**Is it new?** Yes.") == ["**Is it new?**", "Yes."]
    assert cut("你好吗？**不好**。") == ["你好吗？", "**不好**。"]


def test_lines_of_markdown_are_sentences_of_their_own() -> None:
    text = "# Returns\n\n- **Price**: 49\n- Colour: red\n1. Unpack it.\n2. Plug it in.\n"
    text += "| a | b |\n| c | d |"
    assert cut(text) == [
        "# Returns",
        "- **Price**: 49",
        "- Colour: red",
        "1. Unpack it.",
        "2. Plug it in.",
        "| a | b |",
        "| c | d |",
    ]


def test_wrapped_prose_is_not_cut_at_line_breaks() -> None:
    text = (
        "The warranty covers all faults of material and making that show up\r\n"
        "within two years. It does not cover wear.\n\nNew paragraph"
    )
    assert cut(text) == [
        "The warranty covers all faults of material and making that show up\r\nwithin two years.",
        "It does not cover wear.",
        "New paragraph",
    ]


def test_a_sentence_that_begins_at_the_end_of_a_line_goes_on_in_the_next() -> None:
    text = (
        "A kettle of stainless steel with four set temperatures. It comes in\ngraphite and white."
    )
    assert cut(text) == [
        "A kettle of stainless steel with four set temperatures.",
        "It comes in\ngraphite and white.",
    ]
    text = "这是一款不锈钢电水壶，共有四档设定温度可选。颜色\n有石墨色和白色。"
    assert cut(text) == ["这是一款不锈钢电水壶，共有四档设定温度可选。", "颜色\n有石墨色和白色。"]


def test_wrapped_chinese_is_not_cut_at_line_breaks() -> None:
    line = "本产品自签收之日起三十天内可以无条件退货并且不收取任何费用但需\n保留原包装。"
    assert cut(line) == [line]


def test_short_lines_end_at_their_break() -> None:
    assert cut("Opening hours\nMonday to Friday\n周末休息\n节假日休息") == [
        "Opening hours",
        "Monday to Friday",
        "周末休息",
        "节假日休息",
    ]


TEXTS = st.text(alphabet="aB1.!?。！？；…,，:：-*#|()（）「」”\"'\n\r 的水[]", max_size=80)


@given(TEXTS)
def test_sentences_cover_all_but_blanks_in_order(text: str) -> None:
    at = 0
    for start, end in sentences(text):
        assert not text[at:start].strip()
        assert text[start:end].strip() == text[start:end] != ""
        at = end
    assert not text[at:].strip()


@given(TEXTS)
def test_clauses_cover_all_but_blanks_in_order(text: str) -> None:
    at = 0
    for start, end in clauses(text):
        assert not text[at:start].strip()
        assert start < end
        at = end
    assert not text[at:].strip()


def test_clauses_of_a_slice_keep_offsets_of_the_text() -> None:
    text = "First. It weighs 1,200 g, the lid included. Last."
    parts = [text[start:end] for start, end in clauses(text, 7, 43)]
    assert parts == ["It weighs 1,200 g,", "the lid included."]


@pytest.mark.parametrize("blanks", ["\t", " ", "\t ", "\n\t"])
def test_tokens_of_long_runs_of_blanks_are_counted_in_no_time(blanks: str) -> None:
    began = time.process_time()
    assert estimate_tokens(blanks * 50_000) > 0
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    "unit", [". ", "Dr. ", "1. ", "\n", "(", "！》", "A.", "x\n", "「", "…", "a, ", "- "]
)
def test_time_grows_with_the_text_and_not_with_its_square(unit: str) -> None:
    def seconds(text: str) -> float:
        began = time.process_time()
        list(sentences(text))
        list(clauses(text))
        return time.process_time() - began

    short, long = unit * 5_000, unit * 80_000
    seconds(short)
    assert seconds(long) < 16 * 8 * max(seconds(short), 0.002)


def test_words_are_folded_stemmed_and_located() -> None:
    text = "The Kettles cost 1,200.50 pounds; Temüjin’s ２０台"
    found = words(text)
    assert [word.term for word in found] == [
        *("the", "kettl", "cost", "1200.50", "pound", "temujin", "s", "20", "台"),
    ]
    assert [text[word.start : word.end] for word in found][3] == "1,200.50"


def test_long_chinese_words_come_with_the_words_inside_them() -> None:
    assert {word.term for word in words("公共卫生")} == {"公共", "卫生", "公共卫生"}
    assert search_terms("退货政策 and X4").split()[-2:] == ["and", "X4"]
    assert search_terms("kettle") == "kettle"


def test_content_words_leave_grammar_out_and_join_families() -> None:
    assert [word.term for word in content_words("When was it sold and what did it cost?")] == [
        "sell",
        "price",
    ]
    assert [word.term for word in content_words("什么时候成立的？")] == ["成立"]
    assert [word.term for word in content_words("voltage and wattage")] == ["volt", "watt"]


def test_han_runs_stay_whole_where_no_dictionary_is_wanted() -> None:
    assert [w.term for w in content_words("Privy Council 樞密院", segment=False)][-1] == "樞密院"


@pytest.mark.parametrize(
    ("term", "others", "expected"),
    [
        ("kettl", {"kettl"}, 1.0),
        ("religi", {"religion"}, 0.6),
        ("kettl", {"keep"}, 0.0),
        ("2024", {"2025"}, 0.0),
        ("水壶", {"水"}, 0.0),
    ],
)
def test_likeness(term: str, others: set[str], expected: float) -> None:
    assert likeness(term, others) == expected


def test_rare_words_tell_more_than_everyday_ones() -> None:
    assert rarity("kettl") > rarity("time") > rarity("the")
    assert rarity("腱膜") > rarity("公司") > rarity("的")
    assert is_function_word("the")
    assert is_function_word("的")
    assert not is_function_word("kettle")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When was it founded?", "time"),
        ("In what year did he die?", "time"),
        ("How long is the warranty?", "number"),
        ("What percentage is paid?", "number"),
        ("Who wrote it?", "person"),
        ("What researcher first used the word?", "person"),
        ("Where is the shop?", "place"),
        ("What city is it in?", "place"),
        ("Why did it fail?", "reason"),
        ("How do I clean it?", "manner"),
        ("Is it waterproof?", "choice"),
        ("What is the warranty?", "thing"),
        ("什么时候成立？", "time"),
        ("保修期多久？", "time"),
        ("售价多少钱？", "number"),
        ("有几个口袋？", "number"),
        ("谁写的？", "person"),
        ("公司在哪里？", "place"),
        ("为什么退货？", "reason"),
        ("怎么清洗？", "manner"),
        ("可以退货吗？", "choice"),
        ("口号是什么？", "thing"),
    ],
)
def test_answer_types(question: str, expected: str) -> None:
    assert answer_type(question) == expected


def test_a_question_on_a_name_is_told() -> None:
    assert asks_name("What is it called?")
    assert asks_name("它又叫什么？")
    assert not asks_name("How much is it?")


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Is it waterproof? How much does it weigh?", 2),
        ("What does it cost and how long is the warranty?", 2),
        ("水壶多少钱，保修期多久？", 2),
        ("When and where was he born?", 1),
        ("What do salt and pepper cost?", 1),
        ("如果坏了，怎么保修？", 1),
        ("你好，多少钱？", 1),
    ],
)
def test_questions_on_several_things(question: str, parts: int) -> None:
    assert len(sub_questions(question)) == parts


def test_sentences_that_point_back() -> None:
    assert all(map(refers_back, ["It boils.", "These are new.", "该产品很好。", "其中两个坏了。"]))
    assert not any(map(refers_back, ["Kettles boil.", "Italy won.", "水壶很好。"]))


def test_language_follows_what_carries_the_text() -> None:
    assert language_of("How do I say 你好?") == "en"
    assert language_of("X4 帐篷多少钱？") == "zh"
    assert has_han("a好")
    assert not has_han("かな")


@pytest.mark.parametrize(
    "text",
    [
        "Unopened items can be returned within 30 days of delivery; keep the receipt.",
        "签收后30天内可退货，需保留包装。节假日照常发货。",
        '{"answer": "x", "confidence": 0.5, "sources": ["returns-policy.md"]}',
        "def f(a_b: int) -> None:\n    return None\n",
        "Привет, как дела? مرحبا بالعالم 😀🎉",
        "https://example.com/aHR0cHM6Ly9leGFtcGxl?x=1&y=2",
    ],
)
def test_token_estimates_are_rather_high_but_not_absurd(text: str) -> None:
    import bpe_openai

    exact = len(bpe_openai.get_encoding("o200k_base").encode(text))
    assert exact <= estimate_tokens(text) <= 4 * exact


def test_importing_loads_neither_dictionary_nor_stemmer() -> None:
    code = (
        "import sys; import ragqa.language as language;"
        "assert not {'rjieba', 'Stemmer'} & set(sys.modules);"
        "language.words('Kettles boil'); assert 'rjieba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@given(st.one_of(st.text(), st.text("aZ09,._-' é٣水壶")))
def test_terms_without_places_are_those_with_places(text: str) -> None:
    for segment in (True, False):
        with_places = [word.term for word in content_words(text, segment=segment)]
        assert list(content_terms(text, segment=segment)) == with_places
