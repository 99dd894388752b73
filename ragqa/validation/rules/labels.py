"""Field lists and tables: text that lists labels and values instead of saying something."""

from __future__ import annotations

import re

from ragqa.language.late import late

_RECORD = (
    "id name title price score content source sources category stock sku url link summary document"
    " doc chunk page confidence type brand author text file filename path snippet metadata product"
    " quantity status rating model currency answer relevance description"
    " 名称 标题 编号 价格 单价 得分 分数 内容 来源 类别 分类 库存 链接 摘要 文档 页码 置信度"
    " 类型 品牌 作者 文件 路径 产品 数量 状态 型号 相关度 描述 商品 答案"
)
_DATASHEET = (
    "capacity weight colour color material size power voltage dimensions length width height volume"
    " warranty 颜色 规格 容量 重量 材质 尺寸 功率 电压 保修"
)
_RECORD_LABELS = frozenset(_RECORD.split())
_HITS = "title content source score snippet chunk metadata 标题 内容 来源 得分"
_HIT_LABELS = frozenset(_HITS.split())
_LABELS = sorted((_RECORD + " " + _DATASHEET).split(), key=len, reverse=True)
_ENGLISH_LABEL = "|".join(label for label in _LABELS if label.isascii())
_CHINESE_LABEL = "|".join(label for label in _LABELS if not label.isascii())

# A label begins the text or follows a mark, a blank or emphasis, and a colon or = follows it.
_LABEL = late(
    rf"(?:^|(?<=[\s;；|,，。、*_(（{{\-•\"'“]))"
    rf"(?:(?P<en>{_ENGLISH_LABEL})|(?P<zh>(?:产品|商品)?(?:{_CHINESE_LABEL})))"
    r"[*_\"'”]{0,3}\s?[:：=]",
    re.IGNORECASE,
)
_PAIR_LINE = late(r"\s*(?:[-*•]|\d{1,2}[.)])?\s*[*_]{0,2}[^\s:：|][^:：|\n]{0,24}[:：]\s*\S")
_BREAKS = late(r"[;；|,，、\n]")
_RULE_LINE = late(r"\|\s*:?-{3,}|\+-{3,}\+|┌─|├─|\s:?-{3,}:?\s*\|")
_TABLE_TAG = late(r"<(?:table|thead|tbody|tr|td|th)\b", re.IGNORECASE)
_CSV_LINE = late(
    r"[^,\n]{0,80}(?:,(?! )[^,\n]{0,80}){2,40}|[^;\n]{0,80}(?:;(?! )[^;\n]{0,80}){2,40}"
)


def is_field_list(text: str) -> bool:
    """Tell whether a text is a row of labels with values.

    >>> is_field_list("Name: K2; Price: 49; Id: 7"), is_field_list("Opening hours: 9–17")
    (True, False)
    """
    labels = [
        (match.start(), match.group("en") or match.group("zh")) for match in _LABEL.finditer(text)
    ]
    distinct = {label.lower() for _, label in labels}
    if len(distinct) >= 3 or {"answer", "confidence"} <= distinct:
        return True
    opens = (
        len(distinct) == 2
        and distinct <= _RECORD_LABELS
        and not text[: labels[0][0]].strip(" *_-•{")
    )
    if opens and (distinct <= _HIT_LABELS or _BREAKS.search(text, labels[0][0], labels[-1][0])):
        return True
    return _lines_are_pairs(text, known=len(distinct))


def _lines_are_pairs(text: str, *, known: int) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < (2 if known else 3):
        return False
    return all(_PAIR_LINE.match(line) for line in lines)


def is_table(text: str) -> bool:
    """Tell whether a text is a table, or holds one: Markdown, HTML, tabs, bars or csv rows."""
    if _RULE_LINE.search(text) or _TABLE_TAG.search(text):
        return True
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if any(line.count("\t") >= 2 for line in lines):
        return True
    if any(line.count("|" if line[0] == "|" else " | ") >= 3 for line in lines):
        return True
    if len(lines) < 2:
        return False
    return _columns(lines, "\t") or _columns(lines, "|") or all(map(_CSV_LINE.fullmatch, lines))


def _columns(lines: list[str], separator: str) -> bool:
    counts = {line.count(separator) for line in lines}
    return len(counts) == 1 and counts != {0}
