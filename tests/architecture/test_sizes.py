"""Modules own one thing and stay small, functions too, and names say what is owned."""

import ast
import statistics

import pytest

from tests.architecture.source_tree import modules

MAX_MODULE_LINES = 300
MAX_FUNCTION_LINES = 50
MOSTLY_LINES = 12
EMPTY_NAMES = {"util", "utils", "helper", "helpers", "common", "base", "manager", "misc", "core"}


def functions(module):
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [node for node in ast.walk(module.tree) if isinstance(node, kinds)]


def body_lines(function):
    """Count the lines of a function without its signature and docstring."""
    body = function.body
    has_docstring = ast.get_docstring(function) is not None
    statements = body[1:] if has_docstring else body
    if not statements:
        return 0
    return statements[-1].end_lineno - statements[0].lineno + 1


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.name)
def test_modules_stay_small(module):
    assert module.lines < MAX_MODULE_LINES


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.name)
def test_functions_stay_short(module):
    long = {
        function.name: function.end_lineno - function.lineno + 1
        for function in functions(module)
        if body_lines(function) >= MAX_FUNCTION_LINES
    }
    assert not long


def test_functions_are_mostly_very_short():
    sizes = [body_lines(function) for module in modules() for function in functions(module)]
    assert statistics.quantiles(sizes, n=20)[15] <= MOSTLY_LINES  # four of five


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.name)
def test_names_say_what_a_module_owns(module):
    words = {word for part in module.name.split(".") for word in part.split("_")}
    assert not words & EMPTY_NAMES


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.name)
def test_every_module_says_what_it_is_for(module):
    tree = module.tree
    assert ast.get_docstring(tree) or not tree.body  # an empty package speaks for itself
