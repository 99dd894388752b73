"""The same commands where documents lie in an index of Azure AI Search, over real HTTP."""

import json
import os
import signal
import time
from pathlib import Path

import pytest

import ragqa
from ragqa import Settings, samples
from ragqa.app import asker
from tests.cli.kettle import GOOD, QUESTION
from tests.wire.azure.conftest import OLDER
from tests.wire.azure.openai_server import AzureOpenAIServer
from tests.wire.azure.search_server import Fault, SearchServer

DOCS = {
    "docs/returns.md": "# Returns\n\nA kettle can be returned within 30 days of delivery.\n",
    "docs/warranty.md": "# Warranty\n\nThe warranty of a lamp lasts two years.\n",
    "docs/staff.jsonl": json.dumps(
        {"id": "s1", "title": "Staff prices", "text": "Staff pay 12 euros for a kettle.",
         "groups": ["staff"], "category": "internal"}
    ),
}  # fmt: skip


@pytest.fixture
def server():
    with SearchServer() as started:
        yield started


def at(server, **environ):
    return {
        "RAGQA_RETRIEVER": "azure",
        "AZURE_SEARCH_ENDPOINT": server.endpoint,
        "AZURE_SEARCH_API_KEY": server.admin_key,
        "AZURE_SEARCH_INDEX": "kb",
        "AZURE_SEARCH_FIELD_GROUPS": "groups",
        "RAGQA_TIMEOUT_S": "20",
        **environ,
    }


@pytest.fixture
def kb(shell, server):
    """A folder whose documents are in the index."""
    shell.write(DOCS)
    done = shell("index", "docs", **at(server))
    assert done.code == 0, done.err
    assert done.json["added"] == 3
    server.requests.clear()
    return shell


def test_an_answer_from_the_index_with_a_query_key(kb, server):
    done = kb("ask", QUESTION, **at(server, AZURE_SEARCH_API_KEY=server.query_key))
    assert done.code == 0, done.err
    assert done.json["response"]["sources"] == ["returns.md"]
    citation = done.json["citations"][0]
    assert (citation["id"], citation["path"]) == ("docs/returns.md", "docs/returns.md")
    text = DOCS["docs/returns.md"]
    assert text[citation["start"] : citation["end"]] == citation["quote"]
    assert done.json["passages"][0]["score_kind"] == "keyword"
    assert [r.method for r in server.requests] == ["POST"]
    assert server.query_key not in done.out + done.err


PLANTED = {
    "AZURE_OPENAI_API_KEY": "planted-model-0123456789abcdef",
    "AZURE_SEARCH_API_KEY": "planted-search-0123456789abcdef",
}


@pytest.mark.parametrize("search_type", [None, "similarity", "semantic_hybrid"])
def test_with_nothing_but_azure(shell, search_type):
    """Models and search both at Azure; no key is written anywhere."""
    models = AzureOpenAIServer([json.dumps(GOOD)], key=PLANTED["AZURE_OPENAI_API_KEY"])
    search = SearchServer(admin_key=PLANTED["AZURE_SEARCH_API_KEY"])
    with models, search:
        environ = at(
            search,
            **PLANTED,
            AZURE_OPENAI_ENDPOINT=models.endpoint,
            AZURE_OPENAI_CHAT_DEPLOYMENT="gpt",
            AZURE_OPENAI_EMBEDDING_DEPLOYMENT="embed",
            AZURE_SEARCH_SEMANTIC_CONFIG="good",
            RAGQA_SEARCH_TYPE=search_type,
        )
        shell.write(DOCS)
        done = shell("index", "docs", **environ)
        assert done.code == 0, done.err
        search.requests.clear()
        models.requests.clear()
        answered = shell("ask", QUESTION, **environ)
    assert answered.code == 0, answered.err
    answer = answered.json
    assert (answer["status"], answer["chain"]) == ("answered", "stuff")
    assert answer["response"] == GOOD
    kind = {None: "hybrid", "similarity": "vector", "semantic_hybrid": "reranker"}[search_type]
    assert answer["passages"][0]["score_kind"] == kind
    assert len(search.requests) == 1
    assert sorted(r.path.rpartition("/")[2].partition("?")[0] for r in models.requests) == [
        "completions",
        "embeddings",
    ]
    written = done.out + done.err + answered.out + answered.err
    written += "".join(
        path.read_text("utf-8", errors="replace")
        for path in shell.folder.rglob("*")
        if path.is_file()
    )
    assert not any(key in written for key in PLANTED.values())


