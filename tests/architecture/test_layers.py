"""Nothing imports upward, every module has its layer, and chains get their parts handed in."""

import ast
import subprocess
import sys
import tomllib

import pytest

from tests.architecture.source_tree import PACKAGES, ROOT, modules

CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"][
    "importlinter"
]["contracts"]
LAYERS = [
    part.strip("() ")
    for contract in CONTRACTS
    if contract["type"] == "layers"
    for layer in contract["layers"]
    for part in layer.replace(":", "|").split("|")
]


def test_the_import_contracts_hold():
    command = "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports())"
    done = subprocess.run(
        [sys.executable, "-c", command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_layers_that_users_rely_on_are_named():
    assert {"ragqa.cli", "ragqa.app", "chains", "ragqa.errors", "prompts"} <= set(LAYERS)
    assert {contract["type"] for contract in CONTRACTS} >= {"layers", "forbidden"}


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.name)
def test_every_module_stands_in_a_layer(module):
    at_the_top = module.name == "ragqa"  # the public names, loaded when they are used
    assert at_the_top or any(
        module.name == layer or module.name.startswith(f"{layer}.") for layer in LAYERS
    )


def test_every_layer_exists():
    names = {module.name for module in modules()}
    assert set(LAYERS) <= names


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.name)
def test_only_the_command_line_imports_the_bare_package(module):
    if module.name.startswith("ragqa.cli"):
        return
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            assert "ragqa" not in [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom) and node.module == "ragqa":
            submodules = {name.name for name in modules()}
            assert all(f"ragqa.{alias.name}" in submodules for alias in node.names)


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.name)
def test_imports_are_absolute(module):
    relative = [n for n in ast.walk(module.tree) if isinstance(n, ast.ImportFrom) and n.level]
    assert not relative


def test_no_package_is_left_without_a_type_marker():
    assert all((ROOT / package / "py.typed").is_file() for package in PACKAGES)
