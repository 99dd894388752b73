"""The stand-in refuses what the service refuses, and its replies have the published keys."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import pytest

from tests.wire.azure.conftest import DEFINITION, FIELDS
from tests.wire.azure.search_server import SearchServer

SPEC = Path(__file__).parents[4] / "shared" / "data" / "azure_wire" / "spec"
VERSION = "api-version=2026-04-01"
SEARCH = f"/indexes('kb')/docs/search.post.search?{VERSION}"
UPLOAD = f"/indexes('kb')/docs/search.index?{VERSION}"


def call(
    server: SearchServer, path: str, body: Any = None, *, method: str = "POST", **headers: str
) -> tuple[int, Any]:
    given = {"api-key": server.admin_key, "content-type": "application/json", **headers}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(server.endpoint + path, data, given, method=method)
    try:
        with urllib.request.urlopen(request, timeout=10) as reply:
            text = reply.read()
            return reply.status, json.loads(text) if text else None
    except HTTPError as exc:
        with exc:
            text = exc.read()
            return exc.code, json.loads(text) if text else None


def spec(name: str) -> Any:
    path = SPEC / name
    if not path.exists():
        pytest.skip(f"{path} is not there")
    return json.loads(path.read_text("utf-8"))


def keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: keys(inner) for key, inner in value.items()}
    return keys(value[0]) if isinstance(value, list) and value else None


@pytest.mark.parametrize(
    "body",
    [
        {"search": "x", "vector": []},
        {"search": "x", "queryType": "Semantic"},
        {"search": "x", "searchMode": "ANY"},
        {"search": "x", "scoringStatistics": "all"},
        {"search": "x AND", "queryType": "full"},
        {"search": "nope:x", "queryType": "full"},
        {"search": '"x', "queryType": "full"},
        {"search": "x", "captions": "QueryCaptionType.EXTRACTIVE"},
        {"search": "x", "select": "nope"},
        {"search": "x", "searchFields": "nope"},
        {"search": "x", "searchFields": "year"},
        {"search": "x", "filter": "nope eq 1"},
        {"search": "x", "filter": "secret eq 'x'"},
        {"search": "x", "filter": "title eq 'O'Brien'"},
        {"search": "x", "filter": "year eq '2024'"},
        {"search": "x", "filter": "contains(title, 'x')"},
        {"search": "x", "filter": "groups eq 'x'"},
        {"search": "x", "filter": ""} | {"filter": "()"},
        {"search": "x", "orderby": "groups"},
        {"search": "x", "top": -1},
        {"search": "x", "queryType": "semantic", "semanticConfiguration": "bad"},
        {"vectorQueries": [{"kind": "vector", "vector": [1, 2], "fields": "content_vector"}]},
        {"vectorQueries": [{"kind": "vector", "vector": [1] * 64, "fields": "content"}]},
        {"vectorQueries": [{"vector": [1] * 64, "fields": "content_vector"}]},
    ],
)
def test_searches_that_are_refused(shelf: SearchServer, body: Any) -> None:
    status, reply = call(shelf, SEARCH, body)
    assert status == 400
    assert reply["error"]["message"]


@pytest.mark.parametrize(
    ("document", "word"),
    [
        ({"id": "a/b"}, "Invalid document key"),
        ({"id": "_a"}, "Invalid document key"),
        ({"id": "取扱"}, "Invalid document key"),
        ({"title": "x"}, "Document key"),
        ({"id": "1", "nope": 1}, "nope"),
        ({"id": "1", "year": "2024"}, "year"),
        ({"id": "1", "content_vector": [1, 2]}, "dimension"),
        ({"id": "1", "@search.action": "Upload"}, "Action"),
    ],
)
def test_documents_that_are_refused(shelf: SearchServer, document: Any, word: str) -> None:
    status, reply = call(shelf, UPLOAD, {"value": [document]})
    assert status == 400
    assert word in reply["error"]["message"]


def test_limits_of_a_batch(shelf: SearchServer) -> None:
    many = [{"id": str(n)} for n in range(1001)]
    assert call(shelf, UPLOAD, {"value": many})[0] == 400
    huge = [{"id": "1", "content": "x" * (16 * 1024 * 1024)}]
    assert call(shelf, UPLOAD, {"value": huge})[0] == 413
    assert call(shelf, UPLOAD, {"value": []})[0] == 400


@pytest.mark.parametrize(
    "change",
    [
        {"name": "Bad_Name"},
        {"nope": 1},
        {"fields": [f for f in FIELDS if f["name"] != "id"]},
        {"fields": [*FIELDS, {"name": "x", "type": "Edm.Text"}]},
        {"fields": [*FIELDS, {"name": "x", "type": "Edm.String", "nope": True}]},
        {"fields": [*FIELDS, {"name": "_x", "type": "Edm.String"}]},
        {"fields": [*FIELDS, {"name": "TITLE", "type": "Edm.String"}]},
        {"fields": [*FIELDS, {"name": "v", "type": "Collection(Edm.Single)", "searchable": True}]},
        {"vectorSearch": {}},
        {"semantic": {"configurations": [{"name": "s", "prioritizedFields": {
            "prioritizedContentFields": [{"fieldName": "year"}]}}]}},
        {"scoringProfiles": [{"name": "p", "text": {"weights": {"year": 2}}}]},
        {"scoringProfiles": [{"name": "p", "text": {"weights": {"title": 0}}}]},
        {"scoringProfiles": [{"name": "p", "boost": 2}]},
        {"defaultScoringProfile": "nope"},
    ],
)  # fmt: skip
def test_definitions_that_are_refused(server: SearchServer, change: Any) -> None:
    assert call(server, f"/indexes?{VERSION}", {**DEFINITION, **change})[0] == 400
    assert not server.indexes


LENGTH = {"@odata.type": "#Microsoft.Azure.Search.LengthTokenFilter", "name": "short", "max": 5}
ANALYZER = {
    "@odata.type": "#Microsoft.Azure.Search.CustomAnalyzer",
    "name": "own",
    "tokenizer": "whitespace",
    "tokenFilters": ["lowercase", "short"],
}


def analyzed(**field: Any) -> Any:
    """Return fields one of which has the custom analyzer."""
    return [*FIELDS, {"name": "x", "type": "Edm.String", "analyzer": "own", **field}]


@pytest.mark.parametrize(
    "change",
    [
        {"analyzers": [{**ANALYZER, "tokenizer": "nope"}]},
        {"analyzers": [{**ANALYZER, "tokenFilters": ["nope"]}]},
        {"analyzers": [{**ANALYZER, "charFilters": ["short"]}]},
        {"analyzers": [{**ANALYZER, "nope": 1}]},
        {"analyzers": [{**ANALYZER, "name": "_own"}]},
        {"analyzers": [{**ANALYZER, "name": "en.lucene"}]},
        {"analyzers": [{**ANALYZER, "@odata.type": "#Microsoft.Azure.Search.Custom"}]},
        {"analyzers": [{**ANALYZER, "@odata.type": "CustomAnalyzer"}]},
        {"analyzers": [ANALYZER, ANALYZER]},
        {"analyzers": [{k: v for k, v in ANALYZER.items() if k != "tokenizer"}]},
        {"tokenFilters": [{**LENGTH, "max": 301}]},
        {"tokenFilters": [{**LENGTH, "min": 5}]},
        {"tokenizers": [LENGTH]},
        {"charFilters": [{"@odata.type": "#Microsoft.Azure.Search.PatternReplaceCharFilter",
                          "name": "broken", "pattern": "(", "replacement": ""}]},
        {"analyzers": []},
        {"fields": analyzed(analyzer="other")},
        {"fields": analyzed(type="Edm.Int32")},
        {"fields": analyzed(searchable=False)},
        {"fields": analyzed(searchAnalyzer="own")},
        {"fields": analyzed(analyzer=None, indexAnalyzer="own")},
        {"fields": analyzed(analyzer=None, indexAnalyzer="own", searchAnalyzer="en.lucene")},
    ],
)  # fmt: skip
def test_analyzers_that_are_refused(server: SearchServer, change: Any) -> None:
    parts = {"analyzers": [ANALYZER], "tokenFilters": [LENGTH], "fields": analyzed()}
    assert call(server, f"/indexes?{VERSION}", {**DEFINITION, **parts, **change})[0] == 400
    assert not server.indexes
    assert call(server, f"/indexes?{VERSION}", {**DEFINITION, **parts})[0] == 201


def test_a_custom_analyzer_is_carried_out_and_kept(server: SearchServer) -> None:
    parts = {"analyzers": [ANALYZER], "tokenFilters": [LENGTH], "fields": analyzed()}
    assert call(server, f"/indexes?{VERSION}", {**DEFINITION, **parts})[0] == 201
    assert call(server, UPLOAD, {"value": [{"id": "1", "x": "Kettles HOLD tea-leaf"}]})[0] == 200

    def finds(text: str) -> bool:
        return bool(call(server, SEARCH, {"search": text, "searchFields": "x"})[1]["value"])

    assert [finds(t) for t in ("hold", "kettles", "tea", "tea-leaf")] == [True, False, False, False]
    for later in ({"analyzers": []}, {"tokenFilters": [{**LENGTH, "max": 9}]}):
        changed = {**DEFINITION, **parts, **later, "fields": FIELDS}
        assert call(server, f"/indexes('kb')?{VERSION}", changed, method="PUT")[0] == 400


def test_phrases_and_boosts_of_the_full_syntax(shelf: SearchServer) -> None:
    def scores(text: str) -> dict[str, float]:
        body = {"search": text, "queryType": "full", "searchFields": "content"}
        return {hit["id"]: hit["@search.score"] for hit in call(shelf, SEARCH, body)[1]["value"]}

    assert scores('"thirty kettles"') == {}
    whole, boosted = scores('"warranty of a kettle"'), scores('"warranty of a kettle"^0.5')
    assert whole.keys() == {"2"}
    assert boosted["2"] == pytest.approx(whole["2"] / 2)
    assert scores("+warranty kettle").keys() == {"2"}
    assert scores("kettle -warranty").keys() == {"1", "3"}


def test_keys_and_versions(shelf: SearchServer) -> None:
    query = {"api-key": shelf.query_key}
    assert call(shelf, SEARCH, {"search": "x"}, **query)[0] == 200
    assert call(shelf, f"/indexes('kb')?{VERSION}", method="GET", **query)[0] == 403
    assert call(shelf, UPLOAD, {"value": [{"id": "1"}]}, **query)[0] == 403
    assert call(shelf, SEARCH, {"search": "x"}, **{"api-key": "wrong"})[0] == 403
    for bad in ("", "?api-version=2019-01-01", f"?{VERSION}&nope=1"):
        assert call(shelf, SEARCH.partition("?")[0] + bad, {"search": "x"})[0] == 400


def test_life_of_an_index(server: SearchServer) -> None:
    assert call(server, f"/indexes?{VERSION}", DEFINITION)[0] == 201
    assert call(server, f"/indexes?{VERSION}", DEFINITION)[0] == 409
    status, listed = call(server, f"/indexes?{VERSION}", method="GET")
    assert (status, [one["name"] for one in listed["value"]]) == (200, ["kb"])
    stats = call(server, f"/indexes('kb')/search.stats?{VERSION}", method="GET")[1]
    assert stats["documentCount"] == 0
    fewer = {**DEFINITION, "fields": FIELDS[:-1]}
    assert call(server, f"/indexes('kb')?{VERSION}", fewer, method="PUT")[0] == 400
    assert call(server, f"/indexes('kb')?{VERSION}", method="DELETE")[0] == 204
    assert call(server, f"/indexes('kb')?{VERSION}", method="GET")[0] == 404


def test_a_scoring_profile_weighs_fields(server: SearchServer) -> None:
    weighed = {"name": "p", "text": {"weights": {"title": 0.5}}}
    documents = [{"id": "1", "title": "tea"}, {"id": "2", "title": "coffee"}]
    scores = []
    for change in ({}, {"scoringProfiles": [weighed], "defaultScoringProfile": "p"}):
        assert call(server, f"/indexes?{VERSION}", {**DEFINITION, **change})[0] == 201
        assert call(server, UPLOAD, {"value": documents})[0] == 200
        (hit,) = call(server, SEARCH, {"search": "tea"})[1]["value"]
        scores.append(hit["@search.score"])
        call(server, f"/indexes('kb')?{VERSION}", method="DELETE")
    assert scores[1] == pytest.approx(scores[0] / 2)


def test_actions_and_their_results(shelf: SearchServer) -> None:
    actions = [
        {"@search.action": "upload", "id": "1", "title": "new"},
        {"@search.action": "merge", "id": "none", "title": "x"},
        {"@search.action": "mergeOrUpload", "id": "2", "title": "changed"},
        {"@search.action": "delete", "id": "4"},
    ]
    status, reply = call(shelf, UPLOAD, {"value": actions})
    assert status == 207
    assert [r["statusCode"] for r in reply["value"]] == [200, 404, 200, 200]
    published = spec("index_documents_2024-07-01.json")["responses"]["207"]["body"]
    assert keys(reply) == keys(published)
    assert reply["value"][1] == published["value"][1] | {"key": "none"}
    documents = shelf.indexes["kb"].documents
    assert documents["2"]["content"].startswith("The warranty")
    assert "content" not in documents["1"]
    assert "4" not in documents


def test_a_definition_comes_back_with_the_published_keys(server: SearchServer) -> None:
    published = spec("create_index_2026-04-01.json")
    given = published["parameters"]["index"]
    given = {**given, "semantic": {"configurations": []}}
    status, reply = call(server, f"/indexes?{VERSION}", given)
    assert status == 201
    wanted = published["responses"]["201"]["body"]
    assert wanted.keys() <= reply.keys()
    assert [field.keys() for field in reply["fields"]] == [f.keys() for f in wanted["fields"]]
    assert reply["vectorSearch"]["algorithms"] == wanted["vectorSearch"]["algorithms"]
    assert reply["vectorSearch"]["profiles"] == wanted["vectorSearch"]["profiles"]


def test_a_search_comes_back_with_the_published_keys(shelf: SearchServer) -> None:
    published = spec("search_semantic_post_2026-04-01.json")
    asked = published["parameters"]["body"] | {
        "search": "warranty of a kettle",
        "semanticConfiguration": "good",
        "select": "id,title,content",
    }
    status, reply = call(shelf, SEARCH, asked)
    wanted = published["responses"]["200"]["body"]
    assert status == 200
    paging = {"@search.nextPageParameters", "@odata.nextLink"}
    assert reply.keys() == wanted.keys() - paging
    for name in ("@search.answers", "value"):
        assert reply[name][0].keys() == wanted[name][0].keys() - {"locations"}
    captions = reply["value"][0]["@search.captions"][0]
    assert captions.keys() == wanted["value"][0]["@search.captions"][0].keys()


def test_errors_have_the_seen_keys(shelf: SearchServer) -> None:
    seen = spec("errors_seen_on_the_wire.json")
    status, reply = call(shelf, f"/indexes('nope')/docs/search.post.search?{VERSION}", {})
    assert status == seen["search_404_index"]["status"]
    assert keys(reply) == keys(seen["search_404_index"]["body"])
    assert reply["error"]["message"] == "The index 'nope' for service 'localhost' was not found."
    status, reply = call(shelf, SEARCH, {"nope": 1})
    assert keys(reply) == keys(seen["search_400"]["body"])
