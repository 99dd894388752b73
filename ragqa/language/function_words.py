"""Words that carry grammar, not matter, in English and Chinese."""

from __future__ import annotations


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


ENGLISH = _listed(
    """
    a about after all also am among an and another any are as at be because been before being
    between both but by can could did do does doing done during each either else ever every few
    for from get gets got had has have having he hence her here hers him his how however i if in
    into is it its itself just let like made make makes many may me might more most much must my
    near neither no nor not of off often on once one only onto or other our out over own per
    please same shall she should since so some still such than that the their them then there
    therefore these they this those through thus to too toward towards under until up upon us
    used use uses using very via was we were what when where whereas whether which while who
    whom whose why will with within without would yes yet you your yours s t d ll m re ve don
    doesn didn isn aren wasn weren hasn haven hadn won wouldn couldn shouldn tell give name
    according called known kind type sort example term
    """
)

CHINESE = _listed(
    """
    的 了 在 是 和 与 及 或 而 于 为 被 把 将 对 从 到 由 以 等 之 其 这 那 该 此 各 每 某 也 都 就
    还 又 很 最 更 已 曾 并 并且 以及 而且 但 但是 因为 所以 如果 虽然 不过 可以 能 能够 会 要 应 应该
    有 没有 个 些 一个 一些 这个 那个 这些 那些 我 你 您 他 她 它 我们 你们 他们 她们 它们 自己
    什么 谁 哪 哪个 哪些 哪里 哪儿 何 何时 何处 何人 怎么 怎样 怎么样 如何 为什么 为何 多少 几 多
    吗 呢 吧 啊 呀 着 过 地 得 所 者 中 上 下 里 内 外 时 时候 后 前 间 当 当时 关于 根据 通过 进行
    使用 请 请问 告诉 哪位 哪一 哪一年 哪年 什么样 什么时候 多久 多大 多长 多高 多远 是否
    能否 可否 叫 叫做 称为 称 名字 名称 又 一 第 位 种 年 月 日 号 天 次 处 由于 其中 之间 之后 之前 以后 以前
    那么 这样 那样 只 仅 才 再 却 则 即 便 让 给 向 往 跟 同 比 按 按照 随着 作为
    成为 属于 位于 指 称作
    """
)

EVERYDAY = _listed(
    """
able above across act action add age ago agree almost alone along already although always amount
answer appear apply area around ask away back bad base based become began begin beginning believe
below best better big body book bring build building built business buy call came cannot care carry
case cause center centre century certain change child children city claim class clear close come
common company complete consider contain continue control cost country course create current day
days decide deep describe develop development different difficult direct during early easy effect
end enough especially even event evidence exist explain fact fall family far feature feel figure
final find first five follow following food force form found four free full general good government
great greater group grow half hand happen hard head help high higher history hold home hour hours
house human idea important include including increase individual information instead interest issue
item items job keep know land language large larger largest last late later law lead learn least
leave led left less level life light line list little live local long longer longest look lose lost
low main major man mean means meaning member men method mid million minute modern month months move
national nature need never new next night note number occur offer old open order others part
particular parts pay people percent period person place plan play point popular population
possible power present price problem process produce product provide public purpose put question
quite range rate reach read real reason receive record reduce refer related remain report require
result return right rise role rule run said sale save say school second see seem sell send series
serve service set several short show side similar simple single size small smaller social special
specific stand start state states stay step stop strong study subject support sure system take taken
ten thing things think third thought three time times today together took top total town toward
treat true try turn two understand unit united usual usually value various view want war water way
week weeks well went west whole wide word words work world write written year years young
    """
)
"""Everyday English words: they tell less than names and terms do."""


def is_function_word(form: str) -> bool:
    """Tell whether a lower-case word only carries grammar."""
    return form in ENGLISH or form in CHINESE
