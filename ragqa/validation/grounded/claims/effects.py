"""What kind of effect a verb speaks of, in English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from ragqa.language.late import late

ANY: Final = "any"
"""The effect of words that name none: done, completed, handled."""

# Base form, past participle and what it is the effect of.
_EN: Final = """
create created create | open opened create | raise raised create | file filed create
log logged create | submit submitted create,send | generate generated create
register registered create,change | add added create,change | enroll enrolled create
enrol enrolled create | subscribe subscribed create,change | post posted create,send
publish published create,send | upload uploaded create,send | issue issued create,pay,send
send sent send | resend resent send | email emailed send | e-mail e-mailed send | mail mailed send
forward forwarded send | notify notified send | inform informed send | alert alerted send
message messaged send | text texted send | contact contacted send | escalate escalated send,change
dispatch dispatched send | ship shipped send | deliver delivered send | share shared send
invite invited send,create | transmit transmitted send | assign assigned change,create
book booked book,create | reserve reserved book,create | schedule scheduled book,create
arrange arranged book,create | order ordered book,create,pay | place placed book,create
purchase purchased book,pay | buy bought book,pay | reorder reordered book,create
reschedule rescheduled change,book | rebook rebooked change,book
pay paid pay | charge charged pay | refund refunded pay | credit credited pay
transfer transferred pay,change,send | reimburse reimbursed pay | debit debited pay
deposit deposited pay | settle settled pay
cancel cancelled cancel,delete | cancel canceled cancel,delete | revoke revoked cancel,change
withdraw withdrawn cancel | withdraw withdrew cancel | terminate terminated cancel
unsubscribe unsubscribed cancel,change | close closed cancel,change
deactivate deactivated cancel,change | disable disabled cancel,change | void voided cancel,delete
delete deleted delete | remove removed delete,change,cancel | erase erased delete
clear cleared delete,change | purge purged delete | wipe wiped delete | archive archived change
change changed change | update updated change | modify modified change | edit edited change
amend amended change | adjust adjusted change | rename renamed change | reset reset change
move moved change | renew renewed change,book | extend extended change | upgrade upgraded change
downgrade downgraded change | switch switched change | save saved change,create
record recorded change,create | enable enabled change | activate activated change,create
approve approved change | unlock unlocked change | lock locked change | block blocked change,cancel
grant granted change,create | resolve resolved change | restore restored change
replace replaced change,create | correct corrected change | increase increased change
reduce reduced change | apply applied change,create | configure configured change,create
install installed change,create | restart restarted change | reopen reopened change
initiate initiated create,change | request requested create,send | pass passed send
route routed send | redirect redirected send,change | hand handed send | flag flagged change,create
turn turned change | release released change,pay | waive waived change,pay
attach attached send,create | deploy deployed change,create | merge merged change
start started create,change | launch launched create,change | migrate migrated change
freeze frozen change,cancel | suspend suspended change,cancel | pause paused change
swap swapped change | exchange exchanged change | unblock unblocked change
set set change,create | confirm confirmed any | complete completed any
process processed any | handle handled any
finalize finalized any | finalise finalised any
execute executed any | perform performed any
""".replace("\n", " | ")

PARTICIPLES: Final[Mapping[str, frozenset[str]]] = {
    form: frozenset(effects.split(","))
    for _, form, effects in (entry.split() for entry in _EN.split("|") if entry.strip())
}
BASES: Final[Mapping[str, frozenset[str]]] = {
    base: frozenset(effects.split(","))
    for base, _, effects in (entry.split() for entry in _EN.split("|") if entry.strip())
} | {
    "make": frozenset({"create", "book"}),
    "put": frozenset({"create", "change"}),
    "set": frozenset({"change", "create"}),
}
NOUNS: Final[Mapping[str, frozenset[str]]] = {
    "booking": frozenset({"book", "create"}),
    "reservation": frozenset({"book", "create"}),
    "payment": frozenset({"pay"}),
    "refund": frozenset({"pay"}),
    "cancellation": frozenset({"cancel"}),
    "deletion": frozenset({"delete"}),
    "notification": frozenset({"send"}),
    "creation": frozenset({"create"}),
}

_ZH: Final = """
创建 create | 新建 create | 建立 create | 建好 create | 提交 create,send | 登记 create,change
开具 create,send | 生成 create | 添加 create,change | 加入 create,change | 注册 create
开通 change,create | 报名 create,book | 上传 create,send | 发布 create,send | 下达 create,send
立案 create | 录入 create,change | 受理 create,change | 拨打 send
发送 send | 发出 send | 发给 send | 发到 send | 寄出 send | 寄送 send | 寄给 send | 通知 send
转发 send | 转达 send | 转交 send | 转给 send | 上报 send | 告知 send | 联系 send | 抄送 send
派送 send | 发货 send | 反馈 send,create | 转接 send,change | 转到 send,change
转人工 send,change | 改派 change,send | 发 send
预订 book,create | 预定 book,create | 预约 book,create | 订好 book,create
安排 book,create | 下单 book,create,pay | 订购 book,create,pay | 购买 book,pay | 改签 change,book
改期 change,book | 改约 change,book | 订 book,create
支付 pay | 付款 pay | 付清 pay | 扣款 pay | 扣除 pay | 退款 pay | 转账 pay | 汇款 pay | 报销 pay
充值 pay | 退还 pay | 退回 pay | 缴纳 pay | 缴费 pay | 打款 pay | 到账 pay
取消 cancel,delete | 撤销 cancel,delete | 撤回 cancel,delete | 退订 cancel,change
关闭 cancel,change | 注销 cancel,delete | 停用 cancel,change | 终止 cancel
作废 cancel,delete | 冻结 cancel,change | 锁定 change | 挂失 change,cancel | 屏蔽 change
删除 delete | 移除 delete,change | 清除 delete | 清空 delete | 删掉 delete | 删 delete
修改 change | 更改 change | 变更 change | 更新 change | 更正 change | 调整 change | 改为 change
改成 change | 改到 change | 改好 change | 重置 change | 保存 change,create | 设置 change,create
设为 change | 启用 change | 激活 change | 续费 change,pay | 续订 change | 续期 change | 延长 change
升级 change | 降级 change | 解锁 change | 记录 change,create | 恢复 change | 更换 change
换成 change | 绑定 change | 解绑 change | 分配 change,create | 审批 change | 批准 change
申请 create,send | 订阅 change
确认 any | 完成 any | 处理 any | 办理 any | 办妥 any | 搞定 any | 执行 any
""".replace("\n", " | ")

VERBS_ZH: Final[Mapping[str, frozenset[str]]] = {
    verb: frozenset(effects.split(","))
    for verb, effects in (entry.split() for entry in _ZH.split("|") if entry.strip())
}

_THINGS: Final = (
    ("ticket case issue incident complaint", "工单 报修 故障单 投诉"),
    ("order purchase", "订单"),
    ("email e-mail mail message notification letter", "邮件 消息 短信 通知"),
    (
        "booking reservation appointment meeting flight hotel room table seat",
        "预约 预订 会议 航班 酒店 房间 座位",
    ),
    ("payment refund transfer invoice", "退款 付款 转账 发票"),
    ("account user profile", "账户 账号 帐户 用户"),
    ("subscription membership", "订阅 会员"),
    ("file document folder", "文件 文档"),
)

THINGS_EN: Final = tuple(word for english, _ in _THINGS for word in english.split())
THINGS_ZH: Final = tuple(word for _, chinese in _THINGS for word in chinese.split())

_NONE: Final[frozenset[str]] = frozenset()
# In "cancel_order" the second word is no verb.
_NOUNS_TOO = """
order book file post mail email e-mail message text record transfer credit place share log issue
invite contact charge deposit change update purchase set put address archive
request pass route hand flag turn release pause swap exchange
"""
_ALSO_NOUNS: Final = frozenset(_NOUNS_TOO.split())

_WORD = late(r"[a-z]+(?:-[a-z]+)?")
_CAMEL = late(r"(?<=[a-z0-9])(?=[A-Z])")


def effects_named(text: str) -> frozenset[str]:
    """Return the effects that a tool's name, description or policy speaks of.

    >>> sorted(effects_named("sendEmail")), sorted(effects_named("取消订单"))
    (['send'], ['cancel', 'delete'])
    """
    plain: set[str] = set()
    maybe: set[str] = set()
    for word in _words(text):
        for form in (word, word.removesuffix("s"), word.removesuffix("es")):
            plain |= PARTICIPLES.get(form, _NONE) | NOUNS.get(form, _NONE)
            (maybe if form in _ALSO_NOUNS else plain).update(BASES.get(form, _NONE))
    found = plain - {ANY} or maybe
    for verb, effects in VERBS_ZH.items():
        if len(verb) > 1 and verb in text:
            found |= effects
    return frozenset(found - {ANY})


def things_named(text: str) -> frozenset[int]:
    """Return the kinds of things that a text speaks of, as numbers of their group."""
    words = {form for word in _words(text) for form in (word, word.removesuffix("s"))}
    return frozenset(
        number
        for number, (english, chinese) in enumerate(_THINGS)
        if not words.isdisjoint(english.split()) or any(word in text for word in chinese.split())
    )


def _words(text: str) -> list[str]:
    return _WORD.findall(_CAMEL.sub("_", text).lower().replace("_", " "))


def either(words: Mapping[str, object] | frozenset[str] | tuple[str, ...]) -> str:
    """Return a pattern for any of the words, the longest first."""
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
