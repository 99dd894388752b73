"""Mask secrets and personal data in text that goes to a log or an error message.

>>> mask("Call 13812345678, key sk-abcdefghijklmnopqrstuvwx")
'Call [phone], key [secret]'

Every pattern is anchored or bounded, so the time grows with the length of the text alone. Masking
twice changes nothing more.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Final

HIDDEN: Final = "[secret]"
EMAIL: Final = "[email]"
PHONE: Final = "[phone]"
CARD: Final = "[card]"
ID_NUMBER: Final = "[id]"

_NAME_OF_ONE = (
    r"(?:(?:api|access|account|shared[-_ ]?access|private|subscription|admin|query|primary"
    r"|secondary|encryption|secret|function)[-_ ]?key"
    r"|(?:client[-_ ]?)?secret|(?<![a-z])(?:[a-z]{1,12}[-_])?token|passw(?:or)?d|passphrase"
    r"|(?<![a-z])pwd|(?<![a-z])sig|authorization|密码|口令|密钥|秘钥|令牌)"
)
_VALUE = r"""(?!\[secret\])(?:"[^"\n]+"|'[^'\n]+'|“[^”\n]+”|[^\s,;&'"“”，；。)\]}>]+)"""

_GAP = "[ .\u00a0\u2010-\u2015-]"  # what people put between groups of digits

_PRIVATE_KEY = (
    r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?"
)
_URL_LOGIN = r"(?<=://)[^\s/@?#]{1,512}@(?=[^\s@])"
_AUTHORIZATION = r"(?i)\b(bearer|authorization\W{1,5}basic)\s+[\w.~+/=-]{8,}"
_NAMED = rf"(?i)({_NAME_OF_ONE}[\"'”]?\s{{0,3}}(?:[:=：]|是|为)\s{{0,3}}){_VALUE}"
_PREFIXED = (
    r"(?<![A-Za-z0-9])(?:"
    r"(?:sk|pk|rk)[-_][A-Za-z0-9_-]{8,}"  # OpenAI, Anthropic, Stripe
    r"|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{16,}"
    r"|xox[abeprs]-[\w-]{8,}|hf_[A-Za-z0-9]{16,}|gsk_[A-Za-z0-9]{16,}"
    r"|A[KS]IA[A-Z0-9]{16}|AIza[\w-]{30,}|ls(?:v2)?_[ps][tk]_\w{16,}"
    r"|eyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?"  # JSON Web Tokens
    r")"
)
_HEX = r"(?i)(?<![0-9A-Z])[0-9A-F]{32,}(?![0-9A-Z])"
_BASE64 = r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/]{30,}={1,2}(?!=)"
_MIXED = r"(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{32,}(?![A-Za-z0-9_-])"

_EMAIL = (
    r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}[@＠]"
    r"[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}"
)
_CARD = rf"(?<![\d.+])\d(?:{_GAP}?\d){{12,18}}(?![\d.]?\d)"
_CHINESE_ID = (
    r"(?<![0-9A-Za-z])[1-9]\d{5}(?:18|19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
    r"\d{3}[\dXx](?![0-9A-Za-z])"
)
_SSN = r"\d(?<![\d-]\d)\d{2}([- ])\d{2}\1\d{4}(?![\d-])"
_BRITISH_ID = (  # www.gov.uk/hmrc-internal-manuals/national-insurance-manual/nim39110
    r"(?<![A-Za-z0-9])[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]"
    r"(?![A-Za-z0-9])"
)
_NAMED_ID = (
    r"(?i)((?:身份证(?:号码|号)?|护照(?:号码|号)?|通行证(?:号码|号)?|社保号"
    r"|\b(?:passport|identity card|id card|social security|national insurance|ssn)"
    r"(?:\s{0,3}(?:number|no\b\.?|nr\b\.?))?)"
    r"\s{0,3}(?:[:：#=]|是|为|is\b)?\s{0,3})[A-Z]{0,2}\d[\dA-Z-]{4,20}(?![A-Za-z0-9])"
)
_PHONE = (
    r"(?a)(?<![\w+.-])(?:"
    rf"(?:\+|00)\d{{1,3}}{_GAP}?(?:\(\d{{1,4}}\){_GAP}?)?\d{{1,4}}(?:{_GAP}?\d{{2,4}}){{1,4}}"
    rf"|(?:86{_GAP}?)?1[3-9]\d{_GAP}?\d{{4}}{_GAP}?\d{{4}}"  # mobile, China
    rf"|\(?0\d{{2,3}}\)?{_GAP}\d{{7,8}}"  # landline, China
    rf"|(?:1{_GAP})?(?:\(\d{{3}}\) ?|\d{{3}}{_GAP})\d{{3}}{_GAP}\d{{4}}"  # North America
    r")(?![\d-])"
)


def mask(text: str) -> str:
    """Replace secrets, addresses, phone, card and identity numbers by a word in brackets."""
    lowered = text.lower()
    for cue, rules in _rules():
        if any(word in lowered for word in cue) if isinstance(cue, tuple) else cue.search(text):
            for pattern, replacement in rules:
                text = re.sub(pattern, replacement, text)
    return text


def _is_card_number(digits: str) -> bool:
    """Check a number with Luhn's formula (ISO/IEC 7812-1, annex B)."""
    total = 0
    for position, char in enumerate(reversed(digits)):
        digit = int(char)
        if position % 2:
            digit = digit * 2 - 9 if digit > 4 else digit * 2
        total += digit
    return total % 10 == 0


