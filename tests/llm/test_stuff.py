"""A real model writes mostly nonsense, being so small: the answers are valid all the same."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from chains import stuff
from ragqa import samples
from ragqa.app.indexing import sync_before_asking
from ragqa.app.parts import parts_for
from ragqa.contract import Answer, QAResponse
from ragqa.ports import Parts
from ragqa.providers.forms import DEFAULT_ORDER, Mode
from ragqa.settings import Settings
from tests.llm.small_model import TIMEOUT_S, small_model

QUESTIONS = 30

FORMATS: dict[str, tuple[Mode, ...]] = {"with schema": DEFAULT_ORDER, "without schema": ()}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Parts:
    home = tmp_path_factory.mktemp("home")
    settings = Settings.load(cwd=home, environ={}, home=home / ".ragqa", timeout_s=TIMEOUT_S)
    sync_before_asking([samples.SHOP], settings, None)
    return parts_for(settings, with_model=False)


def _questions() -> Iterator[str]:
    """Take the questions evenly: both languages, answerable or not."""
    lines = Path(samples.QUESTIONS).read_text("utf-8").splitlines()
    for line in lines[:: max(1, len(lines) // QUESTIONS)][:QUESTIONS]:
        yield json.loads(line)["question"]


def _kind(answer: Answer) -> str:
    if answer.status == "answered":
        mended = any(attempt.repairs for attempt in answer.attempts)
        return "repaired without a call" if mended else "valid at first"
    if answer.status == "degraded":
        return f"degraded: {answer.reason}"
    return {"repaired": "repaired by a call"}.get(answer.status, answer.status)


@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", FORMATS)
def test_every_answer_is_valid(llm_base_url: str, shop: Parts, name: str) -> None:
    chain = stuff.build(replace(shop, model=small_model(llm_base_url, FORMATS[name])))
    kinds: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    for question in _questions():
        answer = chain.invoke(question)
        QAResponse.model_validate_json(answer.response.model_dump_json(), strict=True)
        assert answer.usage.calls <= 2
        assert len(answer.attempts) <= 2
        kinds[_kind(answer)] += 1
        print(".", end="", flush=True)
        codes.update(attempt.code for attempt in answer.attempts)
    print(f"\n{name}: {dict(kinds)}; replies: {dict(codes)}")
    assert kinds.total() == QUESTIONS
