import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragqa.cli.wrapping import columns, wrapped


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("abc", 3),
        ("30 天", 5),
        ("（全角）", 8),
        ("e\u0301", 1),
        ("ﾊﾝ", 2),
        ("a\u200bb", 2),
    ],
)
def test_columns_of_a_text(text, expected):
    assert columns(text) == expected


def test_english_breaks_at_blanks():
    assert wrapped("one two three four", 10) == "one two\nthree four"


def test_chinese_breaks_between_characters_but_not_before_punctuation():
    lines = wrapped("签收后三十天内可以退货，需保留包装。", 22).splitlines()
    assert "".join(lines) == "签收后三十天内可以退货，需保留包装。"
    assert all(line[0] not in "，。" for line in lines)
    assert all(columns(line) <= 24 for line in lines)


def test_every_line_is_indented_and_own_line_breaks_stay():
    assert wrapped("one two\nthree", 12, indent="    ") == "    one two\n    three"


def test_a_word_longer_than_a_line_is_cut():
    assert wrapped("a" * 25, 10) == "\n".join(["a" * 10, "a" * 10, "a" * 5])


@given(st.text(max_size=200), st.integers(10, 60))
def test_nothing_but_blanks_is_lost(text, width):
    assert "".join(wrapped(text, width).split()) == "".join(text.split())


@given(st.text(alphabet="ab 中文，。é", max_size=200), st.integers(12, 60))
def test_lines_fit(text, width):
    # A closing mark may hang over, two columns at most.
    assert all(columns(line.rstrip("，。")) <= width for line in wrapped(text, width).splitlines())