def _card(found: re.Match[str]) -> str:
    digits = re.sub(r"\D", "", found.group())
    return CARD if _is_card_number(digits) and len(set(digits)) > 1 else found.group()


def _mixed(found: re.Match[str]) -> str:
    """Mask what mixes cases and digits as keys do; a long name in words stays."""
    text = found.group()
    digits = sum(char.isdigit() for char in text)
    mixed = text.lower() != text and text.upper() != text
    return HIDDEN if digits >= 3 and mixed else text


_Replacement = str | Callable[[re.Match[str]], str]
_Cue = tuple[str, ...] | re.Pattern[str]
_Rule = tuple[str, _Replacement]

_SECRET_CUES = (
    *("key", "secret", "token", "passw", "passphrase", "pwd", "sig", "authorization"),
    *("密码", "口令", "密钥", "秘钥", "令牌"),
)
_PREFIX_CUES = (
    *("sk-", "sk_", "pk-", "pk_", "rk-", "rk_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "hf_"),
    *("github_pat_", "glpat-", "xox", "akia", "asia", "aiza", "ls_", "lsv2_", "eyj"),
)
_ID_CUES = ("证", "护照", "社保号", "passport", "card", "social", "insurance", "ssn")


@cache
def _rules() -> tuple[tuple[_Cue, tuple[_Rule, ...]], ...]:
    """Return the patterns, which ``re`` compiles when they are needed: most texts need few.

    They come with a cue, lower-case words or a simpler pattern: where a text holds none of them,
    the rules cannot match, and are not tried. That makes masking of plain text several times as
    fast.
    """
    long = re.compile(r"[A-Za-z0-9_-]{32}")
    digits = re.compile(r"\d(?:\D{0,2}\d){5}")
    numbers = (
        (_CHINESE_ID, ID_NUMBER),
        (_CARD, _card),
        (_SSN, ID_NUMBER),
        (_BRITISH_ID, ID_NUMBER),
    )
    return (
        (("private key",), ((_PRIVATE_KEY, HIDDEN),)),
        (("://",), ((_URL_LOGIN, f"{HIDDEN}@"),)),
        (("bearer", "authorization"), ((_AUTHORIZATION, rf"\1 {HIDDEN}"),)),
        (_SECRET_CUES, ((_NAMED, rf"\1{HIDDEN}"),)),
        (_PREFIX_CUES, ((_PREFIXED, HIDDEN),)),
        (("=",), ((_BASE64, HIDDEN),)),
        (long, ((_HEX, HIDDEN), (_MIXED, _mixed))),
        (("@", "＠"), ((_EMAIL, EMAIL),)),
        (digits, numbers),
        (_ID_CUES, ((_NAMED_ID, rf"\1{ID_NUMBER}"),)),
        (tuple("0123456789"), ((_PHONE, PHONE),)),
    )
