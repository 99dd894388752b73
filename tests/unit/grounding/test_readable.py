import pytest

from ragqa.contract import Passage
from ragqa.grounding import asked
from ragqa.grounding.follow_ups import follow_ups
from ragqa.grounding.readable import fits_row, is_item, readable, row


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("**Price**: 49 euros", "Price: 49 euros"),
        ("- Descale the `kettle` weekly.", "Descale the kettle weekly."),
        ("2. Plug it in.", "Plug it in."),
        ("2.5 litres fit in.", "2.5 litres fit in."),
        ("## Returns", "Returns"),
        ("See [our page](https://x.org/a_b) first.", "See our page first."),
        ("It was built.[12]", "It was built."),
        ("| E1 | No water |", "E1, No water"),
        ("| E1 | 没有水 |", "E1，没有水"),
        ("It wraps over\r\nthe line.", "It wraps over the line."),
        ("这句话\n换行了。", "这句话换行了。"),
        ("It includes:\n- poles\n- pegs", "It includes: poles; pegs"),
        ("包括：\n- 帐杆\n- 地钉", "包括：帐杆；地钉"),
        ("a {b} %s <script> 5 * 3 * 2 x_y_z", "a {b} %s <script> 5 * 3 * 2 x_y_z"),
    ],
)
def test_marks_go_and_words_stay(quote: str, text: str) -> None:
    assert readable(quote) == text


@pytest.mark.parametrize(
    ("quote", "question", "text"),
    [
        (
            "model: L5; product: Lamp; price_eur: 39.00",
            "What does the lamp cost?",
            "Lamp, price eur: 39.00",
        ),
        ("model: L5; product: Lamp; in_stock: 4", "Is the lamp L5 available?", "L5, in stock: 4"),
        ("型号: L5; 产品: 台灯; 价格: 39", "台灯多少钱？", "台灯，价格：39"),
        ("车型: GL8; 座位: 7; 日租金（元）: 398", "GL8多少钱？", "GL8，日租金（元）：398"),
        ("room: Dublin; floor: 3; seats: 30", "Which room has 30 seats?", "Dublin, seats: 30"),
        ("门店: 机场店; 电话: 1; 营业: 24 小时", "哪个门店24小时营业？", "机场店，营业：24 小时"),
        ("code: E1; meaning: No water", "What does E1 mean?", "E1: No water"),
    ],
)
def test_rows_read_as_what_was_asked(quote: str, question: str, text: str) -> None:
    assert row(quote, asked(question)) == text


@pytest.mark.parametrize("quote", ["It is new; it is red.", "Price: 39", "No row at all."])
def test_other_text_is_no_row(quote: str) -> None:
    assert row(quote, asked("What does it cost?")) is None


def test_items() -> None:
    assert is_item("- poles")
    assert is_item("  2) pegs")
    assert not is_item("poles")


def passage(heading: str, id_: str = "k.md", text: str = "Some text.") -> Passage:
    return Passage(id=id_, title=id_, text=text, heading=heading)


def test_follow_ups_come_from_neighbouring_headings() -> None:
    best = passage("Kettle manual > Descaling")
    others = [
        best,
        passage("Kettle manual > Safety"),
        passage("Kettle manual > Introduction"),
        passage("Kettle manual"),
        passage("Kettle manual > What if it leaks?"),
        passage("Tent manual > Pegs", "t.md"),
        passage("水壶 > 安全"),
    ]
    found = follow_ups(asked("How do I descale it?"), best, others, 3)
    assert found == ["What do the documents say about “Safety”?", "What if it leaks?"]


def test_follow_ups_speak_the_language_of_the_question() -> None:
    best = passage("水壶 > 除垢")
    found = follow_ups(asked("怎么除垢？"), best, [best, passage("水壶 > 安全须知")], 3)
    assert found == ["关于“安全须知”，文档里怎么说？"]


def test_follow_ups_keep_to_the_limit() -> None:
    best = passage("M > A1")
    many = [best, *(passage(f"M > Topic {n}") for n in "abcdef")]
    assert len(follow_ups(asked("Why?"), best, many, 2)) == 2
    assert follow_ups(asked("Why?"), best, many, 0) == []


@pytest.mark.parametrize(
    ("quote", "question", "fits"),
    [
        ("| Battery | 36 V, 5 Ah |", "How do I clean it?", False),
        ("| 电池 | 36 伏 5 安时 |", "割草机怎么清洗？", False),
        ("model: M40; width: 40 cm; noise: 89 dB", "Where is it made?", False),
        ("| Dark mode | Ctrl+D |", "How do I get dark mode?", True),
        ("| Made in | Ireland |", "Where is it made?", True),
        ("| Weight | 17.5 kg |", "How heavy is it?", True),
        ("Turn it 90 degrees.", "How do I open it?", True),
    ],
)
def test_figures_alone_do_not_tell_how_or_where(quote: str, question: str, fits: bool) -> None:
    assert fits_row(quote, asked(question)) is fits
