"""When two questions are the same, and when they are at least no different ones.

>>> normalised("  Ｈow long is DELIVERY? ")
'how long is delivery'
>>> may_be_one("How long is delivery?", "How long does delivery take to 2 houses?")
False
"""

from __future__ import annotations

import re
import unicodedata

from ragqa.language import is_function_word, words

_FINAL = " \t.?!…。？！；;,，、~～"


def normalised(question: str) -> str:
    """Return what is the same for questions that differ in form alone.

    Width, case, blanks and final punctuation do not count (NFKC, full case folding).
    """
    text = unicodedata.normalize("NFKC", question).casefold()
    text = unicodedata.normalize("NFKC", text)  # folding may leave text that is not composed
    return " ".join(text.split()).rstrip(_FINAL)


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


_CHANGING = _listed(
    """
    no not never none neither nor without unless except cannot isn aren wasn weren don doesn didn
    won wouldn couldn shouldn hasn haven hadn before after over under more most less least only
    hardly barely scarcely rarely seldom zero one two three four five six seven eight nine ten
    half once twice second third until since with within above below
    up down in out on off from to first last all any each other
    同 上 下 前 后 以前 之前 以后 之后 里 内 外 中 从 到 向 往 只 仅 最 更 没有 非 各 每 其
    """
)
_LIGHT = _listed(
    """
    take takes took tell please know want need like get say show give find explain let thanks thank
    hello hi exactly kindly question information info
    """
)
"""Words that a question may have beside another one, and still ask the same."""
_DIRECTED = _listed("from to than by for into per over versus vs 从 到 比 向 往 对 给 被 把 由 换")
"""Words beside which the order of the others matters: from Paris to London."""
_DENIED = re.compile(r"[不没沒无無未别別勿莫否非]|n['’]t\b")
_HAN_NUMBER = re.compile(r"[零〇一二三四五六七八九十百千万亿两半]+")


def may_be_one(one: str, other: str) -> bool:
    """Tell whether questions with nearly the same vector may count as the same.

    A number, a negation or a name that stands in one alone makes them two; so does every word that
    stands in the place of another one.
    """
    if _numbers(one) != _numbers(other) or _denials(one) != _denials(other):
        return False
    these, those = _by_stem(one), _by_stem(other)
    only_one = {word for stem, word in these.items() if stem not in those}
    only_other = {word for stem, word in those.items() if stem not in these}
    if (only_one and only_other) or any(map(_is_weighty, only_one | only_other)):
        return False
    shared = [stem for stem in these if stem in those]
    same_order = shared == [stem for stem in those if stem in these]
    return same_order or not (_is_directed(one) or _is_directed(other))


def _numbers(text: str) -> list[str]:
    text = unicodedata.normalize("NFKC", text)
    return sorted([*re.findall(r"\d+", text), *_HAN_NUMBER.findall(text)])


def _denials(text: str) -> int:
    return len(_DENIED.findall(text.casefold()))


def _is_directed(text: str) -> bool:
    latin = set(re.findall(r"[a-z]+", text.casefold()))
    return bool(latin & _DIRECTED) or any(char in _DIRECTED for char in text)


def _by_stem(text: str) -> dict[str, str]:
    """Return the words that matter, as they were written, by their stems."""
    text = unicodedata.normalize("NFKC", text)
    found: dict[str, str] = {}
    for term, start, end in words(text):
        form = text[start:end]
        if form.casefold() in _CHANGING or not is_function_word(form.casefold()):
            found[term] = form
    return found


def _is_weighty(word: str) -> bool:
    """Tell whether a word that one question has beside the other changes what is asked.

    Names and numbers in words are known by no list, so all but a few words do.
    """
    return word.casefold() not in _LIGHT
