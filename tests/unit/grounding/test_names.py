"""Names of a sentence, and whether a quote holds them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragqa.grounding.names import holds, names
from ragqa.language import sentences

QA = Path(__file__).parents[3].parent / "shared" / "data" / "qa"
needs_data = pytest.mark.skipif(not QA.is_dir(), reason="the shared data is not here")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The line opened in May 1904 near Lake Baikal.", ["Lake Baikal"]),
        ("Unopened items can be returned.", []),
        ("Tesla was born in Smiljan. He met Tesla again.", ["Tesla", "Smiljan"]),
        ("NASA uses the K17 on Monday.", ["NASA", "K17"]),
        ("The University of Oxford is old.", ["University of Oxford"]),
        ("《红楼梦》由曹雪芹所作，又称“石头记”。", ["红楼梦", "石头记"]),
        ('He said "I will go there tomorrow with all of you, my dear friends".', []),
    ],
)
def test_names(text: str, expected: list[str]) -> None:
    assert list(names(text)) == expected


@pytest.mark.parametrize(
    ("quote", "sentence", "expected"),
    [
        (
            "The K17 can be returned within thirty days.",
            "You may return the K17 for 30 days.",
            True,
        ),
        ("It can be returned within thirty days.", "You may return the K17 for 30 days.", False),
        ("The K17 can be returned within 20 days.", "You may return the K17 for 30 days.", False),
        ("in Smiljan, in 1856", "Tesla was born in Smiljan in 1856.", True),
        ("in Smiljan, in 1856", "He was born in Graz in 1856.", False),
        ("Lake  Baikal's shore", "It lies near Lake Baikal.", True),
        ("签收后30天内可退货", "退货期为三十天。", True),
        ("《西游记》的作者", "作者写了《红楼梦》。", False),
        ("A handle on each side.", "It has two handles.", True),
    ],
)
def test_holds(quote: str, sentence: str, expected: bool) -> None:
    assert holds(quote, sentence) is expected


def test_several_quotes_hold_together_what_none_holds_alone() -> None:
    assert holds(["The K17 holds a lot.", "It is 1.7 litres."], "The K17 holds 1,700 ml.")


@needs_data
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_sentence_holds_itself(language: str) -> None:
    with (QA / language / "corpus.jsonl").open(encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines][:400]
    said = [text[start:end] for text in texts for start, end in sentences(text)]
    assert [sentence for sentence in said if not holds(sentence, sentence)] == []


@given(st.text(), st.text())
def test_any_texts_can_be_held_against_each_other(quote: str, sentence: str) -> None:
    holds(quote, sentence)
    assert holds(sentence, sentence)


def test_a_number_in_other_groups_is_held() -> None:
    assert holds("Our phone: 0800-1234567.", "The phone is 0800 123 4567.")
    assert not holds("Our phone: 0800-1234568.", "The phone is 0800 123 4567.")


@pytest.mark.parametrize("name", ["A５", "A꯰", "Ｋ17"])
def test_digits_of_other_scripts_are_the_same_in_names(name: str) -> None:
    assert holds(f"The {name} is new.", f"The {name} is new.")


def test_a_unit_is_no_name() -> None:
    assert names("Water boils at 100 degrees Celsius.") == ()
    assert holds("Water boils at 100 °C.", "Water boils at 100 degrees Celsius.")
