import string

import pytest

from ragqa.cli.phrases import _PHRASES, language_for, phrase


@pytest.mark.parametrize(
    ("question", "environ", "language"),
    [
        ("How long?", {}, "en"),
        ("保修期多久？", {}, "zh"),
        ("How long?", {"LANG": "zh_CN.UTF-8"}, "zh"),
        ("How long?", {"LANG": "zh_TW"}, "zh"),
        ("How long?", {"LANG": "zh_CN.UTF-8", "LC_ALL": "en_US.UTF-8"}, "en"),
        ("How long?", {"LANG": "en_US", "LC_MESSAGES": "zh_CN"}, "zh"),
        ("How long?", {"LANG": "zh_CN.UTF-8", "LC_ALL": ""}, "zh"),
        ("How long?", {"LANG": "C.UTF-8"}, "en"),
    ],
)
def test_language(question, environ, language):
    assert language_for(question, environ) == language


def test_both_languages_take_the_same_values():
    for english, chinese in _PHRASES.values():
        fields = [
            {name for _, name, _, _ in string.Formatter().parse(text) if name}
            for text in (english, chinese)
        ]
        assert fields[0] == fields[1]


def test_values_are_filled_in():
    assert phrase("page", "en", page=3) == "page 3"
    assert phrase("page", "zh", page=3) == "第 3 页"
