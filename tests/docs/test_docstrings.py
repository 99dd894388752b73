"""Examples in docstrings give what stands below them."""

import doctest
import importlib

import pytest

from tests.architecture.source_tree import modules

EXAMPLES = [module.name for module in modules() if ">>> " in module.path.read_text("utf-8")]


def test_there_are_examples():
    assert len(EXAMPLES) > 40


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_hold(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert not failed, capsys.readouterr().out
    assert not list(tmp_path.iterdir()), "an example leaves files"
