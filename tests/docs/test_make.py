"""The make targets that people use first."""

import json
import sys

import pytest

from tests.docs.markdown import ROOT
from tests.docs.terminal import environment, piped
from tests.docs.walk import Walk

MAKE = f"make VENV={sys.prefix} -o {sys.prefix}/bin/.installed"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    walk = Walk(tmp_path_factory.mktemp("clone"), model_address="")
    walk.prepare()
    return walk.folder


@pytest.mark.parametrize(
    "question",
    [
        'What does "E1" mean on the kettle?',
        "What does `E1` mean on the kettle & what then?",
        "What does E1 mean on the kettle, and is it $5 or $(pwd)?",
        "水壶显示 “E1” 是什么意思；怎么办？",
    ],
)
def test_ask_hands_over_the_question_as_it_is(folder, question):
    echo = folder / "echo" / "bin" / "python"
    echo.parent.mkdir(parents=True, exist_ok=True)
    echo.write_text('#!/bin/sh\nprintf %s "$4"\n')  # -m ragqa ask QUESTION
    echo.chmod(0o755)
    script = 'make VENV=echo -o echo/bin/.installed ask Q="$Q"'
    ran = piped(script, folder, environment(HOME=str(folder), Q=question))
    assert (ran.code, ran.out) == (0, question)


def test_ask_has_a_question_of_its_own(folder):
    ran = piped(f"{MAKE} ask", folder, environment(HOME=str(folder)))
    assert "30 days" in json.loads(ran.out)["response"]["answer"]


def test_make_alone_lists_the_targets():
    ran = piped("make", ROOT, environment())
    assert ran.code == 0
    for target in ("ask", "test", "check", "install"):
        assert f"\n{target} " in f"\n{ran.out}"
