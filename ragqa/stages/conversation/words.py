"""Words by which a follow-up question is told from one that stands alone, English and Chinese."""

from __future__ import annotations


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


VERBS = _listed(
    """
    come comes came work works worked last lasts take takes took cost costs hold holds need needs
    include includes included cover covers covered fit fits look looks support supports arrive
    arrives want wants buy bought sell sells know think find show go goes say says mean means
    help happen happens contain contains start starts end ends open opens offer offers
    provide provides pay paid order ordered send sent keep keeps put run runs got weigh weighs
    charge charges found founded born write wrote written built build made invented created
    possible available good better best left
    """
)
"""Everyday verbs and adjectives that are no part of a thing's name."""

ASPECTS = _listed(
    """
    deliver delivery deliveries delivered shipping ship shipped shipment return returns returned
    returning refund refunds exchange exchanges warranty warranties guarantee repair repairs
    repaired price prices pricing fee fees payment payments invoice discount discounts colour
    colours color colors size sizes weight material materials capacity dimension dimensions
    height width length depth volume power stock cleaning clean cleaned descale descaling wash
    washed maintenance policy policies time deadline date day days week weeks month months year
    years hour hours money much many long heavy big large tall wide deep far often soon old fast
    loud cheap expensive kind type version versions variant variants manual instruction
    instructions spec specs feature features function functions accessory accessories part parts
    battery name contact opening support complaint complaints cancellation privacy terms express
    standard international free working business thing things way reason question answer
    information info detail details difference
    """
)
"""What is asked about a thing, or about the shop: no thing of its own."""

OWN_ASPECTS = _listed(
    """
    price prices colour colours color colors size sizes weight material materials capacity
    dimension dimensions height width length depth volume power warranty guarantee battery version
    versions variant variants manual spec specs feature features function functions accessory
    accessories much many heavy big large tall wide deep loud cheap expensive old fast stock kind
    type difference cleaning clean descale descaling wash maintenance
    """
)
"""Aspects that only a thing has: a question for nothing else is a question for the thing before."""

CLASSES = (
    _listed(
        """
        white black red green blue yellow grey gray brown pink purple orange silver gold golden
        beige ivory navy turquoise violet cream bronze copper dark light
        """
    ),
    _listed(
        """
        small smaller smallest large larger largest big bigger biggest medium mini compact tall
        short long little xl xxl xs s m l
        """
    ),
    _listed("cheap cheaper cheapest expensive pricier premium basic standard deluxe pro"),
    _listed("old older oldest new newer newest latest previous first second third last"),
    _listed("wooden wood metal steel plastic glass leather ceramic cotton wool aluminium aluminum"),
    _listed("cordless corded electric manual wireless wired digital analogue analog"),
)
"""Words of one class exclude each other: the white lamp is not the black one."""

PROPERTIES = frozenset[str]().union(*CLASSES)
TOPICS = _listed(
    "delivery shipping shipment returns refund refunds exchange payment repair cancellation"
)
"""Aspects of the shop that a question may be about."""

FORMS = _listed("one ones version versions variant variants model models kind type")
DETERMINERS = _listed(
    "the a an my your our his their any every which what this that these those each no"
)
KEPT = _listed("my your our")
"""Determiners that a name keeps when it is carried over; others become "the"."""

PRONOUNS = _listed("it they them he she him its their his her hers theirs")
POINTERS = _listed("this that these those")
POSSESSIVES = _listed("its their his her hers theirs")
COURTESIES = _listed(
    """
    thanks thank thx cheers you very much so a lot many great ok okay good nice cool perfect fine
    got it i see yes yeah yep no nope sure right alright hi hello hey bye goodbye sorry welcome
    wonderful excellent awesome brilliant super understood clear morning afternoon evening that s
    helps helped helpful was for your the help all again hm hmm ah oh well
    """
)
"""Words that make up thanks, greetings and a mere yes or no."""

ZH_COLOURS = "红橙黄绿青蓝紫黑白灰粉棕金银米"
ZH_ASPECTS = _listed(
    """
    价格 价钱 售价 费用 运费 保修 保修期 质保 质保期 期限 时间 日期 重量 尺寸 大小 颜色 材质 材料
    容量 容积 功率 电池 续航 功能 参数 规格 型号 款式 版本 说明书 配件 库存 现货 有货 退货 退换货
    换货 退款 维修 清洗 清洁 除垢 保养 安装 使用 配送 送货 发货 物流 快递 付款 支付 发票 优惠 折扣
    政策 条款 规定 客服 门店 营业 地址 电话 会员 积分 问题 方法 方式 原因 情况 钱 天 年 月 日 小时
    分钟 工作日 内 后 前 款 个 台 种 人 防水 保温 充电 订单时间 标准 免费 国际 海外 区别 退货期 运输
    """
)
ZH_SHOP = (
    "配送|送货|发货|物流|快递|运费|付款|支付|发票|营业|门店|客服|联系|地址|电话|会员|积分|隐私|投诉"
)
"""What concerns the shop and no single thing: nothing is carried over to it."""