def test_a_threshold_is_one_of_the_search_type(kb, server):
    def found(score):
        return kb("search", QUESTION, **at(server, RAGQA_MIN_SCORE=score)).json["passages"]

    assert found("0.01")
    assert not found("1000")


def test_groups_and_filters(kb, server):
    def found(*args, **environ):
        done = kb("search", "staff prices of a kettle", *args, **at(server, **environ))
        return {passage["title"] for passage in done.json["passages"]}

    assert "Staff prices" not in found()
    assert "Staff prices" not in found("--group", "guests")
    assert "Staff prices" in found("--group", "guests", "staff")
    assert found("--group", "staff", RAGQA_FILTER="category=internal") == {"Staff prices"}
    assert found(AZURE_SEARCH_FILTER="title eq 'returns.md'") == {"returns.md"}


def test_a_second_run_changes_nothing_and_a_third_what_changed(kb, server):
    done = kb("index", "docs", **at(server))
    assert (done.json["unchanged"], done.json["added"], done.json["removed"]) == (3, 0, 0)
    assert not server.batches
    kb.write({"docs/warranty.md": "# Warranty\n\nThe warranty of a lamp lasts three years.\n"})
    (kb.folder / "docs" / "returns.md").unlink()
    done = kb("index", "docs", **at(server))
    assert (done.json["updated"], done.json["unchanged"], done.json["removed"]) == (1, 1, 1)
    texts = [document["content"] for document in server.indexes["kb"].documents.values()]
    assert len(texts) == 2
    assert any("three years" in text for text in texts)


def test_a_dry_run_shows_the_definition_and_changes_nothing(shell, server):
    shell.write(DOCS)
    done = shell("index", "docs", "--to", "azure", "--dry-run", **at(server, RAGQA_RETRIEVER=None))
    assert done.code == 0
    definition = done.json["definition"]
    assert definition["name"] == "kb"
    fields = {field["name"]: field for field in definition["fields"]}
    assert fields["groups"]["type"] == "Collection(Edm.String)"
    assert fields["content_words"]["indexAnalyzer"] == "ragqa-words"
    assert "ragqa-words" in {analyzer["name"] for analyzer in definition["analyzers"]}
    assert not server.indexes
    with SearchServer() as other:
        other.create(definition)


def test_refused_documents_are_named_with_an_exit_code(shell, server):
    shell.write(DOCS)
    lines = [{"id": f"r{n}", "text": f"Note {n}."} for n in range(20)]
    shell.write({"docs/notes.jsonl": "\n".join(map(json.dumps, lines))})
    assert shell("index", "docs", **at(server)).code == 0
    keys = list(server.indexes["kb"].documents)
    note = next(k for k in keys if server.indexes["kb"].documents[k]["content"] == "Note 7.")
    server.item_faults = {note: [-400]}
    shell.write({"docs/notes.jsonl": "\n".join(json.dumps(line | {"x": "y"}) for line in lines)})
    done = shell("index", "docs", **at(server))
    assert done.code == 4
    assert (done.json["failed"], done.json["updated"]) == (1, 0)
    assert [(s["path"], "'r7'" in s["reason"]) for s in done.json["skipped"]] == [
        ("docs/notes.jsonl", True)
    ]
    assert "Scripted 400" in done.json["skipped"][0]["reason"]
    assert "docs/notes.jsonl" in done.err


