"""Search output is no answer."""

from __future__ import annotations

import re
from typing import Any

from ragqa.language.late import late
from ragqa.validation.fields import answer_of, refused, texts_of
from ragqa.validation.gate import CheckContext, Outcome, Passed

_MARK = late(r"@search\.\w+|@odata\.\w+|\bsearch\.score\b|\bodata\.\w+", re.IGNORECASE)
_MARK_WITH_VALUE = late(
    r"(?:@search\.\w+|@odata\.\w+|\bsearch\.score\b)[\"'”`]{0,2}"
    r"(?:\s?[:=|\t]\s?[\"'\[{]?-?\w|\s[\"']?-?\d)",
    re.IGNORECASE,
)
_STRONG_KEY = late(
    r"[\"'](?:page_content|chunk_id|chunkId|doc_id|docId|parent_id|content_vector|reranker_score|"
    r"rerankerScore|sourcefile|sourcepage|source_documents|highlights|captions)[\"']\s*:"
    r"|\b\w{0,30}(?:vector|embedding)s?[\"'”]?\s*[:：=]\s*\[\s*-?\d"
    r"|\bDocument\((?:id|page_content|metadata)\s*=|\bpage_content\s*=\s*[\"']"
)
_ROW_KEY = late(
    r"[\"'](content|source|score|title|id|text|url|filepath|file|snippet|metadata|chunk|document|"
    r"relevance|distance|rank|内容|来源|标题|得分|分数)[\"']\s*[:：]"
)
_FILE = (
    r"(?<![^\s,;，；(（\"'“\])）】:：])[^\s,;，；(（]{1,80}"
    r"\.(?:md|pdf|html?|docx?|txt|csv|tsv|jsonl?|pptx?|xlsx?)"
)
_SCORE = r"(?:(?:score|relevance|similarity|distance|rank|得分|分数|相关度|相似度)\s*[:：=]?\s*)"
_SCORED = late(
    rf"{_FILE}\b[\"'”]?\s*[-–,:：|]?\s*[\[(（]?\s*(?:{_SCORE}\d|[01]\.\d{{2,}}\s*[\])）])"
    rf"|{_FILE}\b[\"'”]?\s*[:：=|–-]\s*[01]\.\d{{2,}}\b"
    rf"|[\[(（]{_SCORE}?[01]\.\d{{2,}}[\])）]\s*[-:：]?\s*{_FILE}"
    rf"|[\[(（]{_SCORE}\d*\.\d+\s*[\])）]"
    rf"|\b(?:doc|document|chunk|passage|result|hit|文档|片段|结果)\s?[-_#]?\d+\b"
    rf"[^.。\n]{{0,20}}{_SCORE}\d",
    re.IGNORECASE,
)
_SCORE_VALUE = late(rf"{_SCORE}\d*\.\d{{2,}}", re.IGNORECASE)
_HEADED = late(
    r"\s*(?:search results?(?: for [\"'“‘][^\n]{1,80}?[\"'”’])?"
    r"|(?:found|retrieved) (?:\d{1,4} )?(?:relevant |matching )?"
    r"(?:documents?|passages?|chunks?|results?|hits)"
    r"|top[- ]?\d+ (?:results?|hits)|(?:检索|搜索)(?:结果|到的?(?:文档|内容|片段))"
    r"|(?:检索|搜索|找)到了?\s?\d{1,4}\s?[个篇条份段](?:相关的?)?(?:文档|文件|结果|片段|内容))"
    r"\s*(?:\(\d+\)|（\d+）)?\s*[:：]",
    re.IGNORECASE,
)
_FILE_LINE = late(rf"\s*(?:\d{{1,2}}[.)、]|[-*•]|\[\d{{1,2}}\])\s*{_FILE}\b", re.IGNORECASE)


# Nearly every answer holds none of these, and then none of the patterns can match.
_SIGN = late(r"[@:：=\[(（|\n]")
_SIGN_WORDS = ("score", "odata", "得分", "分数", "相关度", "相似度")


def looks_like_search_output(text: str, question: str = "") -> bool:
    """Tell whether a text is what a search returns: rows, scores, keys of a search service.

    A key that the question asks about may be named, but not with a value behind it.
    """
    if not _SIGN.search(text) and not any(word in text.lower() for word in _SIGN_WORDS):
        return False
    if _MARK_WITH_VALUE.search(text) or _STRONG_KEY.search(text) or _SCORED.search(text):
        return True
    mark = _MARK.search(text)
    if mark and mark.group().lower() not in question.lower():
        return True
    if len(set(_ROW_KEY.findall(text))) >= 2 or len(_SCORE_VALUE.findall(text)) >= 2:
        return True
    lines = text.splitlines()
    return _HEADED.match(text) is not None or sum(map(bool, map(_FILE_LINE.match, lines))) >= 2


class SearchDump:
    """Refuse search output in any text of a response."""

    name = "search_dump"

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass a response on whose texts say something themselves."""
        if answer_of(value) is None:
            return Passed(value)
        for path, text in texts_of(value):
            if path.startswith("sources"):
                continue  # the context gate knows what a source may be
            if looks_like_search_output(text, context.question):
                return refused(
                    f"rules.{self.name}",
                    f"{path} holds search output instead of an answer",
                    f"{path}: it repeats search output (rows, keys or scores). Answer the question"
                    " in your own plain sentences; no search results.",
                    field=path,
                    value=value,
                )
        return Passed(value)
