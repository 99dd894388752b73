"""What a report of an evaluation says, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Language = Literal["en", "zh"]

_PHRASES: Mapping[str, tuple[str, str]] = {
    "title": ("Evaluation", "评测报告"),
    "of": ("{n} questions, chain {chain}", "{n} 个问题，链 {chain}"),
    "n": ("questions", "问题数"),
    "recall_at_1": ("recall@1", "召回率@1"),
    "recall_at_5": ("recall@5", "召回率@5"),
    "recall_at_10": ("recall@10", "召回率@10"),
    "mrr": ("mean reciprocal rank", "平均倒数排名"),
    "answer_holds_gold": ("answers that hold the right one", "答案包含标准答案"),
    "token_f1": ("token F1", "词元 F1"),
    "citation_precision": ("citations from the right place", "引用准确率"),
    "citation_recall": ("right places cited", "引用召回率"),
    "citation_verbatim": ("citations that are verbatim", "逐字一致的引用"),
    "refused_unanswerable": ("unanswerable ones refused", "无答案问题的拒答率"),
    "false_refusals": ("answerable ones refused", "误拒率"),
    "ece": ("calibration error (ECE)", "校准误差（ECE）"),
    "rates.valid_first_try": ("valid at first try", "一次有效"),
    "rates.repaired_without_call": ("mended without a call", "无需调用即修复"),
    "rates.repaired_by_call": ("repaired by a call", "再次调用后修复"),
    "rates.degraded": ("degraded", "降级"),
    "rates.failed": ("failed", "失败"),
    "rates.abstained": ("abstained", "弃答"),
    "rates.needs_human": ("needs a person", "需转人工"),
    "latency_ms.p50": ("milliseconds, median", "耗时中位数（毫秒）"),
    "latency_ms.p95": ("milliseconds, 95th percentile", "耗时第 95 百分位（毫秒）"),
    "tokens.calls": ("model calls", "模型调用次数"),
    "tokens.prompt": ("prompt tokens", "提示词元"),
    "tokens.completion": ("completion tokens", "生成词元"),
    "tokens.cached": ("cached tokens", "缓存词元"),
    "cost": ("cost", "费用"),
    "citations_unchecked": ("citations without a file to check", "无法核对的引用"),
    "figures": ("Figures", "指标"),
    "figure": ("figure", "指标"),
    "value": ("value", "数值"),
    "interval": ("95 % interval", "95 % 区间"),
    "limit": ("limit", "要求"),
    "missed": ("missed", "未达到"),
    "unknown": ("no question tells it", "没有相应的问题"),
    "rejected": ("Rejected by the gates", "被关卡拒绝"),
    "reliability": ("Reliability", "置信度校准"),
    "reliability_note": (
        "Of the answers given at each confidence, the share that is right. On the dashed line "
        "confidence is worth what it says; larger dots stand for more answers.",
        "各置信度下答案正确的比例。落在虚线上表示置信度名副其实；圆点越大，答案越多。"),
    "confidence": ("confidence", "置信度"),
    "share_right": ("share right", "正确比例"),
    "trade_off": ("Refusals", "拒答取舍"),
    "trade_off_note": (
        "What every threshold of confidence would refuse. The dot is what the chain did.",
        "不同置信度阈值下的拒答比例。圆点为本次结果。"),
    "no_curve": ("Needs answerable and unanswerable questions.",
                 "需要同时包含有答案和无答案的问题。"),
    "no_answers": ("No answer with a known right one.", "没有可判断对错的答案。"),
    "ranks": ("Where the right passage stands", "正确段落的名次"),
    "ranks_note": ("Questions by the rank of the first right passage; – is not found.",
                   "按首个正确段落的名次统计问题数；– 表示未找到。"),
    "rank": ("rank", "名次"),
    "questions": ("Questions, worst first", "问题（最差的在前）"),
    "expected": ("Right", "标准答案"),
    "places": ("Stands in", "出处"),
    "nothing_right": ("nothing: the documents do not answer it", "无：文档中没有答案"),
    "answered": ("Answer", "回答"),
    "quotes": ("Quotes", "引文"),
    "passages": ("Passages", "段落"),
    "no_passages": ("none", "无"),
    "page": ("page {page}", "第 {page} 页"),
    "right": ("right", "正确"),
    "wrong": ("wrong", "错误"),
    "false_refusal": ("refused wrongly", "误拒"),
    "compared": ("F1 {f1}", "F1 {f1}"),
    "failed": ("failed: {reason}", "失败：{reason}"),
    "right_place": ("right place", "出处正确"),
    "not_verbatim": ("not verbatim", "与原文不一致"),
    "unchecked": ("not checked", "未核对"),
    "left_out": ("{n} more are left out here; --out keeps them all.",
                 "此处省略 {n} 个问题；--out 中保留全部。"),
}  # fmt: skip


def phrase(name: str, language: Language, **values: object) -> str:
    """Return a phrase in a language, with its values filled in."""
    return _PHRASES[name][language == "zh"].format(**values)


def name_of(figure: str, language: Language) -> str:
    """Return what a figure is called; its own name where it has no other."""
    return phrase(figure, language) if figure in _PHRASES else figure
