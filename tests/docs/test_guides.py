"""The guides in docs/: their blocks run in order, and do what they show."""

import json
import shutil

import pytest

from tests.docs.markdown import ROOT, agrees, blocks
from tests.docs.walk import Walk, runnable
from tests.wire.azure.openai_server import AzureOpenAIServer
from tests.wire.azure.search_server import SearchServer
from tests.wire.openai_replies import Reply
from tests.wire.openai_server import OpenAIServer

EMBEDDING = ROOT / "docs" / "embedding.md"
AZURE = ROOT / "docs" / "laptop-to-azure.md"
AGENT = ROOT / "docs" / "agent.md"
DESK = ROOT / "tests" / "docs" / "support_desk"

SAID = {
    "How long do I have to return a kettle?": (
        "You can return a kettle within 30 days of delivery.",
        "returns-policy.md",
    ),
    "How long is the warranty on tents?": (
        "For backpacks and tents the warranty lasts 5 years.",
        "warranty.md",
    ),
    "What does a return cost?": (
        "A return costs 4.95 euros, which we take off the refund.",
        "returns-policy.md",
    ),
}


class Answers:
    """Answers the questions of the guides, in whatever format the request asks for."""

    def _next(self, body):
        asked = body["messages"][-1]["content"]
        answer, title = next(said for question, said in SAID.items() if question in asked)
        fields = {
            "answer": answer,
            "confidence": 0.9,
            "category": "returns" if "urgent" in json.dumps(body) else "policy",
            "sources": [title],
            "follow_up": [],
            "needs_human": False,
        }
        more = {"urgent": False} if "urgent" in json.dumps(body) else {}
        return Reply(json.dumps({**fields, **more}))


class Model(Answers, OpenAIServer):
    pass


class Deployment(Answers, AzureOpenAIServer):
    pass


def is_file(block):
    return block.code.startswith("# support_desk/")


EMBEDDING_BLOCKS = runnable(EMBEDDING)


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("embedding")
    shutil.copytree(DESK, folder / "support_desk")
    plugged_in = folder / "support_desk-1.dist-info"
    plugged_in.mkdir()
    (plugged_in / "METADATA").write_text("Metadata-Version: 2.1\nName: support_desk\nVersion: 1\n")
    [table] = (block.code for block in blocks(EMBEDDING, "toml"))
    (plugged_in / "entry_points.txt").write_text(
        table.replace('[project.entry-points."ragqa.chains"]', "[ragqa.chains]").replace('"', "")
    )
    with Model() as server:
        walk = Walk(folder, server.base_url, {"PYTHONPATH": str(folder)})
        walk.prepare()
        yield {block.name: walk.run(block) for block in EMBEDDING_BLOCKS if not is_file(block)}


@pytest.mark.timeout(300)  # the first of these runs everything
@pytest.mark.parametrize(
    "block",
    [block for block in EMBEDDING_BLOCKS if not is_file(block)],
    ids=lambda block: block.name,
)
def test_block_does_what_it_shows(walked, block):
    ran = walked[block.name]
    assert ran.code == 0, ran.out + ran.err
    if block.shown is not None:
        assert agrees(block.shown, ran.out), ran.out


@pytest.mark.parametrize(
    "block",
    [block for block in [*EMBEDDING_BLOCKS, *runnable(AGENT)] if is_file(block)],
    ids=lambda block: block.name,
)
def test_the_files_shown_are_those_of_the_app(block):
    name, _, code = block.code.partition("\n")
    path = ROOT / "tests" / "docs" / name.removeprefix("# ")
    assert path.read_text("utf-8") == code


@pytest.fixture(scope="module")
def on_the_way(tmp_path_factory):
    """Walk from the laptop to Azure; local servers stand for the services."""
    with Model() as model, Deployment(key="model-key") as deployment, SearchServer() as search:
        walk = Walk(tmp_path_factory.mktemp("azure"), model.base_url)
        walk.stands_for = {
            "https://NAME.openai.azure.com": deployment.endpoint,
            "https://NAME.search.windows.net": search.endpoint,
            "admin-key": search.admin_key,
            "query-key": search.query_key,
        }
        walk.prepare()
        ran = {block.name: walk.run(block) for block in runnable(AZURE)}
        yield walk.folder, ran, deployment


@pytest.mark.timeout(300)
@pytest.mark.parametrize("block", runnable(AZURE), ids=lambda block: block.name)
def test_every_step_to_azure_works(on_the_way, block):
    ran = on_the_way[1][block.name]
    assert ran.code == 0, ran.out + ran.err


def test_the_answer_at_the_end_came_from_azure(on_the_way):
    folder, _, deployment = on_the_way
    answer = json.loads((folder / "answer.json").read_text("utf-8"))
    assert answer["status"] in {"answered", "cached"}
    assert answer["response"]["sources"] == ["returns-policy.md"]
    assert json.loads((folder / "report.json").read_text("utf-8"))["added"] > 10
    assert deployment.requests


class Acting(OpenAIServer):
    """Asks for a ticket, and says that it was made once it was told so."""

    def _next(self, body):
        if not any(message["role"] == "tool" for message in body["messages"]):
            call = ("create_ticket", json.dumps({"title": "The kettle leaks"}))
            return Reply(None, tool_calls=(call,), finish_reason="tool_calls")
        fields = {
            "answer": "I created the ticket: The kettle leaks.",
            "confidence": 0.9,
            "category": "other",
            "sources": [],
            "follow_up": [],
            "needs_human": False,
        }
        return Reply(json.dumps(fields))


@pytest.fixture(scope="module")
def acted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("agent")
    shutil.copytree(DESK, folder / "support_desk")
    with Acting() as server:
        walk = Walk(folder, server.base_url, {"PYTHONPATH": str(folder)})
        walk.prepare()
        yield {block.name: walk.run(block) for block in runnable(AGENT) if not is_file(block)}


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "block",
    [block for block in runnable(AGENT) if not is_file(block)],
    ids=lambda block: block.name,
)
def test_the_agent_does_what_its_page_shows(acted, block):
    ran = acted[block.name]
    assert ran.code == 0, ran.out + ran.err
    if block.shown is not None:
        assert agrees(block.shown, ran.out), ran.out
