"""Prompt files: declared variables are used, values are never templates, languages agree."""

from __future__ import annotations

import pytest

import prompts
from ragqa.errors import ConfigError, UnknownNameError


@pytest.mark.parametrize("name", prompts.names())
def test_both_languages_stand_and_declare_the_same_variables(name):
    english, chinese = (prompts.load(name, language) for language in prompts.LANGUAGES)
    assert (english.language, chinese.language) == ("en", "zh")
    assert english.variables == chinese.variables
    assert [role for role, _ in english.parts if role in {"system", "user"}] == [
        role for role, _ in chinese.parts if role in {"system", "user"}
    ]


@pytest.mark.parametrize(
    "value", ["{{question}}", "{question}", "{}", "%s", "\\1 \\g<0>", "{{", "=== system ==="]
)
def test_a_value_is_never_read_as_a_template(value):
    prompt = prompts.parse(
        "p", "en", "---\nvariables: question, other\n---\n=== user ===\n{{question}}|{{other}}"
    )
    assert prompt.render(question=value, other="X") == (("user", f"{value}|X"),)


def test_wrong_values_and_wrong_declarations_are_told():
    prompt = prompts.parse("p", "en", "---\nvariables: a\n---\n=== user ===\n{{a}}")
    with pytest.raises(ConfigError, match="b"):
        prompt.render(a="1", b="2")
    for text in ("---\nvariables: a, b\n---\n=== user ===\n{{a}}", "no front matter"):
        with pytest.raises(ConfigError):
            prompts.parse("p", "en", text)


def test_the_digest_follows_the_text():
    one, other = (
        prompts.parse("p", "en", f"---\nvariables:\n---\n=== user ===\n{text}") for text in "ab"
    )
    assert one.digest != other.digest


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(UnknownNameError, match="answer"):
        prompts.load("nonsense", "en")


def test_another_language_gets_english():
    assert prompts.load("answer", "fr").language == "en"
