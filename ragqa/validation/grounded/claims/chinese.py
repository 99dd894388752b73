"""Chinese sentences in which the assistant says that it did something."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragqa.language.late import late
from ragqa.validation.grounded.claims.claim import Claim
from ragqa.validation.grounded.claims.effects import ANY, VERBS_ZH, either

_VERB = either(VERBS_ZH)
_FULL = either(tuple(verb for verb in VERBS_ZH if len(verb) > 1))
_PERFECT = r"(?:已经|已|刚刚|刚才|刚|业已|现已|均已|都已)"
_END = r"(?:成功|完成|完毕|好了|好|妥当|了|过了|到位|掉了|完了)"
_WHEN = r"(?:[于在][^，。；！？,;!?：:]{1,14}?)?"  # 已于5月3日取消
_FOR = r"(?:为|帮|给|替|向|将|把|按|根据|代)"
_THING = (
    r"(?:工单|订单|邮件|邮箱|短信|消息|通知|预约|预订|会议|日程|行程|机票|航班|酒店|房间|座位|餐位|门票|退款|"
    r"付款|款项|转账|发票|账单|账户|账号|帐户|帐号|订阅|会员|密码|地址|文件|文档|记录|任务|申请|请求|投诉|"
    r"报修|提醒|邀请|申诉|退货|换货|套餐|信息|资料|设置|手机号|电话|合同|报告|优惠券|积分|工作单|案件|"
    r"更改|改动|变更|银行卡|信用卡|会员卡|续费|服务|操作|费用|押金|快递|包裹|课程|报名|备注|权限|表单|票)"
)
_FIRST = late(
    rf"(?:我们?|本助手|小助手|这边|系统)(?P<mid>[^，。；！？,;!?]{{0,30}}?)(?P<done>{_VERB})(?P<after>{_END}?)"
)
_FOR_YOU = late(
    rf"(?P<mid>{_PERFECT}{_WHEN}(?:成功|经|顺利|全部|一并|立即)?{_FOR}[^，。；！？,;!?]{{0,40}}?)(?P<done>{_VERB})(?P<after>{_END}?)"
)
_PASSIVE = late(
    rf"(?P<subject>[^，。；！？,;!?：:]{{0,24}}?(?:{_THING}|[您你]的)[^，。；！？,;!?：:]{{0,16}}?)"
    rf"(?P<mid>{_PERFECT}{_WHEN}(?:被|经|成功|全部|顺利|由系统|为您|帮您|通过\S{{0,6}})*)(?P<done>{_FULL}|发(?=[，。；！,;!]|$))(?P<after>{_END}?)"
)
_RESULT = late(
    rf"(?P<subject>[^，。；！？,;!?：:]{{0,24}}?(?:{_THING}|[您你]的)[^，。；！？,;!?：:]{{0,12}}?)(?P<done>{_FULL})"
    r"(?P<after>成功(?!与否)|完毕|好了|完成(?!后|之后|时)|了(?=[，。；！!,;]|$))"
)
_BARE = late(
    rf"(?:^|[，。；！,;!：:、])\s*(?:好的?[，,！!]\s*)?(?:[您你](?=已经?成功))?(?P<mid>{_PERFECT}{_WHEN}(?:成功|全部|顺利|经)?)(?P<done>{_FULL})(?P<after>{_END}?)"
)
_DONE_FIRST = late(
    rf"(?:^|[，。；！,;!：:])\s*(?:好的?[，,！!]\s*)?(?:成功)(?P<done>{_FULL})(?P<after>{_END}?)"
    rf"|(?:^|[。！；!;])\s*(?:好的?[，,！!]\s*)?(?P<done2>{_FULL})(?:成功|完成|完毕|好了)(?!后|时|率)"
)
_ALL_DONE = late(
    r"(?:^|[，。；！,;!]|都|您?的?[事操][情作]|一切)\s*(?P<done>搞定了?|办好了|办妥了?|已?处理好了|弄好了|操作成功|已完成|完成了|"
    r"已经完成|已办理|已办妥|已搞定|已处理|已经处理好)(?![^，。！；]{0,3}的)"
)
_AND = late(
    rf"(?:并且?|同时|且|还|也|，|,)(?P<perfect>已经?)?(?:{_FOR}[^，。；！？]{{0,12}}?)?(?P<done>{_FULL})(?P<after>{_END}?)"
)

_NEGATED = late(
    r"未|没|无法|不能|不会|不可|失败|不是|不得|尚|还不|无须|无需|没能|不了|拒绝|暂不|别|并非|不支持|不用"
)
_POSSIBLE = late(
    r"可以|可能|可(?=[将在为通以于])|将(?!.{0,16}(?:已|了$))(?=[^，]{0,6}(?:被|会|于|在\d|予以))|将会|会(?![议员计])|需要?|须|应[该当]?|(?<![申邀恳聘])请(?![求假示教柬])|即将|要(?!求)"
    r"|必须|建议|欢迎|想|希望|打算|准备|计划|正在|能够?(?!源)|尝试|试图|假设|比如|例如|稍后|马上|尽快|待"
)
_CONDITION = late(
    r"如果|若|如(?:[您你]|果)?(?:需|要|有|想|未|已|不|已经|果)|假如|一旦|倘若|除非|只要|即使|无论|是否|当(?=.{0,30}(?:时|后))|凡是?|的话|之前|以前|等到?"
)
# 点击“确认”后，订阅即已取消: a step of whoever reads it, and what it brings about.
_STEP = late(
    r"(?:^|[，。；,;])[^，。；,;我]{0,8}(?:点击|点选|点(?=[“「【\"])|单击|双击|轻触|长按|按住|按下|勾选|输入|扫描)"
    r"[^，。；,;我]{0,24}(?:之?后|时)[^。；;我]{0,24}$"
)
_BEHIND = late(
    r"^[^，。；！您你我他她]{0,10}?(?:的(?=[\w\u4e00-\u9fff])|后(?!台|续|面|天)|时(?!间)|之前|前(?!台|往|天)|之后|者|的话|率|中)"
)
# 已取消昨天的订单 says what was cancelled; 已取消的订单 and 已办理退货的商品 speak of such things.
_OBJECT = late(
    rf"^[^的，。；！？,;!?您你我他她]{{1,8}}的[^的不无将会可须应需能，。；！？,;!?]{{0,6}}?{_THING}(?:[，。；！,;!]|\s*$)"
)
_OWN = late(r"^的?(?:回答|答案|回复|答复|说法|措辞|表述)")
_QUESTION = late(r"[？?]\s*[”’」\"']?\s*$|吗[。！]?$|呢[。！]?$|有没有|是不是")
_PAST_TIME = late(
    r"(?:1\d{3}|20[01]\d|202[0-4])\s*年|世纪|年代|时期|朝|公元|当时|去年|上个月|以来|历史"
)
# A notice leaves 已 out: 3月12日会议取消; a rule names no day and no number.
_ONE_EVENT = late(r"\d{1,2}月\d{1,2}[日号](?!起|前|后)|(?<![A-Za-z0-9])[A-Z]{1,4}-?\d{2,}")
_AS_A_RULE = late(r"自动|每|凡|如|若|则|须|应|超过|逾期|未|即|一律|均|以内|之内")
_YOURS = late(r"[您你]")
_QUOTED = late(r"[“「『\"][^”」』\"]{0,100}$")
_CUT = late(r"[，。；！,;!：:]")


def chinese_claims(sentence: str) -> Iterator[Claim]:
    """Yield what a sentence says that was done, in this run as it seems."""
    if _QUESTION.search(sentence):
        return
    found = sorted(_found(sentence), key=lambda item: item[0])
    seen: set[int] = set()
    for at, claim in found:
        if at not in seen:
            seen.add(at)
            yield claim
    if found:
        for match in _AND.finditer(sentence, found[0][0]):
            at = match.start("done")
            if (
                at not in seen
                and (match["after"] or match["perfect"])
                and _is_said(sentence, match.start(), match.end())
            ):
                seen.add(at)
                yield _claim(sentence, match["done"], found[0][1].by_assistant)


def is_told(sentence: str, verb: str) -> bool:
    """Tell whether a sentence says outright that what a verb names was done."""
    for match in re.finditer(re.escape(verb), sentence):
        at, end = match.span()
        before = _CUT.split(sentence[:at])[-1]
        perfect = re.search(_PERFECT + r"|被|由|原定", before) or re.match(_END, sentence[end:])
        done = perfect or _ends_done(sentence, end) or _PAST_TIME.search(sentence)
        is_notice = _ONE_EVENT.search(sentence) and not _AS_A_RULE.search(sentence)
        if (done or is_notice) and _is_said(sentence, at, end):
            return True
    return False


def is_conditional(before: str, after: str) -> bool:
    """Tell whether what stands between is a condition, a possibility or an attribute."""
    part = _CUT.split(before)[-1]
    denied = _NEGATED.search(part) or _POSSIBLE.search(part) or _CONDITION.search(before[-30:])
    return bool(denied) or _BEHIND.match(after) is not None


def _found(sentence: str) -> Iterator[tuple[int, Claim]]:
    for match in _FIRST.finditer(sentence):
        mid, end = match["mid"], match.end()
        perfect = bool(re.search(_PERFECT, mid)) or bool(match["after"]) or "成功" in mid
        perfect = perfect or sentence[end : end + 12].startswith("了") or _ends_done(sentence, end)
        if (
            perfect
            and _is_said(sentence, match.start(), end, first=not match[0].startswith("系统"))
            and not _OWN.match(sentence[end:])
        ):
            named = match[0].startswith("我") and not match[0].startswith("我们")
            yield match.start("done"), _claim(sentence, match["done"], named)
    for match in _FOR_YOU.finditer(sentence):
        near = sentence[match.start() : match.end() + 20]
        about = _YOURS.search(sentence) or re.search(_THING, near)
        if about and _is_said(sentence, *match.span()) and not _is_past(sentence):
            yield match.start("done"), _claim(sentence, match["done"])
    for pattern in (_PASSIVE, _RESULT):
        for match in pattern.finditer(sentence):
            general = re.search(r"所有|凡|每|任何|部分|多数|许多|一些|这些|各", match["subject"])
            if (
                not general
                and _is_said(sentence, match.start(), match.end())
                and not _is_past(sentence)
            ):
                yield match.start("done"), _claim(sentence, match["done"])
    yield from _headless(sentence)


def _headless(sentence: str) -> Iterator[tuple[int, Claim]]:
    for pattern in (_BARE, _DONE_FIRST):
        for match in pattern.finditer(sentence):
            group = "done" if match["done"] else "done2"
            if _is_said(sentence, match.start(), match.end()) and not _is_past(sentence):
                yield match.start(group), _claim(sentence, match[group])
    for match in _ALL_DONE.finditer(sentence):
        if _is_said(sentence, match.start("done"), match.end()) and not _is_past(sentence):
            yield match.start("done"), Claim(sentence.strip(), match["done"], frozenset({ANY}))


def _ends_done(sentence: str, at: int) -> bool:
    """Tell whether the clause ends like something that has been done: 取消了订单, 订单取消了."""
    rest = _CUT.split(sentence[at:], maxsplit=1)[0]
    return rest.endswith("了") and "要" not in rest


def _is_past(sentence: str) -> bool:
    return bool(_PAST_TIME.search(sentence)) and not _YOURS.search(sentence)


def _is_said(sentence: str, start: int, end: int, *, first: bool = False) -> bool:
    """Tell whether a match is said outright: no condition, no possibility, not denied."""
    begin = max((match.end() for match in _CUT.finditer(sentence, 0, start)), default=0)
    said = sentence[begin:end]
    said = re.sub(
        r"应?(?:您|你)的?(?:要求|需要|请求|需求)|按照?要求|请放心|请注意|请知悉|特此|会员|会议|处理中心",
        "",
        said,
    )
    if _NEGATED.search(said) or _POSSIBLE.search(said) or _QUOTED.search(sentence[1:start]):
        return False
    before = sentence[:begin]
    if _CONDITION.search(said) or (_CONDITION.search(before[-30:]) and not _settled(before)):
        return False
    if not first and _STEP.search(sentence[:end]):
        return False
    rest = sentence[end:]
    return first or not _BEHIND.match(rest) or _OBJECT.match(rest) is not None


def _settled(before: str) -> bool:
    """Tell whether a condition in the part before was ended by a full stop."""
    last = max(before.rfind(mark) for mark in "。；！;")
    return last > max((m.start() for m in _CONDITION.finditer(before)), default=-1)


def _claim(sentence: str, verb: str, by_assistant: bool = False) -> Claim:
    return Claim(sentence.strip(), verb, VERBS_ZH.get(verb, frozenset({ANY})), by_assistant)
