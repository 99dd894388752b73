"""One index of the stand-in: its definition, its documents, and how it answers a search."""

from __future__ import annotations

import re
from typing import Any

from tests.wire.azure import search_analysis as analysis
from tests.wire.azure import search_queries as queries
from tests.wire.azure import search_ranking as ranking
from tests.wire.azure.search_analysis import Analyze
from tests.wire.azure.search_definitions import VECTOR
from tests.wire.azure.search_filters import Test, parsed
from tests.wire.azure.search_refusals import (
    JsonObject,
    bad_expression,
    invalid,
    no_property,
    unknown_key,
)

MAX_BATCH = 1000
MAX_BODY_BYTES = 16 * 1024 * 1024
MAX_TERM_BYTES = 32_766
_KEY = re.compile(r"[A-Za-z0-9=-][A-Za-z0-9_=-]{0,1023}")
_ACTIONS = ("upload", "merge", "mergeOrUpload", "delete")
_QUERY_KEYS = {
    "count", "facets", "filter", "highlight", "highlightPostTag", "highlightPreTag",
    "minimumCoverage", "orderby", "queryType", "scoringStatistics", "sessionId",
    "scoringParameters", "scoringProfile", "debug", "search", "searchFields", "searchMode",
    "select", "skip", "top", "semanticConfiguration", "semanticErrorHandling",
    "semanticMaxWaitInMilliseconds", "semanticQuery", "answers", "captions", "vectorQueries",
    "vectorFilterMode",
}  # fmt: skip
_VECTOR_KEYS = {"vector", "kind", "k", "fields", "oversampling", "weight", "exhaustive"}
_ENUMS = {
    "queryType": ("simple", "full", "semantic"),
    "searchMode": ("any", "all"),
    "scoringStatistics": ("local", "global"),
    "semanticErrorHandling": ("partial", "fail"),
    "vectorFilterMode": ("preFilter", "postFilter", "strictPostFilter"),
}
_PYTHON = {
    "Edm.String": str,
    "Edm.Int32": int,
    "Edm.Int64": int,
    "Edm.Double": (int, float),
    "Edm.Boolean": bool,
    "Edm.DateTimeOffset": str,
    "Collection(Edm.String)": list,
    "Collection(Edm.Int32)": list,
    VECTOR: list,
}


