"""What each way in loads: starting is quick because little is imported."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.kettle import GOOD_TEXT
from tests.wire.openai_server import OpenAIServer

ROOT = Path(__file__).parents[2]
HEAVY = {
    "langchain", "langchain_core", "langchain_openai", "langchain_text_splitters", "langgraph",
    "langsmith", "numpy", "openai", "httpx", "requests", "rich", "asyncio", "docx", "pypdfium2",
    "selectolax", "charset_normalizer",
}  # fmt: skip

DOCUMENT = "# Returns\n\nA kettle can be returned within 30 days of delivery.\n"
RUN = """
import json, os, sys
from ragqa.__main__ import main
code = main(json.loads(os.environ["ARGV"]))
sys.stderr.write(json.dumps([code, sorted({name.partition(".")[0] for name in sys.modules})]))
"""


def loaded(code, folder, **env):
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8", **env},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return json.loads(done.stderr.splitlines()[-1])


def loaded_by(folder, *argv, **env):
    code, names = loaded(RUN, folder, ARGV=json.dumps(argv), **env)
    assert code == 0
    return set(names)


@pytest.fixture(scope="module")
def indexed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("indexed")
    (folder / "returns.md").write_text(DOCUMENT)
    loaded_by(folder, "index", "returns.md")
    return folder


def test_importing_the_package_loads_nothing_else(tmp_path):
    code = """
import json, sys
before = set(sys.modules)
import ragqa
sys.stderr.write(json.dumps(sorted(set(sys.modules) - before - {"ragqa", "__future__"})))
"""
    assert loaded(code, tmp_path) == []


@pytest.mark.parametrize("argv", [["--help"], ["ask", "--help"], ["--version"]])
def test_help_loads_neither_pydantic_nor_an_index(tmp_path, argv):
    assert not loaded_by(tmp_path, *argv) & (HEAVY | {"pydantic", "tantivy", "dotenv", "chains"})


@pytest.mark.parametrize(
    "argv", [["ask", "How long do I have to return a kettle?"], ["search", "return a kettle"]]
)
def test_answering_without_a_model_loads_nothing_heavy(indexed, argv):
    names = loaded_by(indexed, *argv)
    assert not names & HEAVY
    assert "rjieba" not in names  # for Chinese text only


def test_asking_a_model_loads_nothing_of_langchain(indexed):
    with OpenAIServer([GOOD_TEXT]) as server:
        env = {"OPENAI_BASE_URL": server.base_url, "RAGQA_CHAT_MODEL": "m"}
        argv = ["ask", "How long do I have to return a kettle?", "--chain", "stuff"]
        names = loaded_by(indexed, *argv, **env)
    assert "openai" in names
    assert not names & {"langchain", "langchain_core", "langchain_openai", "langsmith", "tiktoken"}


def test_tracing_variables_change_nothing(indexed):
    env = {"LANGSMITH_TRACING": "true", "LANGCHAIN_TRACING_V2": "true", "LANGSMITH_API_KEY": "x"}
    argv = ["ask", "How long do I have to return a kettle?"]
    assert not loaded_by(indexed, *argv, **env) & HEAVY


def test_indexing_plain_text_loads_no_parser_of_other_formats(tmp_path):
    (tmp_path / "a.txt").write_text("Delivery takes 3 days.")
    assert not loaded_by(tmp_path, "index", "a.txt") & {"docx", "pypdfium2", "langchain_core"}
