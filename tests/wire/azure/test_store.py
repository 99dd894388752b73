"""Documents on their way into a search service over real HTTP."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ragqa.contract import Caller, Strategy
from ragqa.errors import AuthError, ConfigError, RetrievalError
from ragqa.ports import SearchQuery, StoredFile
from ragqa.retrieval.azure.clients import Access
from ragqa.retrieval.azure.fields import FieldNames
from ragqa.retrieval.azure.store import AzureStore
from ragqa.retrieval.embedded import EmbeddedIndex
from tests.unit.retrieval.shelf import WordEmbeddings
from tests.wire.azure.conftest import (
    DEFINITION,
    OLDER,
    MakeRetriever,
    MakeStore,
    chunk,
    file,
    one,
    titles,
)
from tests.wire.azure.search_server import Fault, SearchServer


def put(store: AzureStore | EmbeddedIndex, *files: tuple[StoredFile, list[Any]]) -> None:
    with store.writer() as writer:
        for one_file, chunks in files:
            writer.replace(one_file, chunks)


def held(server: SearchServer, index: str = "kb") -> dict[str, str]:
    """Return the text of every document by its path."""
    return {d["path"]: d["content"] for d in server.indexes[index].documents.values()}


def test_files_come_back_as_they_were_put(server: SearchServer, store_at: MakeStore) -> None:
    store = store_at(server)
    assert store.files() == {}
    empty = file("empty.md", chunks=0)
    many = replace(file("a/取扱説明書.md"), title="取扱説明書.md", documents=2, chunks=2)
    many = replace(many, problems=(("line 3 is not an object", "Correct the line."),))
    put(store, (many, [chunk("a", "one"), chunk("b", "two")]), (empty, []))
    assert store.files() == {"a/取扱説明書.md": many, "empty.md": empty}
    assert store.failures == []
    uploads = [action["@search.action"] for batch in server.batches for action in batch]
    assert uploads == ["upload"] * 3


def test_passages_tell_where_they_stand(
    server: SearchServer, store_at: MakeStore, retriever_at: MakeRetriever
) -> None:
    text = "The kettle holds 1.7 litres."
    piece = replace(
        chunk(
            "k", text, page=3, heading="Use > 容量", metadata={"category": "product", "year": 2024}
        ),
        start=40,
        end=40 + len(text),
    )
    put(store_at(server, embeddings=WordEmbeddings()), (file("_kettle/k 1.pdf"), [piece]))
    retriever = retriever_at(server, embeddings=WordEmbeddings(), semantic_config="ragqa")
    passage = one(retriever, "how much does the kettle hold")
    assert (passage.id, passage.path, passage.page) == ("k", "_kettle/k 1.pdf", 3)
    assert (passage.start, passage.end, passage.heading) == (40, 40 + len(text), "Use > 容量")
    assert passage.title == "_kettle/k 1.pdf"
    for conditions in ({"category": "product"}, {"year": "2024"}, {"title": passage.title}):
        assert titles(retriever, "kettle", strategy=Strategy(filter=conditions))
    assert not titles(retriever, "kettle", strategy=Strategy(filter={"category": "x"}))
    semantic = Strategy(search_type="semantic_hybrid")
    assert one(retriever, "kettle", strategy=semantic).score_kind == "reranker"


def test_words_of_a_title_count_less_than_those_of_the_text(
    server: SearchServer, store_at: MakeStore, retriever_at: MakeRetriever
) -> None:
    in_title, in_text = chunk("a", "nothing here"), chunk("b", "kettle here")
    put(store_at(server), (file("kettle file"), [in_title]), (file("other file"), [in_text]))
    retriever = retriever_at(server, search_type="keyword")
    scores = {p.title: p.score for p in retriever.retrieve(SearchQuery("kettle"))}
    assert scores["kettle file"] == pytest.approx(0.7 * scores["other file"])


def test_words_are_sent_as_they_are_searched(
    server: SearchServer, store_at: MakeStore, retriever_at: MakeRetriever
) -> None:
    piece = chunk("退货政策.md", "签收后30天内可以退货。", heading="退货期限", title="退货政策.md")
    other = chunk("b.md", "货币")
    put(store_at(server), (file("退货政策.md"), [piece]), (file("b.md"), [other]))
    document = next(d for d in server.indexes["kb"].documents.values() if "退货" in d["content"])
    assert document["content"] == "签收后30天内可以退货。"
    assert "退货" in document["content_words"].split()
    assert document["title_words"].split()[:2] == ["退货", "政策"]
    assert "期限" in document["heading_words"].split()
    assert document["content_zh"] == document["content"]
    assert titles(retriever_at(server), "退货政策") == ["退货政策.md"], "no character is a word"
    index = server.indexes["kb"]
    hit, *_ = index.search({"search": "签收后几天内可以退货？"})["value"]
    assert hit["title"] == "退货政策.md", "another program sends it uncut"
    store = store_at(server)
    put(store, (file("c.md"), [chunk("c.md", "kettle", metadata={"category": "x"})]))
    assert index.fields["category"]["filterable"]


def test_a_word_counts_as_in_the_embedded_index(
    server: SearchServer, store_at: MakeStore, retriever_at: MakeRetriever, tmp_path: Path
) -> None:
    embedded = EmbeddedIndex(tmp_path)
    texts = {"An old kettle.": "Kettles", "水壶和 kettle 的说明。": "说明"}
    pieces = [chunk(text, text, heading=heading) for text, heading in texts.items()]
    for store in (store_at(server), embedded):
        put(store, (file("Kettle 水壶.jsonl"), pieces))
    for question in ("an old kettle", "水壶怎么用？", "kettle"):
        query = SearchQuery(question)
        scores = [
            {passage.text: passage.score for passage in index.retrieve(query)}
            for index in (retriever_at(server), embedded)
        ]
        assert scores[0] == pytest.approx(scores[1], rel=0.01)


def test_an_index_of_an_older_version_is_used_as_it_is(
    server: SearchServer, store_at: MakeStore, retriever_at: MakeRetriever
) -> None:
    server.create(OLDER)
    pieces = [
        chunk("a", "签收后30天内可以退货。"),
        chunk("b", "Kettles can be returned, old or new."),
    ]
    put(store_at(server), (file("a.jsonl"), pieces))
    assert [r.method for r in server.requests if r.path == "/indexes('kb')"] == ["GET"]
    texts = {d["content"]: d for d in server.indexes["kb"].documents.values()}
    assert texts[pieces[0].text]["content_zh"] == pieces[0].text
    assert not any(name.endswith("_words") for d in texts.values() for name in d)
    for question, piece in (("多久可以退货？", pieces[0]), ("returning an old kettle", pieces[1])):
        assert one(retriever_at(server), question).text == piece.text
    put(store_at(server), (file("c.md"), [chunk("c", "x", metadata={"category": "y"})]))
    assert "category" in server.indexes["kb"].fields
    assert "analyzers" not in server.indexes["kb"].definition


def test_a_changed_file_leaves_nothing_behind(server: SearchServer, store_at: MakeStore) -> None:
    store = store_at(server)
    texts = [f"Sentence {n}." for n in range(5)]
    pieces = [
        replace(chunk("a.md", t), start=n * 20, end=n * 20 + len(t)) for n, t in enumerate(texts)
    ]
    put(store, (file("a.md"), pieces), (file("b.md"), [chunk("b.md", "Stays.")]))
    new = file("a.md", "2", chunks=1)
    put(store, (new, [replace(pieces[2], text="Other.", start=7, end=13)]))
    assert held(server) == {"a.md": "Other.", "b.md": "Stays."}
    assert store.files()["a.md"] == new
    with store.writer() as writer:
        writer.remove("a.md")
    assert held(server) == {"b.md": "Stays."}
    assert set(store.files()) == {"b.md"}


def test_metadata_never_stands_in_for_our_own_fields(
    server: SearchServer, store_at: MakeStore
) -> None:
    odd = {"id": "x", "ID": "y", "title": "z", "content": "w", "ragqa_file": "v", "vector": [1.0]}
    put(store_at(server), (file("a.jsonl"), [chunk("a", "text", metadata=odd)]))
    (document,) = server.indexes["kb"].documents.values()
    assert (document["title"], document["content"]) == ("a.jsonl", "text")
    assert set(store_at(server).files()) == {"a.jsonl"}


def test_a_deletion_that_fails_is_told(server: SearchServer, store_at: MakeStore) -> None:
    store = store_at(server)
    put(store, (file("a"), [chunk("a", "text")]), (file("b"), [chunk("b", "text")]))
    server.item_faults = {key: [-400] for key in server.indexes["kb"].documents}
    with store.writer() as writer:
        writer.remove("a")
        writer.remove("b")
    assert {failure.path for failure in store.failures} == {"a", "b"}
    assert set(store.files()) == {"a", "b"}


def test_records_of_one_id_are_kept_apart(server: SearchServer, store_at: MakeStore) -> None:
    put(store_at(server), (file("a.jsonl"), [chunk("x", "one"), chunk("x", "two")]))
    assert len(server.indexes["kb"].documents) == 2


@pytest.mark.parametrize("at", range(1, 9))
def test_a_break_at_any_request_is_mended_by_the_next_run(
    server: SearchServer, store_at: MakeStore, at: int
) -> None:
    old = [replace(chunk("a.md", f"old {n}"), start=n, end=n + 5) for n in range(3)]
    put(store_at(server), (file("a.md"), old), (file("gone.md"), [chunk("gone.md", "gone")]))
    new = [replace(chunk("a.md", f"new {n}"), start=n + 1, end=n + 6) for n in range(3)]

    def run() -> None:
        store = store_at(server)
        files = store.files()
        with store.writer() as writer:
            if "gone.md" in files:
                writer.remove("gone.md")
            if files.get("a.md") != file("a.md", "2", chunks=3):
                writer.replace(file("a.md", "2", chunks=3), new)

    server.faults = [*[Fault(on="indexes")] * (at - 1), Fault(403)]
    try:
        run()
    except AuthError:
        server.faults = []
        run()
    server.faults = []
    texts = {d["content"] for d in server.indexes["kb"].documents.values()}
    assert texts == {"new 0", "new 1", "new 2"}
    assert store_at(server).files() == {"a.md": file("a.md", "2", chunks=3)}


def test_only_what_may_pass_is_sent_again(server: SearchServer, store_at: MakeStore) -> None:
    store = store_at(server)
    names = ("a", "b", "c", "d")
    pieces = [replace(chunk("f", name), start=n, end=n + 1) for n, name in enumerate(names)]
    put(store, (file("f", chunks=4), pieces))
    keys = {d["content"]: key for key, d in server.indexes["kb"].documents.items()}
    server.item_faults = {keys["b"]: [-400], keys["c"]: [503, 429, 409]}
    server.requests.clear()
    put(store, (file("f", "2", chunks=4), pieces))
    sent = [[action["content"] for action in batch] for batch in server.batches]
    assert sent == [["b", "c", "d"], ["c"], ["c"], ["c"], ["a"]]
    assert [(f.path, f.document, f.reason) for f in store.failures] == [("f", "f", "Scripted 400.")]
    assert store.files()["f"].content_hash == "", "what is not wholly there counts as changed"


def test_a_file_is_known_even_if_its_first_chunk_is_refused(
    server: SearchServer, store_at: MakeStore
) -> None:
    store = store_at(server)
    pieces = [replace(chunk("f", name), start=n, end=n + 1) for n, name in enumerate("ab")]
    put(store, (file("f"), pieces))
    first = next(k for k, d in server.indexes["kb"].documents.items() if d["content"] == "a")
    server.indexes["kb"].documents.clear()
    server.item_faults = {first: [-400]}
    put(store, (file("f"), pieces))
    assert store.files()["f"].content_hash == ""
    with store.writer() as writer:
        writer.remove("f")
    assert not server.indexes["kb"].documents


def test_a_busy_service_is_waited_for_and_given_up(
    server: SearchServer, store_at: MakeStore
) -> None:
    store = store_at(server)
    server.faults = [Fault(503, on="search.index")] * 3 + [Fault(drop=True, on="search.index")]
    put(store, (file("a"), [chunk("a", "text")]))
    assert held(server) == {"a": "text"}
    server.faults = [Fault(429, on="search.index")] * 50
    with pytest.raises(RetrievalError) as caught:
        put(store, (file("b"), [chunk("b", "text")]))
    assert caught.value.exit_code == 4


def test_every_request_is_sent_again_while_the_service_is_busy(
    server: SearchServer, store_at: MakeStore
) -> None:
    store = store_at(server)
    for on in ("post.search", "indexes('kb')?", "indexes?", "search.index"):
        server.faults += [Fault(503, on=on), Fault(429, None, {"Retry-After": "5"}, on=on)]
    assert store.files() == {}
    put(store, (file("a"), [chunk("a", "text")]))
    assert held(server) == {"a": "text"}
    assert not server.faults
    server.faults = [Fault(429, None, {"Retry-After": "3600"}, on="search.index")]
    with pytest.raises(RetrievalError):
        put(store, (file("b"), [chunk("b", "text")]))


def test_items_that_stay_busy_are_listed(server: SearchServer, store_at: MakeStore) -> None:
    store = store_at(server)
    put(store, (file("a"), [chunk("a", "text")]))
    key = next(iter(server.indexes["kb"].documents))
    server.item_faults = {key: [-503]}
    put(store, (file("a", "2"), [chunk("a", "text")]))
    assert [f.reason for f in store.failures] == ["Scripted 503."]


def test_ten_thousand_documents_arrive_once(server: SearchServer, store_at: MakeStore) -> None:
    store = store_at(server)
    pieces = [chunk(f"id-{n}", f"text {n}") for n in range(10_000)]
    from ragqa.retrieval.azure.fields import Place

    keys = [Place("all.jsonl", piece.doc_id).key for piece in pieces]
    server.item_faults = {key: [503] * (1 + n % 3) for n, key in enumerate(keys) if n % 20 == 3}
    bad = {f"id-{n}" for n in range(10_000) if n % 100 == 7}
    server.item_faults |= {key: [-400] for n, key in enumerate(keys) if n % 100 == 7}
    put(store, (file("all.jsonl", documents=10_000, chunks=10_000), pieces))
    assert {failure.document for failure in store.failures} == bad
    assert len(store.failures) == len(bad)
    assert len(server.indexes["kb"].documents) == 9_900
    assert set(server.arrived.values()) == {1}
    assert max(len(batch) for batch in server.batches) <= 1000
    assert set(store.files()) == {"all.jsonl"}


def test_batches_keep_to_bytes(server: SearchServer, store_at: MakeStore) -> None:
    long = "é" * 900_000  # twelve bytes a piece as JSON writes it
    pieces = [replace(chunk("a", long), start=n, end=n + len(long)) for n in range(4)]
    put(store_at(server), (file("a"), pieces))
    sizes = [len(json.dumps(batch)) for batch in server.batches]
    assert max(sizes) < 16 * 1024 * 1024
    assert len(server.indexes["kb"].documents) == 4


def test_vectors_of_another_size_stop_before_any_upload(
    server: SearchServer, store_at: MakeStore
) -> None:
    server.create({**DEFINITION, "fields": [{**f, "dimensions": 1536} if "dimensions" in f else f
                                            for f in DEFINITION["fields"]]})  # fmt: skip
    store = store_at(server, embeddings=WordEmbeddings(dimensions=3072))
    with pytest.raises(ConfigError, match=r"3072.*1536"):
        put(store, (file("a"), [chunk("a", "one")]), (file("b"), [chunk("b", "two")]))
    assert not server.batches
    assert [r.method for r in server.requests] == ["GET"]


def test_an_index_of_another_kind_is_not_touched(server: SearchServer, store_at: MakeStore) -> None:
    fields = [
        {"name": "id", "type": "Edm.String", "key": True},
        {"name": "content", "type": "Edm.Int32"},
    ]
    server.create({"name": "kb", "fields": fields})
    with pytest.raises(ConfigError, match="content"):
        put(store_at(server), (file("a"), [chunk("a", "one")]))
    assert [r.method for r in server.requests] == ["GET"]


def test_a_foreign_index_gets_the_fields_that_it_lacks(
    server: SearchServer, store_at: MakeStore
) -> None:
    server.create(DEFINITION)
    store = store_at(server, embeddings=WordEmbeddings(dimensions=64))
    assert store.files() == {}
    put(store, (file("a"), [chunk("a", "one")]))
    assert set(store.files()) == {"a"}


def test_restricted_documents_stay_out_where_nothing_trims(
    server: SearchServer, store_at: MakeStore, retriever_at: MakeRetriever
) -> None:
    store = store_at(server)
    pieces = [chunk("open", "prices"), chunk("staff", "staff prices", groups=("staff",))]
    put(store, (file("a.jsonl"), pieces))
    assert held(server) == {"a.jsonl": "prices"}
    assert [(f.document, f.held_back) for f in store.failures] == [("staff", True)]
    assert "AZURE_SEARCH_FIELD_GROUPS" in store.failures[0].hint

    names = FieldNames(groups="groups")
    trimmed = store_at(server, fields=names)
    assert trimmed.files()["a.jsonl"].content_hash == "", "put in anew, with its groups"
    put(trimmed, (file("a.jsonl"), pieces))
    assert trimmed.failures == []
    retriever = retriever_at(server, fields=names)
    assert len(titles(retriever, "prices")) == 1
    assert len(titles(retriever, "prices", caller=Caller(groups=("staff",)))) == 2


def test_another_embedding_model_asks_for_indexing_again(
    server: SearchServer, store_at: MakeStore
) -> None:
    put(store_at(server, embeddings=WordEmbeddings("one")), (file("a"), [chunk("a", "x")]))
    assert store_at(server, embeddings=WordEmbeddings("one")).files()["a"].content_hash == "1"
    assert store_at(server, embeddings=WordEmbeddings("two")).files()["a"].content_hash == ""


def test_a_file_without_text_is_known_and_never_found(
    server: SearchServer, store_at: MakeStore, retriever_at: MakeRetriever
) -> None:
    put(store_at(server, embeddings=WordEmbeddings()), (file("kettle.md"), []))
    assert set(store_at(server).files()) == {"kettle.md"}
    put(store_at(server, embeddings=WordEmbeddings()), (file("a.md"), [chunk("a.md", "a kettle")]))
    for search_type in ("keyword", "similarity", "hybrid"):
        options = {"embeddings": WordEmbeddings(), "search_type": search_type}
        assert titles(retriever_at(server, **options), "kettle", k=1) == ["a.md"]


def test_an_identity_may_write(server: SearchServer) -> None:
    from azure.core.credentials import AccessToken

    class Signed:
        def get_token(self, *_: str, **__: Any) -> AccessToken:
            return AccessToken("token-1", 2_000_000_000)

    server.token = "token-1"
    put(AzureStore(Access(server.endpoint, "kb", None, Signed())), (file("a"), [chunk("a", "x")]))
    assert held(server) == {"a": "x"}
    assert all(request.secrets == {"authorization"} for request in server.requests)


def test_a_query_key_cannot_write(server: SearchServer, store_at: MakeStore) -> None:
    with pytest.raises(AuthError) as caught:
        put(store_at(server, key=server.query_key), (file("a"), [chunk("a", "one")]))
    assert "AZURE_SEARCH_API_KEY" in caught.value.hint
    assert not server.indexes


@pytest.mark.parametrize(
    "name", ["取扱説明書20230101.txt", "_draft notes.md", "a/b\\c:*?.md", "\udce9.md"]
)
def test_any_file_name_can_be_put_found_and_removed(
    server: SearchServer, store_at: MakeStore, retriever_at: MakeRetriever, name: str
) -> None:
    store = store_at(server)
    put(store, (file(name), [chunk(name, "kettle")]))
    assert set(store.files()) == {name}
    assert retriever_at(server).retrieve(SearchQuery("kettle"))
    with store.writer() as writer:
        writer.remove(name)
    assert not server.indexes["kb"].documents


@pytest.mark.parametrize("body", [{"name": "kb"}, {"name": "kb", "fields": None}])
def test_a_reply_without_fields_comes_from_no_search_service(
    server: SearchServer, store_at: MakeStore, body: Any
) -> None:
    server.faults = [Fault(200, body, on="indexes")]
    with pytest.raises(ConfigError, match="is no search service"):
        store_at(server).held_definition()


def test_metadata_fit_the_fields_that_an_index_of_others_has(
    server: SearchServer, store_at: MakeStore
) -> None:
    fields = [*DEFINITION["fields"], {"name": "tags", "type": "Collection(Edm.String)"}]
    server.create({**DEFINITION, "fields": fields})
    fitting = {"year": "2024", "current": "true", "since": "2024-05-01", "tags": ["red", "blue"]}
    other = {"year": "soon", "current": 7, "since": "in May", "tags": "red"}
    chunks = [chunk("a", "one", metadata=fitting), chunk("b", "two", metadata=other)]
    store = store_at(server)
    put(store, (file("r.jsonl", documents=2, chunks=2), chunks))
    assert store.failures == []
    first, second = sorted(server.indexes["kb"].documents.values(), key=lambda d: d["content"])
    assert (first["year"], first["current"], first["tags"]) == (2024, True, ["red", "blue"])
    assert first["since"] == "2024-05-01T00:00:00.000Z"
    assert [second.get(name) for name in ("year", "current", "since")] == [None] * 3
    assert second["tags"] == ["red"]
