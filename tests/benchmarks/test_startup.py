"""How long a whole process takes, against importing LangChain's Runnable in the same minute.

The reference runs before each round, so that a busy machine slows both alike; medians are compared.
"""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REFERENCE = ["-c", "from langchain_core.runnables import Runnable"]
ROUNDS = 15
ASKED = {  # a question, and what part of the reference it may take
    "en": ("How long do I have to return a kettle?", 0.6),
    "zh": ("水壶可以在多少天内退货？", 0.8),  # the dictionary of Chinese words alone takes 0.12 s
}


def run(args, folder):
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, *args],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"},
        stdout=subprocess.DEVNULL,
        check=True,
        timeout=60,
    )
    return time.perf_counter() - started


@pytest.fixture(scope="module")
def indexed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("startup")
    run(["-m", "ragqa", "index", str(ROOT / "ragqa/samples/shop")], folder)
    return folder


def ratio_to_reference(benchmark, args, folder):
    reference_s = []
    run(args, folder)  # compiled files and the disk cache are warm
    benchmark.pedantic(
        lambda: run(args, folder),
        setup=lambda: reference_s.append(run(REFERENCE, folder)),
        rounds=ROUNDS,
    )
    ratio = benchmark.stats.stats.median / statistics.median(reference_s)
    benchmark.extra_info["reference_s"] = round(statistics.median(reference_s), 3)
    benchmark.extra_info["ratio"] = round(ratio, 2)
    return ratio


def test_help(benchmark, tmp_path):
    assert ratio_to_reference(benchmark, ["-m", "ragqa", "--help"], tmp_path) <= 0.5


@pytest.mark.parametrize("language", ASKED)
def test_ask_on_a_warm_index(benchmark, indexed, language):
    question, limit = ASKED[language]
    args = ["-m", "ragqa", "ask", question]
    assert ratio_to_reference(benchmark, args, indexed) <= limit


def test_importing_the_package(benchmark, tmp_path):
    empty_s = min(run(["-c", "pass"], tmp_path) for _ in range(ROUNDS))
    benchmark.pedantic(lambda: run(["-c", "import ragqa"], tmp_path), rounds=ROUNDS)
    assert benchmark.stats.stats.min - empty_s < 0.01
