"""What nobody sees in a text does not reach the caller: control characters, smuggled text."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from ragqa.language.late import late
from ragqa.validation.fields import answer_of, passed_with
from ragqa.validation.gate import CheckContext, Outcome, Passed

_FLAG = "\U0001f3f4[\U000e0030-\U000e007a]{3,8}\U000e007f"  # of a region, such as Scotland
_TURNING = "\u202a-\u202e\u2066-\u2069"
_UNSEEN = late(
    rf"(?P<kept>{_FLAG})|\x1b\[[0-9;?]*[ -/]*[@-~]"
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u200b\u2060-\u2064\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_TURNS = late(f"[{_TURNING}]")
_RIGHT_TO_LEFT = late("[\u0590-\u08ff]")


class InvisibleCharacters:
    """Leave control characters and invisible ones out of a response's texts.

    A NUL breaks databases, an escape sequence steers a terminal, tag characters hide text from
    its reader, and marks of direction turn it round where no script runs from right to left. What
    joins letters and emoji stays.
    """

    name = "invisible_characters"

    def check(self, value: Any, context: CheckContext) -> Outcome:
        """Pass the response on with texts of which all is to be seen."""
        if answer_of(value) is None or not isinstance(value, BaseModel):
            return Passed(value)
        update = {
            field: seen
            for field, text in vars(value).items()
            if field != "sources" and (seen := _seen(text)) != text
        }
        return passed_with(value, update, self.name) if update else Passed(value)


def _seen(value: Any) -> Any:
    """Return a text, or a list of texts, without what cannot be seen; else the value itself."""
    if isinstance(value, list):
        return [visible(each) if isinstance(each, str) else each for each in value]
    return visible(value) if isinstance(value, str) else value


def visible(text: str) -> str:
    """Return a text without characters that cannot be seen.

    >>> visible("30" + chr(0) + " days" + chr(0x202e))
    '30 days'
    """
    if text.isprintable():
        return text
    seen = _UNSEEN.sub(lambda match: match["kept"] or "", text)
    return seen if _RIGHT_TO_LEFT.search(seen) else _TURNS.sub("", seen)
