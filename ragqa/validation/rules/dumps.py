"""Search output is no answer."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ragqa.language.late import late
from ragqa.language.traditional import simplified
from ragqa.validation.fields import answer_of, refused, sources_of, texts_of
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
    r"|(?:(?:i|we)(?: have|['’]ve)? )?(?:found|retrieved) (?:the following |these )?(?:\d{1,4} )?"
    r"(?:relevant |matching |related )?(?:documents?|files|passages?|chunks?|results?|hits)"
    r"|top[- ]?\d+ (?:results?|hits)|(?:检索|搜索)(?:结果|到的?(?:文档|内容|片段))"
    r"|(?:已?为[您你])?(?:检索|搜索|查|找)到了?(?:\s?\d{1,4}\s?[个篇条份段]|以下|如下)(?:几?[个篇条份段])?"
    r"(?:相关的?)?(?:文档|文件|结果|片段|内容|资料))"
    r"\s*(?:\(\d+\)|（\d+）)?\s*[:：]",
    re.IGNORECASE,
)
_FILE_LINE = late(
    rf"\s*(?:\d{{1,2}}[.)、]|[-*•]|\[\d{{1,2}}\])\s*(?:\[[^\]\n]{{1,80}}\]\()?{_FILE}\b",
    re.IGNORECASE,
)
_PIECE = late(
    r"(?:^|(?<=[\s.。!！?？;；\]】]))(?:[*_]{0,2}(?:chunk|passage|excerpt|snippet|"
    r"(?:search )?result|片段|段落|(?:检索|搜索)?结果)"
    r"\s?#?\d{1,3}(?P<of>\s?(?:of|/)\s?\d{1,4})?[*_]{0,2}\s?[:：]"
    r"|[\[【(（](?:chunk|passage|excerpt|snippet|result|片段|段落|结果)\s?#?\d{1,3}[\]】)）])",
    re.IGNORECASE,
)
_POINTING = late(
    r"\W*+(?:(?:please )?(?:see|check|refer to|consult|read)"
    r"|(?:the )?(?:relevant |retrieved |matching )?"
    r"(?:sources?|documents?|files?)(?: (?:is|are))?"
    r"|请?(?:参见|参考|参阅|查看|查阅|见)|详见"
    r"|(?:来源|出处|相关(?:文档|文件))(?:是|为)?)?[\W_]*(?:1\W+)?",
    re.IGNORECASE,
)
_BETWEEN = late(r"(?:\W|_|\d{1,2}\b|\b(?:and|or)\b|[和与及或])*", re.IGNORECASE)
_IS_FILE = late(r".\.(?:md|pdf|html?|docx?|txt|csv|tsv|jsonl?|pptx?|xlsx?)\Z", re.IGNORECASE)
_ASKS_WHERE = late(
    r"\b(?:where|files?|documents?|documentation|sources?|pages?|titles?|manuals?|forms?|templates?|"
    r"downloads?)\b|哪|表格|表单|模板|下载|文件|文档|出处|来源|标题|手册",
    re.IGNORECASE,
)


# Nearly every answer holds none of these, and then none of the patterns can match.
_SIGN = late(r"[@:：=\[【(（|\n]")
_SIGN_WORDS = ("score", "odata", "得分", "分数", "相关度", "相似度")


def looks_like_search_output(text: str, question: str = "") -> bool:
    """Tell whether a text is what a search returns: rows, scores, keys of a search service.

    A key that the question asks about may be named, but not with a value behind it.
    """
    text = simplified(text.replace('\\"', '"'))
    if not _SIGN.search(text) and not any(word in text.lower() for word in _SIGN_WORDS):
        return False
    if _MARK_WITH_VALUE.search(text) or _STRONG_KEY.search(text) or _SCORED.search(text):
        return True
    mark = _MARK.search(text)
    if mark and mark.group().lower() not in question.lower():
        return True
    if len(set(_ROW_KEY.findall(text))) >= 2 or len(_SCORE_VALUE.findall(text)) >= 2:
        return True
    pieces = list(_PIECE.finditer(text))
    if len(pieces) > 1 or any(piece["of"] for piece in pieces):
        return True
    lines = text.splitlines()
    return _HEADED.match(text) is not None or sum(map(bool, map(_FILE_LINE.match, lines))) >= 2


def is_pointer(text: str, titles: Iterable[object], question: str = "") -> bool:
    """Tell whether a text only names files that were found, and nobody asked for a file.

    >>> is_pointer("See returns.md.", ["returns.md"], "How long can I return it?")
    True
    """
    files = [t for t in titles if isinstance(t, str) and t in text and _IS_FILE.search(t)]
    if not files or _ASKS_WHERE.search(question):
        return False
    start = min(map(text.find, files))
    rest = text[start:]
    for title in sorted(files, key=len, reverse=True):
        rest = rest.replace(title, " ")
    return bool(_POINTING.fullmatch(text[:start]) and _BETWEEN.fullmatch(rest))


class SearchDump:
    """Refuse search output in any text of a response, and an answer that only names files."""

    name = "search_dump"

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass a response on whose texts say something themselves."""
        answer = answer_of(value)
        if answer is None:
            return Passed(value)
        titles = [*(context.titles or ()), *(sources_of(value) or ())]
        if is_pointer(answer, titles, context.question):
            return refused(
                f"rules.{self.name}",
                "answer only names files that were found",
                "answer: it only names files. Say in plain sentences what they say about the"
                " question.",
                field="answer",
                value=value,
            )
        said = (item for item in texts_of(value) if not item[0].startswith("sources"))
        dumps = (path for path, text in said if looks_like_search_output(text, context.question))
        path = next(dumps, None)  # what a source may be, the context gate knows
        if path is None:
            return Passed(value)
        return refused(
            f"rules.{self.name}",
            f"{path} holds search output instead of an answer",
            f"{path}: it repeats search output (rows, keys or scores). Answer the question"
            " in your own plain sentences; no search results.",
            field=path,
            value=value,
        )
