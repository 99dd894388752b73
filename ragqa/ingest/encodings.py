"""How plausible a decoding is: tells GBK from Big5, Shift-JIS, Korean and Western text.

Short texts defeat statistics over bytes, so what counts is what comes out: whether the characters
are ones that people write every day, and whether a Western accent stands inside a Western word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache

# The commonest characters of running Chinese, simplified and traditional, and of shop documents:
# they make up more than half of any text, but under a tenth of one decoded the wrong way.
_HAN = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过"
    "发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本"
    "前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很"
    "最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度"
    "门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电"
    "数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马"
    "科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万"
    "取拉格望觉术领共确传师观清今切院让识候带导争运笔需每低价元退货换购买单款费送品质商店客服修订"
    "台灯壶杯箱包装税钱卡号码网址话邮件收件寄付请您天周内免限期满折优惠库存量重克米升瓦寸"
    "這個們來為國說時會對後著過發裡學麼現當動還進樣與長機實軍無從開關點業將兩間問應戰頭體見產話"
    "給聲東員論處義認條氣題爾別變總電數報結務場計資許統區隊決書則聽卻達強難權設記類據邊張該規萬"
    "覺術領確傳師觀讓識帶導爭運筆價貨換購買單費質訂燈壺裝稅錢號碼網郵寄請週內優庫"
)
_HANGUL = frozenset(
    "이다는에의을가고로한하지도을를은사기서리아인어자나그대시라수있전해일정부과스제보구원"
    "상장조주만여마동유공국안성오위되비적당요선소신우화진세생모들내무것면경관문바물입할계산"
    "중간분회식재터않없했었같까데며니습품상환불"
)
_TYPOGRAPHY = frozenset(
    "\u2018\u2019\u201c\u201d\u201e\u2013\u2014\u2026\u2022€£©®™°§«»·²³½¼±×¿¡ºª"
)
_ACCENTED = frozenset("éèàçüöäßñóíáúêâîôûïëœæøåãõòìù")
_CJK_MARKS = frozenset("，。、；：？！“”‘’（）《》【】…—·￥％～「」『』〈〉　")

_AMID_LETTERS = re.compile(r"(?<=[A-Za-z])[^\x00-\x7f](?=[a-z])")

Plausibility = Callable[[str], float]


@cache
def _daily(encoding: str, first: int, last: int) -> frozenset[str]:
    """Return the characters of a two-byte standard's first level: the ones for daily use."""
    trails = [*range(0x40, 0x7F), *range(0x80, 0xFD)]
    pairs = (bytes((lead, trail)) for lead in range(first, last + 1) for trail in trails)
    decoded = (pair.decode(encoding, errors="ignore") for pair in pairs)
    return frozenset(char for char in decoded if len(char) == 1)


def _share(chars: list[str], weight: Callable[[str], float]) -> float:
    return sum(map(weight, chars)) / len(chars)


def _share_of(text: str, weight: Callable[[str], float]) -> float:
    """Weigh the characters beyond ASCII; against it speak those inside a word, as in "na飗e"."""
    chars = _not_ascii(text)
    return _share(chars, weight) - len(_AMID_LETTERS.findall(text)) / len(chars)


def _chinese(text: str, encoding: str, first: int, last: int) -> float:
    daily = _daily(encoding, first, last)
    other = _daily("big5", 0xA4, 0xC6) if encoding == "gb2312" else frozenset()

    def weight(char: str) -> float:
        if char in _HAN or char in _CJK_MARKS:
            return 1.0
        if char in daily:
            return 0.6
        if char in other:  # traditional characters in GBK
            return 0.4
        return 0.2 if "\u4e00" <= char <= "\u9fff" or "\uff01" <= char <= "\uff5e" else -0.5

    return _share_of(text, weight)


def gb18030(text: str) -> float:
    """Weigh a decoding as mainland Chinese."""
    return _chinese(text, "gb2312", 0xB0, 0xD7)


