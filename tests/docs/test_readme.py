"""Every command and every piece of Python in the READMEs does what they show."""

import json
import re
import tomllib

import pytest

from tests.docs.markdown import READMES, ROOT, agrees, blocks, json_agrees
from tests.docs.replies import REPLY
from tests.docs.walk import NOT_RUN, Walk, runnable
from tests.wire.openai_server import OpenAIServer

ENGLISH, CHINESE = READMES
BLOCKS = runnable(ENGLISH)


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    """Run the README once, from its first block to its last; the other one has the same blocks."""
    with OpenAIServer(always=json.dumps(REPLY)) as server:
        walk = Walk(tmp_path_factory.mktemp("readme"), server.base_url)
        walk.prepare()
        results = {block.name: walk.run(block) for block in BLOCKS}
    assert server.answered, "the block with a model asks the model"
    return results


@pytest.mark.timeout(400)  # the first of these runs everything
@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.name)
def test_block_does_what_it_shows(walked, block):
    ran = walked[block.name]
    printed = ran.out + ran.err
    assert ran.code == 0, printed
    assert "Traceback" not in printed
    if block.shown_language == "json":
        assert json_agrees(json.loads(block.shown), json.loads(ran.out)), ran.out
    elif block.shown is not None:
        assert agrees(block.shown, ran.out), ran.out


def test_both_readmes_have_the_same_commands():
    english, chinese = (
        [block.commands if block.language == "sh" else block.code for block in runnable(readme)]
        for readme in (ENGLISH, CHINESE)
    )
    assert english == chinese


def test_both_readmes_show_the_same_outputs():
    english, chinese = (
        [block.shown for block in runnable(readme)] for readme in (ENGLISH, CHINESE)
    )
    assert english == chinese


@pytest.mark.parametrize("readme", READMES, ids=lambda path: path.name)
def test_set_up_commands_install_what_there_is(readme):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    commands = [command for block in blocks(readme, "sh") for command in block.commands]
    installs = [command for command in commands if command.startswith("pip install")]
    assert installs, "the README says how to install"
    for command in installs:
        wanted = re.fullmatch(r"pip install '?\.(?:\[(?P<extra>\w+)\])?'?", command)
        assert wanted, command
        assert wanted["extra"] is None or wanted["extra"] in project["optional-dependencies"]


@pytest.mark.parametrize("readme", READMES, ids=lambda path: path.name)
def test_make_targets_exist(readme):
    made = re.findall(r"^make (\w+)", "\n".join(_commands(readme)), re.MULTILINE)
    targets = re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {"ask", "test", "check"} <= set(made) <= set(targets)


@pytest.mark.parametrize("readme", READMES, ids=lambda path: path.name)
def test_little_is_left_out(readme):
    """Only what sets up the environment is not run."""
    not_run = {command for command in _commands(readme) if NOT_RUN.match(command)}
    assert len(not_run) <= 6


def _commands(readme):
    return [command for block in blocks(readme, "sh") for command in block.commands]


def test_exit_codes_are_those_of_the_errors():
    from ragqa import errors

    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    codes = {kind.exit_code for kind in kinds if issubclass(kind, errors.RagqaError)}
    for readme in READMES:
        rows = re.findall(r"^\| (\d+) \|", readme.read_text("utf-8"), re.MULTILINE)
        shown = {int(code) for code in rows}
        assert {0, 2, 3, 4, 5} <= shown <= codes | {0, 130}
