"""The functions of ``import ragqa``, over a real index, without any model."""

import pytest

import ragqa
from ragqa.errors import ConfigError, RetrievalError, UnknownNameError
from ragqa.flow import Withdrawn

KETTLE = "How long do I have to return a kettle?"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working directory with documents, and no setting from outside."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "returns.md").write_text("# Returns\n\nA kettle can be returned within 30 days.\n")
    (docs / "delivery.txt").write_text("Express delivery takes 1 day.\n")
    return tmp_path


def test_ask_indexes_and_answers(folder):
    answer = ragqa.ask(KETTLE, docs="docs")
    assert isinstance(answer, ragqa.Answer)
    assert "30 days" in answer.response.answer
    assert answer.response.sources == ["returns.md"]
    assert (answer.status, answer.chain) == ("answered", "extractive")
    assert ragqa.ask(KETTLE).response == answer.response
    assert ragqa.ask(KETTLE).run_id != answer.run_id


async def test_the_async_form_says_the_same(folder):
    answer = await ragqa.aask(KETTLE, docs=["docs"])
    assert answer.response == ragqa.ask(KETTLE).response


def test_a_stream_ends_with_the_answer(folder):
    *pieces, answer = ragqa.stream(KETTLE, docs="docs")
    assert not any(isinstance(piece, Withdrawn) for piece in pieces)
    assert "".join(pieces) == answer.response.answer


def test_index_reports(folder):
    report = ragqa.index("docs")
    assert (report.added, report.skipped) == (2, ())
    told = []
    ragqa.index(["docs"], settings=ragqa.Settings.load(top_k=1))
    assert ragqa.app.index("docs", progress=lambda *how_far: told.append(how_far)).unchanged == 2
    assert told[-1][:2] == (2, 2)


def test_the_retriever_is_langchains_with_k_of_the_settings(folder):
    ragqa.index("docs")
    documents = ragqa.retriever(ragqa.Settings.load(top_k=1)).invoke("return a kettle")
    (document,) = documents
    assert {"title", "id", "path", "page"} <= document.metadata.keys()
    assert document.metadata["title"] == "returns.md"


def test_a_chain_is_a_runnable_that_composes(folder):
    ragqa.index("docs")
    chain = ragqa.chain("extractive")
    assert "30 days" in chain.invoke(KETTLE).response.answer
    assert "30 days" in chain.invoke({"question": KETTLE}).response.answer
    both = chain.batch([KETTLE, "How long does express delivery take?"])
    assert "1 day" in both[1].response.answer
    text = chain | (lambda answer: answer.response.answer.upper())
    assert "30 DAYS" in text.invoke(KETTLE)


def test_an_index_that_is_missing_or_empty_says_how_to_make_one(folder):
    with pytest.raises(RetrievalError) as caught:
        ragqa.ask(KETTLE)
    assert "ragqa index" in caught.value.hint


def test_documents_that_are_not_there(folder):
    with pytest.raises(RetrievalError, match=r"nowhere\.md"):
        ragqa.ask(KETTLE, docs="nowhere.md")


def test_an_unknown_chain(folder):
    for call in (lambda: ragqa.ask(KETTLE, chain="stuf"), lambda: ragqa.chain("stuf")):
        with pytest.raises(UnknownNameError, match="stuf"):
            call()


def test_a_chain_that_needs_a_model_says_so(folder):
    with pytest.raises(ConfigError, match="model"):
        ragqa.ask(KETTLE, docs="docs", chain="stuff")


def test_groups_decide_what_is_seen(folder):
    (folder / "ragqa.toml").write_text('[folders.docs]\ngroups = ["shop"]\n')
    ragqa.index("docs")
    assert ragqa.ask(KETTLE).status == "abstained"
    assert "30 days" in ragqa.ask(KETTLE, groups=["shop"]).response.answer
    assert "30 days" in ragqa.ask(KETTLE, groups="shop").response.answer
    assert ragqa.ask(KETTLE, groups="workshop").status == "abstained"