def big5(text: str) -> float:
    """Weigh a decoding as the Chinese of Taiwan and Hong Kong."""
    return _chinese(text, "big5", 0xA4, 0xC6)


def japanese(text: str) -> float:
    """Weigh a decoding as Japanese, which shows kana."""

    def weight(char: str) -> float:
        if "\u3041" <= char <= "\u30fe":
            return 1.0
        if char in _CJK_MARKS or char in _HAN:
            return 0.8
        return 0.4 if char in _daily("cp932", 0x88, 0x97) else -0.5  # halfwidth kana among them

    return _share_of(text, weight) if any("ぁ" <= char <= "ヾ" for char in text) else -1.0


def korean(text: str) -> float:
    """Weigh a decoding as Korean, whose syllables stand in words with blanks between."""

    def weight(char: str) -> float:
        if char in _HANGUL:
            return 1.0
        if "가" <= char <= "힣":
            return 0.5
        return 0.5 if char in _CJK_MARKS else -0.5

    spaced = any(char.isspace() for char in text)
    return _share_of(text, weight) if spaced else -1.0


def wide(text: str) -> float:
    """Weigh a decoding as UTF-16: text in any script, with blanks or marks, without controls."""

    def weight(char: str) -> float:
        if _is_everyday(char):
            return 1.0
        if char in _daily("gb2312", 0xB0, 0xD7) or char in _daily("big5", 0xA4, 0xC6):
            return 0.6
        if "\u00a0" <= char <= "\u07ff" or "ぁ" <= char <= "ヾ" or "가" <= char <= "힣":
            return 0.8
        return -0.5 if char < " " else 0.0

    if 12 * sum(map(_is_everyday, text)) < len(text) or not text:
        return -1.0
    return _share(list(text), weight)


def _is_everyday(char: str) -> bool:
    return " " <= char <= "~" or char in "\r\n\t" or char in _HAN or char in _CJK_MARKS


_SELDOM = re.compile(r"[\u0250-\u02ba\u02c0-\u02ff\u0460-\u0489\u0500-\u058f\u0700-\u07ff]")
_BEYOND = re.compile(r"[\u0800-\U0010ffff]")
_SCRIPTS = tuple(
    re.compile(span)
    for span in (r"[\u0370-\u03ff]", r"[\u0400-\u052f]", r"[\u0590-\u05ff]", r"[\u0600-\u06ff]")
)


def doubtful_utf8(text: str) -> bool:
    """Tell whether a short text that reads as UTF-8 looks like GBK that does so by chance.

    Two bytes that GBK uses for a common character may also be one character of a script that
    hardly anybody writes, or of several scripts at once.
    """
    foreign = [char for char in text[:2000] if char > "\x7f"]
    if not foreign or len(foreign) > 40 or _BEYOND.search(text):
        return False
    scripts = sum(1 for script in _SCRIPTS if script.search(text))
    return scripts > 1 or _SELDOM.search(text) is not None


def western(text: str) -> float:
    """Weigh a decoding as Western European: accents inside words of ASCII letters."""
    marks, weighed = 0.0, 0
    for at, char in enumerate(text):
        if char < "\x80":
            continue
        weighed += 1
        if char in _TYPOGRAPHY:
            marks += 0.8
        elif unicodedata.category(char) not in {"Lu", "Ll"}:
            marks -= 0.5
        elif _in_word(text, at):
            marks += 1.0 if char in _ACCENTED else 0.7
        else:
            marks += 0.5 if char in "àÀéÉóèíúŒ" and _alone(text, at) else -0.3
    return marks / weighed


def _in_word(text: str, at: int) -> bool:
    around = text[max(at - 2, 0) : at] + text[at + 1 : at + 3]
    return any(char.isascii() and char.isalpha() for char in around)


def _alone(text: str, at: int) -> bool:
    return not text[max(at - 1, 0) : at].strip() and not text[at + 1 : at + 2].strip()


def _not_ascii(text: str) -> list[str]:
    return [char for char in text if char > "\x7f"] or ["\x80"]
