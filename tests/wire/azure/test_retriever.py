"""The retriever against a search service over real HTTP."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from typing import Any

import pytest

from ragqa.contract import Caller, Strategy
from ragqa.errors import AuthError, ConfigError, RagqaError, RetrievalError
from ragqa.ports import SearchQuery
from ragqa.retrieval.azure.fields import FieldNames
from ragqa.retrieval.langchain import as_langchain
from tests.wire.azure.conftest import DEFINITION, MODEL, MakeRetriever, one, titles
from tests.wire.azure.search_server import Fault, SearchServer


@pytest.mark.parametrize(
    ("options", "kind", "lowest", "highest"),
    [
        ({}, "keyword", 0, 100),
        ({"search_type": "similarity", "embeddings": MODEL}, "vector", 0.33, 1),
        ({"embeddings": MODEL}, "hybrid", 0.01, 0.04),
        (
            {"search_type": "semantic_hybrid", "embeddings": MODEL, "semantic_config": "good"},
            "reranker",
            0,
            4,
        ),
    ],
)
def test_one_request_a_query_and_none_before(
    shelf: SearchServer,
    retriever_at: MakeRetriever,
    options: dict[str, Any],
    kind: str,
    lowest: float,
    highest: float,
) -> None:
    retriever = retriever_at(shelf, **options)
    assert not shelf.requests
    passage = one(retriever, "how long does the warranty of a kettle last")
    assert (passage.title, passage.id, passage.page) == ("O'Brien's.md", "2", 2)
    assert passage.score_kind == kind
    assert lowest < passage.score <= highest
    assert len(shelf.requests) == 1
    body = shelf.searches[0]
    assert "vector" not in body["select"]
    assert shelf.requests[0].secrets == {"api-key"}
    if kind == "reranker":
        assert passage.highlight == "The warranty of a kettle lasts two years."
        assert body["captions"] == "extractive"


async def test_async_finds_the_same_in_every_loop(
    shelf: SearchServer, retriever_at: MakeRetriever
) -> None:
    retriever = retriever_at(shelf, embeddings=MODEL)
    query = SearchQuery("returning a kettle")
    expected = list(retriever.retrieve(query))
    assert list(await retriever.aretrieve(query)) == expected
    for _ in range(2):
        found = await asyncio.to_thread(lambda: asyncio.run(retriever.aretrieve(query)))
        assert list(found) == expected


def test_async_clients_are_closed_with_their_loop(
    shelf: SearchServer, retriever_at: MakeRetriever
) -> None:
    retriever = retriever_at(shelf)
    for _ in range(5):
        asyncio.run(retriever.aretrieve(SearchQuery("kettle")))
    deadline = time.monotonic() + 5
    while shelf.http.open_sockets and time.monotonic() < deadline:
        time.sleep(0.01)
    assert shelf.http.open_sockets == 0


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        ({"title": "O'Brien's.md"}, {"2"}),
        ({"title": ["O'Brien's.md", "k2.pdf"]}, {"2", "3"}),
        ({"category": "policy", "year": 2024}, {"1"}),
        ({"year": [2023, 2024]}, {"1", "2", "3"}),
        ({"current": False}, set()),
        ({"since": datetime(2023, 5, 1, tzinfo=UTC)}, {"2"}),
        ({"title": "' or true or title eq '"}, set()),
        ({"page": None}, set()),
        ({"category": []}, set()),
    ],
)
def test_filters_are_built_from_values(
    shelf: SearchServer, retriever_at: MakeRetriever, conditions: Any, expected: set[str]
) -> None:
    query = SearchQuery("kettle", strategy=Strategy(filter=conditions))
    assert {p.id for p in retriever_at(shelf).retrieve(query)} == expected


def test_values_of_another_type_are_written_as_the_field_wants_them(
    shelf: SearchServer, retriever_at: MakeRetriever
) -> None:
    retriever = retriever_at(shelf)
    text = Strategy(filter={"year": "2023", "current": "true"})
    assert titles(retriever, "kettle", strategy=text) == ["O'Brien's.md"]
    before = len(shelf.requests)
    assert titles(retriever, "warranty", strategy=text) == ["O'Brien's.md"]
    assert len(shelf.requests) == before + 1, "it is learnt once"
    assert titles(retriever, "kettle", strategy=Strategy(filter={"category": 7})) == []
    for other in ({"current": "False"}, {"since": "2022-05-01"}, {"year": ["2022", "1999"]}):
        strategy = Strategy(filter=other)
        assert titles(retriever_at(shelf), "退货", strategy=strategy) == ["退货政策.md"]
    with pytest.raises(ConfigError, match="incompatible"):
        titles(retriever, "kettle", strategy=Strategy(filter={"year": "last"}))


def test_a_condition_may_be_on_a_field_of_several_values(
    server: SearchServer, retriever_at: MakeRetriever
) -> None:
    several = [
        {"name": name, "type": f"Collection({kind})"}
        for name, kind in (("tags", "Edm.String"), ("years", "Edm.Int32"))
    ]
    server.create({**DEFINITION, "fields": [*DEFINITION["fields"], *several]})
    for key, tags, years in (("1", ["red", "it's"], [2023, 2024]), ("2", ["blue"], [2022])):
        document = {"id": key, "title": key, "content": "kettle", "year": 2024}
        server.put("kb", {**document, "tags": tags, "years": years})
    retriever = retriever_at(server)

    def found(**conditions: Any) -> list[str]:
        return titles(retriever, "kettle", strategy=Strategy(filter=conditions))

    assert found(tags="it's") == ["1"]
    before = len(server.requests)
    assert found(tags="blue") == ["2"]
    assert len(server.requests) == before + 1, "it is learnt once"
    assert sorted(found(tags=["red", "blue"])) == ["1", "2"]
    assert found(years="2022") == ["2"]
    assert found(tags="red", years="2023", year="2024") == ["1"]
    assert found(tags="red", years=2022) == []


def test_a_fixed_filter_is_joined_with_a_strategy(
    shelf: SearchServer, retriever_at: MakeRetriever
) -> None:
    retriever = retriever_at(shelf, filter="year lt 2024 or year gt 2030")
    strategy = Strategy(filter={"category": ["policy", "product"]})
    assert titles(retriever, "kettle", strategy=strategy) == ["O'Brien's.md"]


def test_groups_are_trimmed_at_the_service_and_unknown_ones_hidden(
    shelf: SearchServer, retriever_at: MakeRetriever
) -> None:
    retriever = retriever_at(shelf, fields=FieldNames(groups="groups"))
    shelf.put("kb", {"id": "5", "title": "lost.md", "content": "kettle", "groups": []})
    assert "k2.pdf" not in titles(retriever, "kettle", k=50)
    assert "lost.md" not in titles(retriever, "kettle", k=50, caller=Caller(groups=("x", "y")))
    board = Caller(groups=("it's", "board"), token="user-token")
    assert "k2.pdf" in titles(retriever, "kettle", k=50, caller=board)
    assert "x-ms-query-source-authorization" in shelf.requests[-1].secrets
    assert "it''s" in shelf.searches[-1]["filter"]
    assert "x-ms-query-source-authorization" not in shelf.requests[0].secrets


def test_a_strategy_chooses_type_number_and_boost(
    shelf: SearchServer, retriever_at: MakeRetriever
) -> None:
    retriever = retriever_at(shelf, embeddings=MODEL)
    one(retriever, "kettle", strategy=Strategy(search_type="keyword"))
    assert "vectorQueries" not in shelf.searches[-1]
    plain = titles(retriever, "kettle", k=4)
    for boost in ({"title=k2.pdf": 9.0}, {"*.pdf": 9.0}, {"category=product": 9.0}):
        assert titles(retriever, "kettle", k=1, strategy=Strategy(boost=boost)) == ["k2.pdf"]
        assert shelf.searches[-1]["top"] >= 50
    assert titles(retriever, "kettle", k=4, strategy=Strategy(boost={"title=none": 9.0})) == plain


@pytest.mark.parametrize(
    "text",
    ['"kettle', "kettle -warranty", "+kettle +nothing", "(kettle|", "kettle*~'", "\\",
     "NOT kettle AND nothing", "nope:kettle", "kettle^9 [a TO b]", "/kettle/ && !x"],
)  # fmt: skip
def test_a_question_is_no_query_program(
    shelf: SearchServer, retriever_at: MakeRetriever, text: str
) -> None:
    found = titles(retriever_at(shelf), text, k=50)
    assert ("O'Brien's.md" in found) == ("kettle" in text)


def test_words_are_as_rare_as_in_the_whole_index(
    shelf: SearchServer, retriever_at: MakeRetriever
) -> None:
    for options in ({}, {"embeddings": MODEL}):
        titles(retriever_at(shelf, **options), "kettle")
        assert shelf.searches[-1]["scoringStatistics"] == "global"


def test_neighbouring_words_count(shelf: SearchServer, retriever_at: MakeRetriever) -> None:
    texts = {"a": "green kettle, old lamp", "b": "green lamp, old kettle"}
    shelf.put("kb", *({"id": key, "title": key, "content": text} for key, text in texts.items()))
    for asked, first in (("old kettle", "b"), ("green kettle", "a")):
        assert titles(retriever_at(shelf), asked)[0] == first


def test_the_semantic_ranker_reads_the_question_as_it_was_asked(
    shelf: SearchServer, retriever_at: MakeRetriever
) -> None:
    retriever = retriever_at(
        shelf, embeddings=MODEL, search_type="semantic_hybrid", semantic_config="good"
    )
    assert one(retriever, "签收后多久可以退货？").title == "退货政策.md"
    assert shelf.searches[-1]["semanticQuery"] == "签收后多久可以退货？"
    assert "退货" in shelf.searches[-1]["search"].split()
    one(retriever, "warranty")
    assert "semanticQuery" not in shelf.searches[-1]


def test_thresholds_hold_for_their_own_kind_of_score(
    shelf: SearchServer, retriever_at: MakeRetriever
) -> None:
    lowest = {"vector": 0.7, "reranker": 2.0}
    assert len(titles(retriever_at(shelf, embeddings=MODEL, min_scores=lowest), "kettle")) == 4
    near = retriever_at(shelf, embeddings=MODEL, min_scores=lowest, search_type="similarity")
    assert all(p.score >= 0.7 for p in near.retrieve(SearchQuery("warranty of a kettle")))
    assert len(titles(near, "warranty of a kettle")) < 4


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_semantic_ranker_that_gave_up_leaves_the_hybrid_scores(
    shelf: SearchServer, retriever_at: MakeRetriever, asynchronous: bool
) -> None:
    retriever = retriever_at(
        shelf,
        embeddings=MODEL,
        search_type="semantic_hybrid",
        semantic_config="good",
        min_scores={"reranker": 3.0},
    )
    hits = [{"@search.score": 0.0333, "id": "1", "title": "a", "content": "A."},
            {"@search.score": 0.0164, "id": "2", "title": "b", "content": "B."}]  # fmt: skip
    partial = {"@search.semanticPartialResponseReason": "capacityOverloaded", "value": hits}
    more = {"@search.nextPageParameters": {"search": "x", "skip": 2}, "@odata.nextLink": "x"}
    shelf.faults = [Fault(206, {**partial, **more})]
    query = SearchQuery("kettle")
    found = asyncio.run(retriever.aretrieve(query)) if asynchronous else retriever.retrieve(query)
    assert [(p.title, p.score_kind) for p in found] == [("a", "hybrid"), ("b", "hybrid")]
    assert len(shelf.requests) == 1, "further pages are not fetched"


def test_an_index_may_lack_what_nobody_named(
    server: SearchServer, retriever_at: MakeRetriever
) -> None:
    fields = [
        {"name": "key", "type": "Edm.String", "key": True},
        {"name": "body", "type": "Edm.String", "searchable": True},
        {"name": "title", "type": "Edm.String", "searchable": True},
    ]
    server.create({"name": "kb", "fields": fields})
    server.put(
        "kb", {"key": "1", "body": "a kettle", "title": "k.md"}, {"key": "2", "title": "kettle"}
    )
    names = FieldNames(id="key", content="body")
    retriever = retriever_at(server, fields=names)
    assert titles(retriever, "kettle") == ["k.md"]
    before = len(server.requests)
    assert titles(retriever, "kettle") == ["k.md"]
    assert len(server.requests) == before + 1
    asked = retriever_at(server, fields=FieldNames(id="key", content="body", page="seite"))
    with pytest.raises(ConfigError, match="seite") as caught:
        titles(asked, "kettle")
    assert "_PAGE" in caught.value.hint


def broken(options: dict[str, Any]) -> dict[str, Any]:
    return {"embeddings": MODEL, **options}


@pytest.mark.parametrize(
    ("options", "error", "hint"),
    [
        ({"index": "nope"}, RetrievalError, "AZURE_SEARCH_INDEX"),
        ({"key": "wrong"}, AuthError, "AZURE_SEARCH_API_KEY"),
        (
            {"search_type": "semantic_hybrid", "semantic_config": "bad"},
            ConfigError,
            "AZURE_SEARCH_SEMANTIC_CONFIG",
        ),
        ({"fields": FieldNames(content="text")}, ConfigError, "_CONTENT"),
        ({"filter": "nothing eq 1"}, ConfigError, "AZURE_SEARCH_FILTER"),
        ({"filter": "secret eq 'x'"}, ConfigError, "AZURE_SEARCH_FILTER"),
        ({"filter": "this is no filter"}, ConfigError, "AZURE_SEARCH_FILTER"),
        ({"fields": FieldNames(groups="team")}, ConfigError, "AZURE_SEARCH_FIELD_GROUPS"),
        ({"fields": FieldNames(vector="nope")}, ConfigError, "AZURE_SEARCH_FIELD_VECTOR"),
        (
            {"embeddings": type(MODEL)(dimensions=32)},
            ConfigError,
            "AZURE_OPENAI_EMBEDDING_DEPLOYMENT",
        ),
    ],
)
async def test_refusals_name_the_setting(
    shelf: SearchServer,
    retriever_at: MakeRetriever,
    options: dict[str, Any],
    error: type[RagqaError],
    hint: str,
) -> None:
    retriever = retriever_at(shelf, **broken(options))
    for _ in range(2):
        with pytest.raises(error) as caught:
            retriever.retrieve(SearchQuery("kettle"))
        assert hint in caught.value.hint
        assert shelf.query_key not in str(caught.value)
    assert len(shelf.requests) == 2
    with pytest.raises(error):
        await retriever.aretrieve(SearchQuery("kettle"))


def test_a_search_type_needs_what_it_needs(
    shelf: SearchServer, retriever_at: MakeRetriever
) -> None:
    with pytest.raises(ConfigError, match="embedding model"):
        retriever_at(shelf, search_type="hybrid")
    with pytest.raises(ConfigError, match="semantic configuration"):
        retriever_at(shelf, search_type="semantic_hybrid", embeddings=MODEL)
    strategy = Strategy(search_type="fuzzy")
    with pytest.raises(ConfigError, match="fuzzy"):
        titles(retriever_at(shelf), "kettle", strategy=strategy)


@pytest.mark.parametrize("status", [429, 503])
async def test_a_busy_service_is_asked_again(
    shelf: SearchServer, retriever_at: MakeRetriever, status: int
) -> None:
    retriever = retriever_at(shelf)
    shelf.faults = [Fault(status, {"error": {"message": "busy"}}, {"Retry-After": "0.2"})] * 2
    started = time.monotonic()
    assert titles(retriever, "warranty")
    assert time.monotonic() - started >= 0.4
    shelf.faults = [Fault(status, None, {"retry-after-ms": "50"})]
    assert await retriever.aretrieve(SearchQuery("warranty"))
    assert len(shelf.requests) == 5


async def test_a_connection_that_breaks_is_made_again(
    shelf: SearchServer, retriever_at: MakeRetriever
) -> None:
    retriever = retriever_at(shelf)
    shelf.faults = [Fault(drop=True)]
    assert titles(retriever, "warranty")
    shelf.faults = [Fault(drop=True)]
    assert await retriever.aretrieve(SearchQuery("warranty"))
    assert len(shelf.requests) == 4


@pytest.mark.parametrize(
    "faults",
    [
        [Fault(503)] * 9,
        [Fault(429, None, {"Retry-After": "3600"})],
        [Fault(delay_s=30)],
        [Fault(drop=True)] * 9,
    ],
    ids=["busy", "an hour", "silent", "hung up"],
)
@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_service_is_given_up_in_time(
    shelf: SearchServer, retriever_at: MakeRetriever, faults: list[Fault], asynchronous: bool
) -> None:
    retriever = retriever_at(shelf)
    shelf.faults = list(faults)
    query = SearchQuery("kettle", timeout_s=1.0)
    started = time.monotonic()
    with pytest.raises(RetrievalError) as caught:
        asyncio.run(retriever.aretrieve(query)) if asynchronous else retriever.retrieve(query)
    assert time.monotonic() - started < 4
    assert caught.value.exit_code == 4
    assert caught.value.hint


@pytest.mark.parametrize(
    "fault",
    [
        Fault(404, {"detail": "Not Found"}),
        Fault(302, None, {"Location": "https://elsewhere.example/"}),
        Fault(200, "<html>"),
        Fault(200, {"data": []}),
        Fault(200, [1]),
    ],
)
def test_what_is_no_search_service_is_a_wrong_endpoint(
    shelf: SearchServer, retriever_at: MakeRetriever, fault: Fault
) -> None:
    shelf.faults = [fault]
    with pytest.raises(ConfigError) as caught:
        retriever_at(shelf).retrieve(SearchQuery("kettle"))
    assert "AZURE_SEARCH_ENDPOINT" in caught.value.hint


def test_nobody_there(retriever_at: MakeRetriever) -> None:
    with SearchServer() as gone:
        pass
    with pytest.raises(RetrievalError) as caught:
        retriever_at(gone).retrieve(SearchQuery("kettle", timeout_s=1))
    assert "AZURE_SEARCH_ENDPOINT" in caught.value.hint


def test_a_token_opens_the_service(shelf: SearchServer) -> None:
    from azure.core.credentials import AccessToken

    from ragqa.retrieval.azure.clients import Access
    from ragqa.retrieval.azure.retriever import azure_retriever

    class Signed:
        scopes: tuple[str, ...] = ()

        def get_token(self, *scopes: str, **_: Any) -> AccessToken:
            self.scopes = scopes
            return AccessToken("token-1", 2_000_000_000)

    signed = Signed()
    shelf.token = "token-1"
    retriever = azure_retriever(Access(shelf.endpoint, "kb", None, signed))
    assert titles(retriever, "warranty") == ["O'Brien's.md"]
    assert signed.scopes == ("https://search.azure.com/.default",)
    assert asyncio.run(retriever.aretrieve(SearchQuery("warranty")))
    assert shelf.requests[-1].secrets == {"authorization"}


def test_as_a_langchain_retriever(shelf: SearchServer, retriever_at: MakeRetriever) -> None:
    found = as_langchain(retriever_at(shelf), k=1).invoke("warranty of a kettle")
    assert [d.metadata["title"] for d in found] == ["O'Brien's.md"]
    assert {"id": "2", "page": 2, "score_kind": "keyword"}.items() <= found[0].metadata.items()
