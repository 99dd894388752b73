"""Verbs that say the same of an order, a ticket or an account, in English and Chinese."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from ragqa.language.late import late
from ragqa.validation.grounded.claims.claim import Claim

_ALIKE = """
shipped dispatched 发货 发出 寄出 寄送
delivered 派送
sent 发送 发出 寄出
cancelled canceled 取消 撤销
refunded 退款 退还 退回
paid settled 支付 付款 付清 缴纳 缴费
credited reimbursed 到账 报销
closed 关闭
created opened 创建 新建 建立 登记
submitted filed 提交
accepted 受理
approved 批准 审批
confirmed 确认
completed processed finished executed 完成 处理 办理 执行
assigned assignee 分配
booked reserved 预订 预定 预约
scheduled arranged 安排
rescheduled moved postponed 改期 改到 改至 改为 改约 变更 更改 调整 推迟
ordered purchased 订购 购买 下单
registered enrolled 注册 报名
activated enabled 激活 启用 开通
deactivated disabled 停用
terminated 终止
deleted removed 删除 移除
updated changed modified amended 更新 修改 更改 变更 改为 调整
renewed extended 续费 续订 续期 延长
locked 锁定
unlocked 解锁
frozen suspended 冻结
reset 重置
restored 恢复
upgraded 升级
published 发布
uploaded 上传
notified informed alerted 通知 告知
issued 开具
"""
_GROUPS: Final = tuple(tuple(line.split()) for line in _ALIKE.split("\n") if line)

_OF_ANY_ACT: Final = next(frozenset(group) for group in _GROUPS if "completed" in group)
_ACTS: Final = {
    "refund": "refunded",
    "payment": "paid",
    "cancellation": "cancelled",
    "booking": "booked",
    "shipment": "shipped",
    "registration": "registered",
}
"""Whose refund is completed is refunded."""

_ACT: Final = late(
    rf"\b(?:{'|'.join(_ACTS)})\b(?=(?:\s+\w+){{1,4}}\s+(?:completed|processed|finished|executed)\b)"
    r"|(?:退款|付款|支付|发货|取消|预订|注册|报销|续费)(?=[^，。]{0,6}已)",
    re.IGNORECASE,
)


def worded(claim: Claim) -> tuple[Claim, ...]:
    """Return a claim, and it with each verb that says the same.

    >>> [each.verb for each in worded(Claim("It was dispatched.", "dispatched", frozenset()))]
    ['dispatched', 'shipped', '发货', '发出', '寄出', '寄送']
    """
    said = claim.verb.lower()
    named = _ACT.search(claim.text) if said in _OF_ANY_ACT else None
    meant = {said, _ACTS.get(named[0].lower(), named[0])} if named else {said}
    groups = (group for group in _GROUPS if not meant.isdisjoint(group))
    verbs = dict.fromkeys((claim.verb, *(verb for group in groups for verb in group)))
    return tuple(replace(claim, verb=verb) for verb in verbs)
