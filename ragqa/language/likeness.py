"""How alike two words are beyond their stems: irregular forms, numerals, word families."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from ragqa.language.stemming import stem

# Forms that the stemmer leaves apart; the first one stands for all of them.
_FAMILIES = """
begin began begun start|bring brought|build built|buy bought purchase|become became|bear born birth
break broke broken|catch caught|choose chose chosen choice|come came|die died death dead
draw drew drawn|drive drove driven|eat ate eaten|fall fell fallen|fight fought|find found
fly flew flown flight|get got gotten|give gave given gift|go went gone|grow grew grown growth
hear heard|hold held|keep kept|know knew known|lead led|leave left|lose lost loss
make made|mean meant|meet met|pay paid|rise rose risen|run ran|say said|see saw seen
seek sought|sell sold sale|send sent|sing sang sung song|sink sank sunk|speak spoke spoken speech
spend spent|stand stood|steal stole stolen|strike struck|take took taken|teach taught
tell told|think thought|throw threw thrown|understand understood|wear wore worn|win won winner
write wrote written|marry marriage|high height|long length|wide width|deep depth|strong strength
first 1st|second 2nd|third 3rd|four 4 fourth 4th|five 5 fifth 5th|six 6 sixth 6th
seven 7 seventh 7th|eight 8 eighth 8th|nine 9 ninth 9th|ten 10 tenth 10th|eleven 11 11th
twelve 12 twelfth 12th|two 2 twice|three 3|big large|movie film|child children
man men|woman women|foot feet|mouse mice|weigh weight|see sight|freeze froze frozen
price cost|repair fix|warranty guarantee|delivery shipping|colour color|phone telephone
photo picture|return refund returnable|size dimension|ship shipment|litre liter|metre meter
arise arose|feed fed food|shrink shrank shrunk|swim swam swum|ride rode ridden|hide hid hidden
volt voltage|watt wattage|mile mileage|percent percentage
"""
_CHINESE_FAMILIES = """
价格 价钱 售价 单价 多少钱 钱|保修 质保 保修期|重量 多重 重|尺寸 大小 多大|容量 容积
配送 送货 发货 快递|退货 退换 退|维修 修理 返修|地址 位置 位于 坐落|去世 逝世 死亡
出生 诞生 生于|成立 创立 创办 建立 创建|工厂 厂|时间 时长|营业 开门 开放|编辑 主编
含义 意思 意为
"""
_PREFIX = 0.6
"""What a common beginning is worth: religion and religious, compliant and compliance."""


@cache
def _families() -> dict[str, str]:
    english = ([stem(word) for word in row] for row in _listed(_FAMILIES))
    families = [*english, *_listed(_CHINESE_FAMILIES)]
    return {form: family[0] for family in reversed(families) for form in family}


def _listed(table: str) -> list[list[str]]:
    return [line.split() for row in table.strip().splitlines() for line in row.split("|")]


def family(form: str) -> str:
    """Return the stem that stands for a stem and its irregular forms.

    >>> family("began"), family("12th"), family("kettl")
    ('begin', 'twelv', 'kettl')
    """
    return _families().get(form, form)


def likeness(term: str, others: Collection[str]) -> float:
    """Return how nearly a term stands among others: 1 if it does, 0 if nothing is like it.

    Two long words of one beginning count in part.

    >>> likeness("religi", {"religion"}), likeness("kettl", {"keep"})
    (0.6, 0.0)
    """
    if term in others:
        return 1.0
    if len(term) < 5 or not term.isascii() or not term.isalpha():
        return 0.0
    prefix = term[: max(5, len(term) - 3)]
    longest = len(term) + 4
    return _PREFIX if any(o.startswith(prefix) and len(o) <= longest for o in others) else 0.0
