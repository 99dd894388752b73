"""CONTRIBUTING.md and ARCHITECTURE.md speak of what is there."""

import re
import tomllib

from tests.docs.markdown import ROOT, table_rows

CONTRIBUTING = ROOT / "CONTRIBUTING.md"
ARCHITECTURE = ROOT / "ARCHITECTURE.md"


def test_the_targets_are_those_of_the_makefile():
    shown = [row[0] for row in table_rows(CONTRIBUTING, "| target |")]
    named = {re.match(r"`make ([a-z-]+)", cell)[1] for cell in shown}
    there = set(re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert named == there - {"help"}


def test_the_folders_of_tests_are_those_that_exist():
    shown = {
        row[0].strip("`/").removeprefix("tests/") for row in table_rows(CONTRIBUTING, "| folder |")
    }
    there = {path.parent.name for path in (ROOT / "tests").glob("*/*.py")}
    assert shown == there


def test_the_layers_are_those_that_are_checked():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    checked = project["tool"]["importlinter"]["contracts"][0]["layers"]
    names = {name for line in checked for name in re.findall(r"[\w.]+", line)}
    page = ARCHITECTURE.read_text("utf-8")
    drawn = page[page.index("```text\nragqa.__main__") :].split("```")[1]
    shown = [re.findall(r"(?:ragqa\.\w+|^chains|^prompts)", line) for line in drawn.splitlines()]
    assert {name for line in shown for name in line} == names
    assert [set(line) for line in shown if line] == [
        set(re.findall(r"[\w.]+", line)) for line in checked
    ]