class Index:
    """Documents under a definition."""

    def __init__(self, definition: JsonObject) -> None:
        self.documents: dict[str, JsonObject] = {}
        self.words: dict[str, ranking.Words] = {}
        self.define(definition)

    def define(self, definition: JsonObject) -> None:
        self.definition = definition
        self.fields: dict[str, JsonObject] = {f["name"]: f for f in definition["fields"]}
        self.key = next(name for name, field in self.fields.items() if field["key"])
        for name, field in self.fields.items():
            if field["searchable"] and field["type"] != VECTOR and name not in self.words:
                self.words[name] = ranking.Words(
                    self._analyze(field, "indexAnalyzer"), self._analyze(field, "searchAnalyzer")
                )

    def _analyze(self, field: JsonObject, purpose: str) -> Analyze:
        name = field.get("analyzer") or field.get(purpose) or "standard.lucene"
        return analysis.custom(self.definition, name) or ranking.built_in(name)

    # Documents

    def check_batch(self, body: Any) -> list[JsonObject]:
        """Return the actions of a batch.

        Raises:
            Refused: If the whole batch is refused.
        """
        actions = body.get("value") if isinstance(body, dict) else None
        if not isinstance(actions, list) or not actions:
            raise invalid(
                "The request is invalid. Details: actions : No indexing actions found.\r\n"
            )
        if set(body) != {"value"}:
            raise unknown_key(next(key for key in body if key != "value"))
        if len(actions) > MAX_BATCH:
            raise invalid(
                f"The request is invalid. Details: actions : Too many indexing actions found in "
                f"the request: {len(actions)}. The limit is {MAX_BATCH}.\r\n"
            )
        for at, action in enumerate(actions):
            self._check_action(action, at)
        return actions

    def _check_action(self, action: JsonObject, at: int) -> None:
        kind = action.get("@search.action", "upload")
        if kind not in _ACTIONS:
            raise invalid(f"The request is invalid. Details: actions : {at}: Action '{kind}'.\r\n")
        key = action.get(self.key)
        if not isinstance(key, str) or not key:
            raise invalid(
                f"The request is invalid. Details: actions : {at}: Document key cannot be missing "
                "or empty.\r\n"
            )
        if not _KEY.fullmatch(key):
            raise invalid(
                f"Invalid document key: '{key}'. Keys can only contain letters, digits, underscore "
                "(_), dash (-), or equal sign (=), and cannot start with an underscore.",
                detail="InvalidDocumentKey",
            )
        for name, value in action.items():
            if name != "@search.action":
                self._check_value(name, value)

    def _check_value(self, name: str, value: Any) -> None:
        field = self.fields.get(name)
        if field is None:
            raise unknown_key(name, "actions : 0")
        if value is None:
            return
        kind = field["type"]
        fits = isinstance(value, _PYTHON[kind])
        if not fits or (isinstance(value, bool) and kind != "Edm.Boolean"):
            raise invalid(
                f"The request is invalid. Details: actions : 0: Cannot convert the value of "
                f"'{name}' to the expected type '{kind}'.\r\n"
            )
        if kind == VECTOR and len(value) != field["dimensions"]:
            raise invalid(
                f"The request is invalid. Details: actions : 0: The vector field '{name}', with "
                f"dimension '{field['dimensions']}', expects a length of '{field['dimensions']}'. "
                f"However, the provided vector has a length of '{len(value)}'. Please ensure that "
                "the vector length matches the expected length of the vector field.\r\n"
            )

    def apply(self, action: JsonObject) -> tuple[int, str | None]:
        """Carry out one action; return its status and what went wrong."""
        kind, key = action.get("@search.action", "upload"), action[self.key]
        document = {k: v for k, v in action.items() if k != "@search.action"}
        if kind == "delete":
            if self.documents.pop(key, None) is not None:
                for words in self.words.values():
                    words.drop(key)
            return 200, None
        for name, value in document.items():
            field = self.fields[name]
            plain = field["filterable"] or field["sortable"] or field["facetable"]
            if plain and isinstance(value, str) and len(value.encode()) > MAX_TERM_BYTES:
                return 400, (
                    f"Field '{name}' contains a term that is too large to process. The max length "
                    f"for UTF-8 encoded terms is {MAX_TERM_BYTES} bytes."
                )
        before = self.documents.get(key)
        if kind == "merge" and before is None:
            return 404, "Document not found."
        if kind != "upload" and before is not None:
            document = {**before, **document}
        self.documents[key] = document
        for name, words in self.words.items():
            words.put(key, document.get(name))
        return (201 if before is None else 200), None

    # Searches

    def search(self, body: JsonObject) -> JsonObject:
        """Return what a search finds.

        Raises:
            Refused: If the service would not run it.
        """
        self._check_query(body)
        test = parsed(body["filter"], self.fields) if body.get("filter") else lambda _: True
        shown = self._selected(body.get("select"))
        scores = self._scores(body, test)
        captions = self._reranked(body, scores)
        ordered = sorted(
            scores, key=lambda key: (-captions[key][0] if captions else 0, -scores[key], key)
        )
        if body.get("orderby"):
            ordered = self._ordered(body["orderby"], ordered)
        skip, top = body.get("skip", 0), body.get("top", 50)
        found = [
            self._hit(key, scores[key], captions.get(key), shown, body)
            for key in ordered[skip : skip + top]
        ]
        reply: JsonObject = {"value": found}
        if body.get("count"):
            reply = {"@odata.count": len(ordered), **reply}
        if body.get("answers"):
            reply = {"@search.answers": _answers(ordered, captions, body["answers"]), **reply}
        return reply

    def _hit(
        self,
        key: str,
        score: float,
        caption: tuple[float, str] | None,
        shown: list[str],
        body: JsonObject,
    ) -> JsonObject:
        hit: JsonObject = {"@search.score": score}
        if caption is not None:
            hit["@search.rerankerScore"] = caption[0]
            if body.get("captions"):
                hit["@search.captions"] = [{"text": caption[1], "highlights": ""}]
        return {**hit, **{name: self._shown(key, name) for name in shown}}

    def _shown(self, key: str, name: str) -> Any:
        empty: Any = [] if self.fields[name]["type"].startswith("Collection") else None
        return self.documents[key].get(name, empty)

    def _scores(self, body: JsonObject, test: Test) -> dict[str, float]:
        fits = {key for key, document in self.documents.items() if test(document)}
        text, rankings = body.get("search"), []
        vectors = body.get("vectorQueries") or []
        if text in (None, "", "*") and not vectors:
            return dict.fromkeys(fits, 1.0)
        if text not in (None, "", "*"):
            chosen = self._search_fields(body.get("searchFields"))
            read = queries.full if body.get("queryType") == "full" else queries.simple
            if body.get("queryType") == "semantic":
                text = re.sub(r"[+-]", " ", text)
            weights = self._weights()
            weighed = [(field, weights.get(name, 1.0)) for name, field in chosen.items()]
            found = ranking.by_words(read(text), weighed, body.get("searchMode", "any"))
            rankings.append({key: score for key, score in found.items() if key in fits})
        for query in vectors:
            name = query["fields"]
            held = {k: v for k in fits if (v := self.documents[k].get(name))}
            rankings.append(ranking.by_vector(query["vector"], held, query.get("k") or 50))
        return rankings[0] if len(rankings) == 1 else ranking.fused(rankings)

    def _reranked(self, body: JsonObject, scores: dict[str, float]) -> dict[str, tuple[float, str]]:
        if body.get("queryType") != "semantic":
            return {}
        search = self.definition.get("semantic") or {}
        named = {one["name"]: one for one in search.get("configurations", [])}
        name = body.get("semanticConfiguration") or search.get("defaultConfiguration")
        if name not in named:
            raise bad_expression(
                f"Unknown semantic configuration '{name}'.", "semanticConfiguration", ""
            )
        chosen = named[name]["prioritizedFields"]["prioritizedContentFields"]
        fields = [field["fieldName"] for field in chosen]
        question = body.get("semanticQuery") or body.get("search") or ""
        return {key: ranking.semantic(question, self.documents[key], fields) for key in scores}

    def _weights(self) -> dict[str, float]:
        """Return what the fields count by the default scoring profile, where not 1."""
        profiles = {p["name"]: p for p in self.definition.get("scoringProfiles") or []}
        profile = profiles.get(self.definition.get("defaultScoringProfile"), {})
        return dict((profile.get("text") or {}).get("weights") or {})

    def _search_fields(self, given: str | None) -> dict[str, ranking.Words]:
        if not given:
            return self.words
        names = [name.strip() for name in given.split(",")]
        for name in names:
            if name not in self.fields:
                raise no_property(name, "searchFields")
            if name not in self.words:
                raise invalid(
                    f"The field '{name}' in the search field list is not searchable.\r\nParameter "
                    "name: searchFields",
                    detail="FieldNotSearchable",
                )
        return {name: self.words[name] for name in names}

    def _selected(self, select: str | None) -> list[str]:
        visible = [name for name, field in self.fields.items() if field["retrievable"]]
        if not select or select == "*":
            return visible
        names = [name.strip() for name in select.split(",")]
        for name in names:
            if name not in self.fields:
                raise no_property(name, "$select")
            if name not in visible:
                raise bad_expression(
                    f"'{name}' is not a retrievable field. Only retrievable fields can be used in "
                    "$select.", "$select", "FieldNotSupportedInSelect",
                )  # fmt: skip
        return names

    def _ordered(self, orderby: str, keys: list[str]) -> list[str]:
        for clause in reversed(orderby.split(",")):
            name, _, way = clause.strip().partition(" ")
            field = self.fields.get(name)
            if field is None:
                raise no_property(name, "$orderby")
            if not field["sortable"]:
                raise bad_expression(
                    f"'{name}' is not a sortable field.", "$orderby", "NotSortable"
                )
            keys = sorted(keys, key=lambda k: str(self._shown(k, name)), reverse=way == "desc")
        return keys

    def _check_query(self, body: JsonObject) -> None:
        if not isinstance(body, dict):
            raise invalid("The request is invalid. Details: parameters : No body.\r\n")
        for key in body:
            if key not in _QUERY_KEYS:
                raise unknown_key(key)
        _check_enums(body)
        for name, usual in (("skip", 0), ("top", 50)):
            if not 0 <= body.get(name, usual) <= 100_000:
                raise invalid(f"Value must be between 0 and 100000.\r\nParameter name: ${name}")
        if body.get("queryType") == "semantic" and "orderby" in body:
            raise invalid("'orderby' is not supported when 'queryType' is set to 'semantic'.")
        for query in body.get("vectorQueries") or []:
            self._check_vector_query(query)

    def _check_vector_query(self, query: JsonObject) -> None:
        for key in query:
            if key not in _VECTOR_KEYS:
                raise unknown_key(key, "vectorQueries")
        if query.get("kind") != "vector":
            raise _not_one_of("kind", query.get("kind"))
        field = self.fields.get(query.get("fields", ""))
        if field is None or field["type"] != VECTOR:
            raise invalid(
                f"Unknown field '{query.get('fields')}' in vector field list.\r\nParameter name: "
                "vectorQueries", detail="UnknownField",
            )  # fmt: skip
        if len(query["vector"]) != field["dimensions"]:
            raise invalid(
                f"The vector query's vector has a length of '{len(query['vector'])}', but the "
                f"vector field '{field['name']}' expects a length of '{field['dimensions']}'.\r\n"
                "Parameter name: vector", detail="InvalidVectorQuery",
            )  # fmt: skip


def _check_enums(body: JsonObject) -> None:
    for name, values in _ENUMS.items():
        if name in body and body[name] not in values:
            raise _not_one_of(name, body[name])
    for name in ("answers", "captions"):
        if name in body and body[name].partition("|")[0] not in ("none", "extractive"):
            raise _not_one_of(name, body[name])


def _answers(
    ordered: list[str], captions: dict[str, tuple[float, str]], wanted: str
) -> list[JsonObject]:
    count = int(found[1]) if (found := re.search(r"count-(\d+)", wanted)) else 1
    good = [key for key in ordered if captions and captions[key][0] >= 2]
    return [
        {"key": key, "text": captions[key][1], "highlights": "", "score": captions[key][0] / 4}
        for key in good[:count]
    ]


def _not_one_of(name: str, value: Any) -> Exception:
    return invalid(
        f"The request is invalid. Details: parameters : Invalid value '{value}' for '{name}'.\r\n"
    )