def test_restricted_documents_stay_out_where_no_field_trims(shell, server):
    shell.write(DOCS)
    environ = at(server, AZURE_SEARCH_FIELD_GROUPS=None)
    done = shell("index", "docs", **environ)
    assert done.code == 0
    assert [file["path"] for file in done.json["skipped"]] == ["docs/staff.jsonl"]
    assert "AZURE_SEARCH_FIELD_GROUPS" in done.err
    assert len(server.indexes["kb"].documents) == 2


@pytest.mark.parametrize(
    ("changes", "code", "word"),
    [
        ({"AZURE_SEARCH_INDEX": "typo"}, 4, "AZURE_SEARCH_INDEX"),
        ({"AZURE_SEARCH_API_KEY": "wrong-key-123"}, 3, "AZURE_SEARCH_API_KEY"),
        ({"AZURE_SEARCH_FIELD_CONTENT": "body"}, 2, "_CONTENT"),
        ({"AZURE_SEARCH_FILTER": "nope eq 1"}, 2, "AZURE_SEARCH_FILTER"),
        ({"AZURE_SEARCH_ENDPOINT": None}, 2, "AZURE_SEARCH_ENDPOINT"),
        ({"RAGQA_SEARCH_TYPE": "hybrid"}, 2, "RAGQA_EMBEDDING_MODEL"),
    ],
)
def test_faults_have_their_exit_code(kb, server, changes, code, word):
    done = kb("ask", QUESTION, **at(server, **changes))
    assert (done.code, done.out) == (code, "")
    assert word in done.err
    assert "wrong-key-123" not in done.err
    assert set(server.indexes) == {"kb"}


def test_a_key_of_the_environment_stays_where_it_belongs(shell, server):
    shell.write({".env": "AZURE_SEARCH_ENDPOINT=https://collects-keys.example\n"})
    done = shell("search", QUESTION, **at(server, AZURE_SEARCH_ENDPOINT=None))
    assert (done.code, done.out) == (2, "")
    assert "AZURE_SEARCH_ENDPOINT comes from a file" in done.err
    assert server.admin_key not in done.err


def test_a_category_of_the_settings_file_decides_how_it_is_looked_up(kb, server):
    kb.write(
        {
            "ragqa.toml": '[categories.policy.strategy]\nk = 2\nfilter = {title = "warranty.md"}\n'
            'boost = {"*.md" = 2.0}\n'
        }
    )
    answer = kb("ask", "How long is the warranty of a lamp?", **at(server)).json
    assert answer["response"]["category"] == "policy"
    assert [passage["title"] for passage in answer["passages"]] == ["warranty.md"]
    assert "title eq 'warranty.md'" in server.searches[-1]["filter"]


def test_without_a_key_an_identity_is_needed(kb, server):
    nobody = {"AZURE_SEARCH_API_KEY": None, "AZURE_TOKEN_CREDENTIALS": "EnvironmentCredential"}
    done = kb("search", QUESTION, **at(server, **nobody))
    assert (done.code, done.out) == (3, "")
    assert "az login" in done.err
    assert not server.requests


def test_an_error_of_a_gateway_is_no_riddle(kb, server):
    server.faults = [Fault(503, "<html>busy</html>")] * 9
    done = kb("search", QUESTION, **at(server))
    assert (done.code, done.out) == (4, "")
    assert len(done.err.splitlines()) == 2


def test_a_service_that_stays_busy_is_given_up(kb, server):
    server.faults = [Fault(429, None, {"Retry-After": "600"})]
    started = time.monotonic()
    done = kb("search", QUESTION, **at(server))
    assert done.code == 4
    assert "600 seconds" in done.err
    assert time.monotonic() - started < 15


