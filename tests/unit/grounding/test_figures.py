"""Figures agree by what they say, in English and Chinese, and never by chance."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragqa.grounding.figures import FigureSet, figures, missing, stands
from ragqa.grounding.figures.counts import contradicted, counted
from ragqa.grounding.figures.numerals import english_number, han_number
from ragqa.language import sentences

QA = Path(__file__).parents[3].parent / "shared" / "data" / "qa"
needs_data = pytest.mark.skipif(not QA.is_dir(), reason="the shared data is not here")

AGREE = [
    ("between -10 °C and 45 °C", "from –10 °C to +45 °C"),
    ("from –10°C up", "Operating temperature: -10 °C"),
    ("每8小时半片", "every 8 hours"),
    ("v3.12", "Version 3.12 added it."),
    ("version 3", "v3"),
    ("12点一刻起飞", "departs at 12:15"),
    ("年满18周岁", "aged 18 or over"),
    ("三周岁以下", "3岁以下"),
    ("8月5日至16日", "from 2024-08-05 to 2024-08-16"),
    ("8月16日", "8月5日至16日"),
    ("第23分钟", "in the 23rd minute"),
    ("in the 23rd minute", "第23分钟"),
    ("周六到14点", "2 pm on Saturday"),
    ("周六晚8点", "20:00 on Saturday"),
    ("室温为-8℃到6℃", "零下8至6摄氏度"),
    ("-8~-6℃", "-8℃至-6℃"),
    ("$3.1 billion", "between 3.1 and 3.4 billion dollars"),
    ("$7 million", "$7–9 million"),
    ("60000元", "6到8万元"),
    ("六到八万元", "6万元到8万元"),
    ("open until 6.15 p.m.", "open until 18:15"),
    ("50% of the fee", "half of the fee"),
    ("定金的50%", "定金的一半"),
    ("12 x 8 x 30 cm", "120 x 80 x 300 mm"),
    ("€7/kg", "€7 per kg"),
    ("$4,000", "$4k"),
    ("You have 30 days.", "Returns are open for thirty days."),
    ("a thirty-day window", "within 30 days"),
    ("one year", "Warranty: 12 months"),
    ("one month", "Items can be returned in a month."),
    ("7 days", "It takes a full week."),
    ("1 litre", "It boils a litre in 3 minutes."),
    ("一年", "a warranty of a year"),
    ("a year", "Warranty: 12 months"),
    ("签收后一年内", "保修期为12个月"),
    ("提前一天", "至少24小时"),
    ("12 months of warranty", "a one-year warranty"),
    ("It holds 1700 ml.", "holds 1.7 litres"),
    ("1.7 L", "capacity 1,700 ml"),
    ("It costs $1,200.", "Price: 1200 USD"),
    ("1 200 euros", "1.200,00 €"),
    ("20% off", "a discount of twenty percent"),
    ("0.5%", "half a percent"),
    ("open from 9 am to 5 pm", "open 9:00–17:00"),
    ("It opens at 9:00.", "from 9 a.m."),
    ("9 to 5 pm", "9:00-17:00"),
    ("May 1, 2024", "release date: 2024-05-01"),
    ("1 May 2024", "released 05/01/2024"),
    ("in May 2024", "released on 3 May 2024"),
    ("in 2024", "released on 3 May 2024"),
    ("May 1, 2024", "In 2024 it came out, on 1 May."),
    ("between 3 and 5 working days", "3-5 working days"),
    ("1 to 2 weeks", "7 to 14 days"),
    ("1.2 kg", "K2: 1200 g"),
    ("The XQ 200 fits.", "model XQ-200"),
    ("ISO 9001", "ISO9001 certified"),
    ("USB 3.0", "a USB3.0 port"),
    ("the B28", "article B28-R"),
    ("half an hour", "wait 30 minutes"),
    ("1.5 hours", "one and a half hours"),
    ("1 hour 30 minutes", "90 minutes"),
    ("5 ft 6 in.", "66 inches"),
    ("24 hours", "takes one day"),
    ("two thirds", "2/3 recycled"),
    ("a dozen eggs", "12 eggs"),
    ("the 1990s", "in 1990"),
    ("20th century", "the twentieth century"),
    ("the 1st floor", "first floor"),
    ("10,000 people", "ten thousand people"),
    ("2.5 million", "2,500,000"),
    ("$2.5m", "US$2.5 million"),
    ("nineteen ninety-seven", "1997"),
    ("5 pounds", "£5"),
    ("5 pounds", "2.26796185 kg"),
    ("68 °F", "20 °C"),
    ("-20 °C", "minus 20 degrees Celsius"),
    ("30 x 40 cm", "30×40cm"),
    ("2.5 metres", "250 cm"),
    ("1,00,000 rupees", "₹100,000"),
    ("Call +31 10 123 4567.", "Phone: +31-10-1234567"),
    ("请拨打4001234567。", "客服热线：400-123-4567"),
    ("400-123-4567", "客服热线4001234567"),
    ("https://x.test/k2", "see https://x.test/k2."),
    ("退货期为三十天。", "签收后30天内可退货。"),
    ("退货期为30天。", "签收后三十天内可退货。"),
    ("保修两年。", "保修期为24个月"),
    ("半年", "6个月"),
    ("两年半", "30个月"),
    ("一个半小时", "90分钟"),
    ("1小时30分钟", "90分钟"),
    ("两周", "14天"),
    ("容量1.7升。", "容量：1700毫升"),
    ("价格为1,299元。", "售价￥1299"),
    ("一千二百九十九元", "售价1299元"),
    ("人口约1.2万。", "人口12000人"),
    ("一万二千", "1.2万"),
    ("一万二", "12000"),
    ("3万5千元", "35,000元"),
    ("25万美元", "$250,000"),
    ("1.5亿元", "150,000,000元"),
    ("百分之五", "5%"),
    ("百分之五点五。", "５.５％"),
    ("三成", "30%"),
    ("打八折。", "按原价的80%销售"),
    ("八折", "20% off"),
    ("八五折", "8.5折"),
    ("下午3点开门。", "15:00开门"),
    ("3到5天送达。", "三至五天内送达"),
    ("2024年5月1日", "发布日期：2024-05-01"),
    ("二〇二四年五月一日", "2024年5月1日"),
    ("零下20度", "-20℃"),
    ("第二十届", "20th"),
    ("３０天内", "30天内"),
    ("Two-year warranty", "2年保修"),
    ("K17：1.7 L", "K17水壶容量1.7升"),
    ("1 charger", "one charger"),
    ("含1个充电器", "一个充电器"),
    ("from 1914 to 1918", "1914–18"),
    ("1914–18", "1914-1918"),
    ("in the '90s", "in the 1990s"),
    ("version 2.0.1", "v2.0.1"),
    ("上世纪90年代", "1990年代"),
    ("97年", "1997年"),
    ("身高1米8", "身高1.8米"),
    ("1米80", "1.80米"),
    ("2公斤半", "2.5公斤"),
    ("75%", "three quarters"),
    ("0", "zero"),
    ("ninety-nine point five", "99.5"),
    ("1 May '24", "1 May 2024"),
    ("晚上8点", "20:00"),
    ("10点半", "10:30"),
    ("十九世纪", "19世纪"),
    ("5月5日", "May 5"),
    ("1.2亿", "120 million"),
    ("15.6 in", "15.6-inch"),
    ("two to three weeks", "14 to 21 days"),
    ("half a litre", "500 ml"),
    ("iPhone 15", "iPhone15"),
    ("Bluetooth 5.0", "Bluetooth 5"),
]

DIFFER = [
    ("请拨打4001234568。", "客服热线：400-123-4567"),
    ("签收后一周内可退货", "签收后30天内可退货"),
    ("提前一天预约", "提前三天预约"),
    ("室温为-8℃", "室温8℃"),
    ("7万元", "6到8万元"),
    ("$3.1 million", "between 3.1 and 3.4 billion dollars"),
    ("A fee of €7", "a loss of €7 million"),
    ("7 thousand visitors", "7 visitors"),
    ("at most 20 m", "at most 20 m²"),
    ("It runs 90 km.", "It runs 90 km/h."),
    ("$4", "$4k"),
    ("The town employs 1.4 billion people", "The town employs 1.4 million people"),
    ("The pump moves 45", "The pump moves 4.5"),
    ("USB 31", "USB3.1"),
    ("40%", "half of the fee"),
    ("6.15 p.m.", "open until 18:45"),
    ("60 days", "within 30 days"),
    ("sixty days", "within 30 days"),
    ("30 hours", "30 days"),
    ("30%", "30 days"),
    ("1.8 litres", "1.7 litres"),
    ("1.7 ml", "1.7 litres"),
    ("5 kg", "5 g"),
    ("$30", "It costs €30."),
    ("K3", "The K2 weighs 1 kg"),
    ("K2", "K20"),
    ("XQ-201", "XQ-200"),
    ("ISO 14001", "ISO 9001"),
    ("May 2, 2024", "May 1, 2024"),
    ("May 1, 2023", "May 1, 2024"),
    ("2023", "May 2024"),
    ("two years", "one year"),
    ("2.5 years", "2 years"),
    ("one month", "30 days"),
    ("5 days", "15 days"),
    ("30", "3.0"),
    ("199", "1990"),
    ("20 °C", "-20 °C"),
    ("3 pm", "3 am"),
    ("20 °F", "20 °C"),
    ("3 to 7 days", "3 to 5 days"),
    ("45 in total", "20 and 25"),
    ("https://x.test/k3", "https://x.test/k2"),
    ("+31 10 123 4568", "+31 10 123 4567"),
    ("三年保修", "两年保修"),
    ("退货期六十天", "30天"),
    ("五天", "十五天"),
    ("十天", "几十天"),
    ("1.3万", "1.2万"),
    ("2万元", "2元"),
    ("百分之六", "5%"),
    ("打七折", "八折"),
    ("下午4点", "15:00"),
    ("第五代", "第四代"),
    ("一百元", "一百二十元"),
    ("一个半小时", "一小时"),
    ("5月2日", "5月1日"),
    ("30个月", "30天"),
    ("十八世纪", "十九世纪"),
    ("It holds twelve.", "twenty"),
    ("thirteen", "thirty"),
    ("K17-G", "K17-F"),
    ("05:00", "17:00"),
    ("3月", "3个月"),
    ("2020年", "20年"),
    ("$1.2 million", "$1.2 billion"),
    ("5 kW", "5 kWh"),
    ("1,5 L", "15 L"),
    ("49元", "49美元"),
    ("-10 °C", "5 –10 °C"),
    ("v3.13", "version 3.12"),
    ("每周三到五次", "每周两次"),
    ("8小时半", "8小时"),
    ("3周岁", "3周"),
    ("8月5日至17日", "from 2024-08-05 to 2024-08-16"),
    ("第23分钟", "in the 24th minute"),
    ("晚上9点", "20:00"),
]


@pytest.mark.parametrize(("said", "text"), AGREE)
def test_the_same_is_found_in_another_form(said: str, text: str) -> None:
    found = figures(said)
    assert found
    assert missing(found, [text]) == []


@pytest.mark.parametrize(("said", "text"), DIFFER)
def test_another_figure_does_not_pass_for_it(said: str, text: str) -> None:
    assert missing(figures(said), [text])


@pytest.mark.parametrize(
    "text",
    [
        "one of the options",
        "once and for all",
        "half the price",
        "hundreds of people",
        "a year, a day, an hour",
        "Open 24/7.",
        "1. Unplug it. 2. Rinse it. 3. Dry it.",
        "Step 1: wait",
        "as said above [1] and elsewhere [2, 3]",
        "一个一下一些一般一起万一千万百度三星统一一定",
        "有一天，每一年，另一个，某一次",
        "几十个，数百人，十几天",
        "周三到五，周六晚，一天三次地服用",
        "五一，六一",
        "三角形，四川，八卦",
        "There are three ways, and these two.",
        "这三个，那两种，分三步走",
        "First wait, then rinse a second time.",
    ],
)
def test_words_and_list_numbers_are_no_figures(text: str) -> None:
    assert [figure.text for figure in figures(text) if not figure.loose] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,200", [1200, Fraction(6, 5)]),
        ("1.200", [Fraction(6, 5), 1200]),
        ("1.200,50", [Fraction(2401, 2)]),
        ("0.10", [Fraction(1, 10)]),
        ("1½", [Fraction(3, 2)]),
        (".5 kg", [Fraction(1, 2)]),
        ("3万5千", [35000]),
    ],
)
def test_values_are_exact_and_ambiguity_is_kept(text: str, expected: list[Fraction]) -> None:
    assert list(figures(text)[0].numbers) == expected


@pytest.mark.parametrize(
    ("text", "kind", "unit", "shown"),
    [
        ("costs US$1.2 million today", "money", "money USD", "US$1.2 million"),
        ("the K2 kettle", "name", "name", "K2"),
        ("on 2024-05-01 we", "date", "date", "2024-05-01"),
        ("at 15:30 sharp", "time", "time of day", "15:30"),
        ("about 5 % more", "percent", "percent", "5 %"),
        ("重约1.2公斤", "quantity", "mass", "1.2公斤"),
        ("第五代产品", "ordinal", "ordinal", "第五"),
        ("within 5 working days", "quantity", "time", "5 working days"),
    ],
)
def test_kind_unit_and_span(text: str, kind: str, unit: str, shown: str) -> None:
    (figure,) = figures(text)
    assert (figure.kind, figure.unit, figure.text) == (kind, unit, shown)
    assert text[slice(*figure.span)] == shown


def test_supported_takes_any_figures() -> None:
    (said,) = figures("sixty minutes")
    assert FigureSet.of(figures("It takes an hour, or 1 hour.")).supports(said)
    assert not FigureSet.of(()).supports(said)


def test_counting_words_are_wrong_only_against_another_count_of_the_same() -> None:
    (two,) = figures("It has two handles.")
    assert two.loose
    assert counted("It has two handles.", two) == "handle"
    assert contradicted(two, "It has two handles.", ["The pot has three handles."])
    assert not contradicted(two, "It has two handles.", ["A handle on each side."])
    assert not contradicted(two, "It has two handles.", ["3 handles or 2 handles"])
    (three,) = figures("有三个档位")
    assert contradicted(three, "有三个档位", ["共有五个档位"])
    assert not contradicted(three, "有三个档位", ["有高、中、低三个档位"])


def test_a_piece_inside_a_longer_figure_does_not_stand() -> None:
    assert not stands("5 days", "within 15 days")
    assert not stands("1.5", "21.5")
    assert not stands("30", "30,000")
    assert not stands("三十", "三十五天")
    assert stands("30", "is 30.")
    assert stands("30 days", "x30 days, 30 days")


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("two hundred and five", 205),
        ("one hundred thousand", 100_000),
        ("five million two hundred thousand and one", 5_200_001),
        ("twenty twenty-four", 2024),
        ("two dozen", 24),
        ("three quarters", Fraction(3, 4)),
        ("one two three", None),
    ],
)
def test_english_number_words(words: str, value: int | None) -> None:
    assert english_number(words, 0)[0] == value


@pytest.mark.parametrize(
    ("numerals", "value"),
    [
        ("十", 10),
        ("十二", 12),
        ("一百零五", 105),
        ("一百二", 120),
        ("两千五", 2500),
        ("一万零五", 10_005),
        ("一亿两千万", 120_000_000),
        ("三万亿", 3 * 10**12),
        ("壹仟贰佰", 1200),
        ("廿五", 25),
        ("二〇一四", 2014),
        ("千万", None),
        ("三四百", None),
    ],
)
def test_chinese_numerals(numerals: str, value: int | None) -> None:
    assert han_number(numerals) == value


def _corpus(language: str) -> Iterator[str]:
    with (QA / language / "corpus.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)["text"]


@needs_data
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_sentence_never_misses_a_figure_of_its_own_passage(language: str) -> None:
    """Cutting a sentence out of its passage must not change what its figures say."""
    count, wrong = 0, []
    for text in _corpus(language):
        whole = FigureSet.of(figures(text))
        for start, end in sentences(text):
            count += 1
            if not all(whole.supports(each) for each in figures(text[start:end])):
                wrong.append(text[start:end])
    print(f"{language}: {len(wrong)} of {count} sentences")
    assert len(wrong) <= count / 5000


_MIXED = st.text(
    alphabet=st.sampled_from(
        "0123456789,. :-/%$€年月日天个十百千万亿一二两三点分之第半折KmLabet 元°½\n"
    )
)


@given(st.one_of(st.text(), _MIXED))
@settings(max_examples=400)
def test_any_text_has_figures_that_stand_in_it(text: str) -> None:
    end = 0
    for figure in figures(text):
        assert end <= figure.start < figure.end <= len(text)
        end = figure.end
        assert FigureSet.of([figure]).supports(figure)
    assert missing(figures(text), [text]) == []


@given(st.integers(0, 10**12 - 1))
def test_separators_and_scripts_do_not_matter(number: int) -> None:
    plain = figures(f"{number} kg")
    for form in (f"{number:,} kg", f"{number:,}".replace(",", " ") + " kg", f"{number}千克"):
        assert missing(figures(form), [f"{number} kg"]) == []
        assert missing(plain, [form]) == []


@given(st.integers(0, 10**8), st.integers(0, 10**8))
def test_two_numbers_agree_only_if_they_are_one(first: int, second: int) -> None:
    agree = not missing(figures(f"It costs {first} euros."), [f"costs {second} euros"])
    assert agree == (first == second)


@pytest.mark.parametrize(
    "piece", ["1", "1,", "1 ", "1.", "一", "一百", "one ", "hundred-", "1½", "K-2-", "[1]", "A "]
)
def test_time_grows_with_the_text_only(piece: str) -> None:
    def seconds(chars: int) -> float:
        text = piece * (chars // len(piece))
        begin = time.process_time()
        FigureSet.of(figures(text))
        return time.process_time() - begin

    longer, shorter = (min(seconds(chars) for _ in range(3)) for chars in (40_000, 4_000))
    assert longer < 40 * max(shorter, 0.002)
