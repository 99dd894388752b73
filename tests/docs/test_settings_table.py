"""The tables of settings name every setting, with the default it has, and nothing else."""

import pytest

from ragqa.settings import Settings, rows
from tests.docs.markdown import READMES, blocks, table_rows

TITLES = {"README.md": "| setting |", "README.zh-CN.md": "| 设置 |"}


def documented(readme):
    cells = table_rows(readme, TITLES[readme.name])
    return [(name.strip("`"), default.strip("`"), meaning) for name, default, meaning in cells]


@pytest.mark.parametrize("readme", READMES, ids=lambda path: path.name)
def test_names_and_defaults_are_those_of_the_program(readme):
    shown = [(name, default) for name, default, _ in documented(readme)]
    assert shown == [(row.name, row.default) for row in rows()]


def test_meanings_are_those_of_the_program():
    shown = [meaning.replace("\\|", "|") for _, _, meaning in documented(READMES[0])]
    assert shown == [row.meaning for row in rows()]


def test_every_setting_is_explained_in_chinese():
    assert all(meaning for _, _, meaning in documented(READMES[1]))


@pytest.mark.parametrize("readme", READMES, ids=lambda path: path.name)
def test_the_example_of_a_settings_file_is_read(readme, tmp_path):
    (example,) = blocks(readme, "toml")
    (tmp_path / "ragqa.toml").write_text(example.code, encoding="utf-8")
    settings = Settings.load(cwd=tmp_path, environ={})
    assert settings.top_k == 4
    assert dict(settings.folder_groups) == {"docs/internal": ("staff",)}
