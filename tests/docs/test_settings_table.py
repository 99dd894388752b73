"""The tables of settings name every setting, with the default it has, and nothing else."""

import pytest

from ragqa.settings import Settings
from ragqa.settings.registry import declared, shown
from tests.docs.markdown import READMES, blocks, table_rows

TITLES = {"README.md": "| setting |", "README.zh-CN.md": "| 设置 |"}


def documented(readme):
    cells = table_rows(readme, TITLES[readme.name])
    return [(name.strip("`"), default.strip("`"), meaning) for name, default, meaning in cells]


@pytest.mark.parametrize("readme", READMES, ids=lambda path: path.name)
def test_names_and_defaults_are_those_of_the_program(readme):
    told = [(name, default) for name, default, _ in documented(readme)]
    assert told == [(name, shown(each.field.default)) for name, each in declared().items()]


def test_meanings_are_those_of_the_program():
    told = [meaning.replace("\\|", "|") for _, _, meaning in documented(READMES[0])]
    assert told == [each.field.description for each in declared().values()]


def test_every_setting_is_explained_in_chinese():
    assert all(meaning for _, _, meaning in documented(READMES[1]))


@pytest.mark.parametrize("readme", READMES, ids=lambda path: path.name)
def test_the_example_of_a_settings_file_is_read(readme, tmp_path):
    example, _ = blocks(readme, "toml")
    (tmp_path / "ragqa.toml").write_text(example.code, encoding="utf-8")
    settings = Settings.load(cwd=tmp_path, environ={})
    assert settings.top_k == 4
    assert dict(settings.folder_groups) == {"docs/internal": ("staff",)}


@pytest.mark.parametrize("readme", READMES, ids=lambda path: path.name)
def test_the_example_of_tables_is_read(readme, tmp_path):
    _, example = blocks(readme, "toml")
    (tmp_path / "ragqa.toml").write_text(example.code, encoding="utf-8")
    settings = Settings.load(cwd=tmp_path, environ={})
    assert settings.prices["qwen3:8b"].completion == 0.6
    policy = settings.category_details["policy"]
    assert settings.categories == ("policy", "other")
    assert "warranty" in policy.keywords
    assert (policy.strategy.k, dict(policy.strategy.boost)) == (3, {"returns*.md": 2.0})


def test_both_show_the_same_settings_files():
    english, chinese = ([block.code for block in blocks(path, "toml")] for path in READMES)
    assert english == chinese