def test_the_doctor_looks_the_index_over(kb, server):
    def index(**changes):
        done = kb("doctor", "--json", **at(server, **changes))
        return done.code, next(c for c in done.json["checks"] if c["name"] == "index")

    code, found = index()
    assert (code, found["status"]) == (0, "ok")
    assert "kb at 127.0.0.1" in found["detail"]
    code, found = index(AZURE_SEARCH_API_KEY=server.query_key)
    assert (code, found["status"]) == (0, "warning")
    assert "may not read its definition" in found["detail"]
    for changes, code, word in [
        ({"AZURE_SEARCH_INDEX": "typo"}, 4, "typo"),
        ({"AZURE_SEARCH_API_KEY": "wrong-key-123"}, 3, "127.0.0.1"),
        ({"AZURE_SEARCH_FIELD_CONTENT": "body"}, 2, "AZURE_SEARCH_FIELD_CONTENT"),
        ({"AZURE_SEARCH_FIELD_CONTENT": "path"}, 2, "not searchable"),
        ({"AZURE_SEARCH_FIELD_GROUPS": "title_groups"}, 2, "AZURE_SEARCH_FIELD_GROUPS"),
        ({"AZURE_SEARCH_SEMANTIC_CONFIG": "bad"}, 2, "known: ragqa"),
    ]:
        got, found = index(**changes)
        assert (got, found["status"]) == (code, "broken"), changes
        assert word in found["detail"]


def test_the_doctor_says_what_an_older_index_lacks(shell, server):
    def index():
        done = shell("doctor", "--json", **at(server))
        return done.code, next(c for c in done.json["checks"] if c["name"] == "index")

    shell.write(DOCS)
    server.create(OLDER)
    assert shell("index", "docs", **at(server)).code == 0
    code, found = index()
    assert (code, found["status"]) == (0, "ok")
    assert "no fields of words" in found["detail"]
    assert "AZURE_SEARCH_INDEX" in found["hint"]
    server.indexes.clear()
    assert shell("index", "docs", **at(server)).code == 0
    code, found = index()
    assert (code, found["status"], found["hint"]) == (0, "ok", "")


def test_a_killed_upload_is_taken_up_again(shell, server):
    shell.write({f"docs/{n}.md": f"Document {n} is about kettles.\n" for n in range(40)})
    server.faults = [Fault(on="search.index"), Fault(delay_s=30, on="search.index")]
    process = shell.start("index", "docs", env=at(server))
    deadline = time.monotonic() + 30
    while not server.batches and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait(10)
    server.faults = []
    done = shell("index", "docs", **at(server))
    assert done.code == 0, done.err
    documents = server.indexes["kb"].documents.values()
    assert sorted(d["path"] for d in documents) == sorted(f"docs/{n}.md" for n in range(40))


def test_without_the_extra_the_line_to_install_it_is_named(shell, server):
    (shell.folder / "azure").mkdir()
    (shell.folder / "azure" / "__init__.py").write_text("raise ImportError('none')")
    shell.write(DOCS)
    python_path = f"{shell.folder}{os.pathsep}{Path(ragqa.__file__).parents[1]}"
    done = shell("search", QUESTION, **at(server, PYTHONPATH=python_path))
    assert done.code == 2
    assert "pip install 'ragqa[azure]'" in done.err


def test_the_samples_give_the_same_sources_embedded_and_at_azure(server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    at_azure = Settings.load(environ={k: v for k, v in at(server).items() if v})
    embedded = Settings.load(environ={})
    for settings in (at_azure, embedded):
        ragqa.index(samples.SHOP, settings=settings)
    both = [asker(settings=settings, docs=()) for settings in (at_azure, embedded)]
    questions = [json.loads(line) for line in samples.QUESTIONS.read_text("utf-8").splitlines()]
    assert len(questions) == 60
    for question in questions:
        quoted = [one.ask(one.turn(question["question"])).response for one in both]
        assert quoted[0].sources == quoted[1].sources, question
        assert quoted[0].answer == quoted[1].answer, question
