"""What the command line says around an answer, in English and Chinese."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Literal

Language = Literal["en", "zh"]

_PHRASES: Mapping[str, tuple[str, str]] = {
    "sources": ("Sources", "来源"),
    "page": ("page {page}", "第 {page} 页"),
    "follow_up": ("You may also ask", "您还可以问"),
    "confidence": ("confidence {confidence}", "可信度 {confidence}"),
    "unverified": ("(the figures or names of the answer do not all stand in this quote)",
                   "（答案中的数字或名称未全部出现在此引文中）"),
    "quotation": ("This is a quotation from the documents, not a written answer.",
                  "以上是文档原文摘录，并非撰写的回答。"),
    "quotation_no_model": (
        "This is a quotation from the documents, not a written answer: no model is configured.",
        "以上是文档原文摘录，并非撰写的回答：尚未配置模型。"),
    "degraded": ("No valid answer was written (reason: {reason}).",
                 "未能写出有效的回答（原因：{reason}）。"),
    "degraded_more": ("ragqa runs show last tells what happened; ragqa doctor tries the model.",
                      "ragqa runs show last 显示经过；ragqa doctor 检查模型服务。"),
    "cached": ("This answer was given before; it is reused.",
               "此问题之前已回答过，直接复用该答案。"),
    "waiting": ("An approval is due before this goes on.", "需要先获得批准才能继续。"),
    "needs_human": ("A person should look at this.", "建议转人工处理。"),
    "withdrawn": ("The text above is withdrawn (reason: {reason}).",
                  "以上文字已撤回（原因：{reason}）。"),
    "retrieval_only": ("Retrieval only: these passages were found; no answer was written.",
                       "仅检索：以下为找到的段落，未生成回答。"),
    "nothing_found": ("Nothing was found.", "没有找到相关内容。"),
}  # fmt: skip


_LOCALE = ("LC_ALL", "LC_MESSAGES", "LANG")
"""POSIX: the first of these that is set decides."""


def phrase(name: str, language: Language, **values: object) -> str:
    """Return a phrase in a language, with its values filled in."""
    return _PHRASES[name][language == "zh"].format(**values)


def language_for(question: str, environ: Mapping[str, str] | None = None) -> Language:
    """Return the language to speak: Chinese for a Chinese question or a Chinese locale."""
    environ = os.environ if environ is None else environ
    named = (environ.get(name) for name in _LOCALE)
    if next(filter(None, named), "").lower().startswith("zh"):
        return "zh"
    from ragqa.language import language_of

    return language_of(question)
