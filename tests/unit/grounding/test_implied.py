"""What a text says in words bears out the figures of others."""

from __future__ import annotations

import pytest

from ragqa.grounding.figures import figures, missing
from ragqa.grounding.figures.implied import covers_a_year, implied


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("6月底", "At the end of June it stood at 640."),
        ("3月底前", "It lapses by the end of March."),
        ("5月", "It opens again in May."),
        ("2024年6月", "In 2024, in June, it opened."),
        ("at 14:20", '{"delivered_at": "2024-05-03T14:20:00Z"}'),
        ("at 2:20 pm", '{"delivered_at": "2024-05-03T14:20:07+02:00"}'),
        ("三分之一", "A third of them were born abroad."),
        ("25%", "One quarter of the fee is due."),
        ("十分之一", "up to 1 in 10 people"),
        ("千分之一", "Rare (up to 1 in 1,000): rash."),
        ("10%", "up to 1 in 10 people"),
        ("中午12点", "Breakfast lasts until noon."),
        ("till 12 noon", "Breakfast lasts until noon."),
        ("at 12 pm", "早餐供应到中午。"),
        ("24点", "The desk closes at midnight."),
        ("until 12 am", "The desk closes at midnight."),
        ("in Q2", "In the second quarter we hired 45 people."),
        ("in Q4", "第四季度"),
        ("in the fourth quarter", "Sales rose in Q4."),
        ("Louis the Fourteenth", "Louis XIV of France"),
        ("Louis 14th", "Louis XIV, king of France"),
        ("第九交响曲之第四乐章", "The symphony No IX, movement IV"),
    ],
)
def test_words_say_the_figure(said: str, text: str) -> None:
    assert figures(said)
    assert missing(figures(said), [text]) == []


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("7月底", "At the end of June it stood at 640."),
        ("5月", "May I ask why?"),
        ("at 14:25", '{"delivered_at": "2024-05-03T14:20:00Z"}'),
        ("四分之一", "A third of them were born abroad."),
        ("in Q3", "In the second quarter we hired 45 people."),
        ("Louis the Fifteenth", "Louis XIV of France"),
        ("十分之一", "up to 1 in 100 people"),
        ("12 pm", "The desk closes at midnight."),
        ("12 days", "Breakfast lasts until noon."),
        ("14 days", "Louis XIV of France"),
        ("1 day", "The day when I left"),
    ],
)
def test_words_say_no_other_figure(said: str, text: str) -> None:
    assert missing(figures(said), [text])


def test_a_text_is_not_held_to_what_it_implies() -> None:
    assert figures("At the end of June Louis XIV left.") == ()
    assert list(implied("The summit is a mountain quarter.")) == []


@pytest.mark.parametrize(
    ("said", "text", "borne_out"),
    [
        ("Begun in the 12th century.", "It was begun in 1163.", True),
        ("In the twelfth century.", "It was begun in 1163.", True),
        ("始建于12世纪。", "该堂于1163年动工。", True),
        ("20世纪90年代", "Sales doubled in the 1990s.", True),
        ("20世纪70年代", "会议于1978年召开。", True),
        ("19世纪60年代", "该园于1860年被焚毁。", True),
        ("In the 1970s.", "It was decided in 1978.", True),
        ("In the 1960s.", "It was decided in 1978.", False),
        ("In the 13th century.", "It was begun in 1163.", False),
        ("On the 12th floor.", "It was begun in 1163.", False),
        ("In the 12th century.", "It has 1163 m of corridors.", False),
    ],
)
def test_a_year_bears_out_its_century_and_decade(said: str, text: str, borne_out: bool) -> None:
    found = figures(said)

    assert all(covers_a_year(each, said, figures(text)) for each in found) is borne_out
