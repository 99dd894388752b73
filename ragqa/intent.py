"""Tell the kind of a question by keywords and examples, without a model.

>>> categorise("Can I send the kettle back?", tuple(BUILT_IN[n] for n in ("pricing", "policy")))
'policy'
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property, lru_cache

from ragqa.language import content_words, has_han, rarity, words
from ragqa.language.script import HAN
from ragqa.ports import Category

_HAN_RUN = re.compile(f"[{HAN}]+")

LAST_RESORTS = ("other", "others", "其他", "其它")

_NAME = 1.0
_DESCRIPTION = 0.4
_EXAMPLE = 1.0
_GRAMMAR = 0.4
"""What a keyword like "how much" is worth, which consists of everyday grammar alone."""


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(" ".join(phrase.split()) for phrase in text.split(","))


_PRICING = Category(
    name="pricing",
    description="Prices, costs, fees and discounts.",
    keywords=_phrases(
        """
        price, pricing, cost, how much, how expensive, cheap, cheaper, discount, coupon,
        voucher, sale price, fee, charge for, invoice, pay, payment, euro, dollar, afford,
        rebate, installment, quote,
        价格, 价钱, 多少钱, 几块钱, 售价, 报价, 费用, 收费, 优惠, 折扣,
        打折, 优惠券, 便宜, 付款, 支付, 发票, 分期, 满减, 贵不贵, 值多少,
        怎么卖
        """
    ),
    examples=(
        "How much is the tent?",
        "What does express delivery cost?",
        "Is there a discount for students?",
        "这个帐篷多少钱？",
        "会员有优惠吗？",
    ),
)
_POLICY = Category(
    name="policy",
    description="Returns, refunds, warranty, repairs, delivery and other terms.",
    keywords=_phrases(
        """
        return, refund, money back, send back, exchange, warranty, guarantee, policy, terms,
        cancel, cancellation, repair, complaint, complain, replace, claim, shipping, delivery
        time, how long does delivery, deliver to, privacy, eligible, allowed, rule, defect,
        damaged, deadline, coverage, benefit, send it back, send, broken, broke,
        ship,
        退货, 退款, 换货, 退换, 售后, 保修, 质保, 三包, 维修, 返修,
        取消订单, 政策, 条款, 规定, 投诉, 赔偿, 运费, 发货, 配送, 送货,
        无理由, 破损, 退, 保修期, 期限, 隐私, 理赔, 坏了
        """
    ),
    examples=(
        "How long do I have to return a kettle?",
        "Does the warranty cover water damage?",
        "Where can I have my lamp repaired?",
        "水壶买了多久可以退货？",
        "坏了怎么保修？",
    ),
)
_PRODUCT = Category(
    name="product",
    description="What a product is, can do, is made of, and how it is used.",
    keywords=_phrases(
        """
        weigh, weight, size, dimension, material, capacity, volume, colour, color, battery,
        waterproof, feature, specification, spec, watt, power, compatible, set up, setup,
        install, assemble, clean, wash, use, manual, model, made of, temperature, charge,
        charging, how do i, how to, litre, liter, fit, measure, long is the, loud, function,
        mode, switch, version, hold, load, timer, error, display, noise, descale, maintain,
        maintenance, include, accessory, come with, how often, how big,
        参数, 规格, 尺寸, 大小, 重量, 多重, 材质, 材料, 容量, 颜色, 功率,
        电池, 防水, 续航, 功能, 型号, 怎么用, 使用方法, 安装, 清洗, 清洁,
        说明书, 兼容, 温度, 充电, 配置, 适合, 多大, 模式, 承重, 性能,
        除垢, 保养, 容积, 定时, 保温, 显示, 故障, 噪音, 配件, 包含,
        充满电, 承受, 多久一次
        """
    ),
    examples=(
        "How much does the tent weigh?",
        "How do I clean the grinder?",
        "Is the backpack waterproof?",
        "帐篷有多重？",
        "水壶怎么除垢？",
    ),
)
_STOCK = Category(
    name="stock",
    description="Whether something is available, and when it will be.",
    keywords=_phrases(
        """
        stock, in stock, out of stock, available, availability, sold out, restock, back in, be
        back, inventory, left, backorder, pre-order, preorder, next delivery of, how many are
        left, warehouse,
        库存, 有货, 现货, 缺货, 断货, 补货, 到货, 售罄, 还有吗, 还有多少,
        预订, 预售, 上架, 下架, 还有没有, 还有
        """
    ),
    examples=(
        "Is the lantern in stock?",
        "When will the tent be available again?",
        "这款背包有现货吗？",
        "露营灯什么时候到货？",
    ),
)
_OTHER = Category(name="other", description="Anything else.")


def _renamed(category: Category, name: str, description: str) -> Category:
    return Category(name, description, category.keywords, category.examples)


BUILT_IN: Mapping[str, Category] = {
    category.name: category
    for category in (
        *(_PRICING, _POLICY, _PRODUCT, _STOCK, _OTHER),
        _renamed(_PRICING, "价格咨询", "价格、费用和优惠。"),
        _renamed(_POLICY, "售后政策", "退换货、退款、保修、维修、配送等规定。"),
        _renamed(_PRODUCT, "产品参数", "产品的规格、功能和使用方法。"),
        _renamed(_STOCK, "库存查询", "是否有货，何时到货。"),
        _renamed(_OTHER, "其他", "其他问题。"),
    )
}
"""The default categories, English and Chinese; both know keywords of both languages."""


def categorise(question: str, categories: tuple[Category, ...]) -> str:
    """Return the name of the category that a question belongs to.

    A category without keywords and examples of its own that bears the name of a built-in one
    uses that one's. Where nothing speaks for any, the last resort is returned: the category named
    ``other`` or 其他, else the last one.

    Args:
        question: What the user asked.
        categories: What to choose from; without any, the built-in ones.
    """
    choices = tuple(map(_informed, categories)) or tuple(BUILT_IN.values())[:5]
    asked = _Text(question)
    scores = {category.name: _score(asked, category) for category in choices}
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] > 0 else _last_resort(choices)


def _informed(category: Category) -> Category:
    known = BUILT_IN.get(category.name)
    return known if known and not (category.keywords or category.examples) else category


def _last_resort(categories: tuple[Category, ...]) -> str:
    names = [category.name for category in categories]
    return next((name for name in names if name.lower() in LAST_RESORTS), names[-1])


class _Text:
    """A text as it is compared: its stems in a row, and those that carry matter.

    It is read when it is compared first: cutting Chinese into words loads a dictionary, which
    takes longer than all else in answering an English question.
    """

    def __init__(self, text: str) -> None:
        self.plain = text.lower()
        self.is_han = has_han(text)
        self._text = text

    @cached_property
    def row(self) -> str:
        """Its stems between blanks."""
        return f" {' '.join(word.term for word in words(self._text))} "

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """Its stems, each once."""
        return tuple(dict.fromkeys(self.row.split()))

    @cached_property
    def terms(self) -> frozenset[str]:
        """The stems that carry matter."""
        return frozenset(word.term for word in content_words(self._text))

    @cached_property
    def without_han(self) -> _Text:
        """The text without its Chinese words."""
        return _read(_HAN_RUN.sub(" ", self.plain))

    def held(self, keywords: tuple[str, ...]) -> list[_Text]:
        """Return the keywords that stand in this text: phrases of stems, or Han characters."""
        phrases, han = _apart(keywords)
        found = [
            keyword
            for stem in self.stems
            for keyword in phrases.get(stem, ())
            if keyword.row in self.row
        ]
        if self.is_han:
            found += [keyword for keyword in han if keyword.plain in self.plain]
        return found

    def shared(self, other: _Text) -> frozenset[str]:
        """Return the stems that both hold; a text without Chinese shares no Chinese ones."""
        comparable = other.without_han if other.is_han and not self.is_han else other
        return self.terms & comparable.terms

    @property
    def weight(self) -> float:
        """Return how much this text tells as a keyword."""
        return sum(rarity(term) for term in self.terms) or _GRAMMAR


_read = lru_cache(maxsize=2048)(_Text)


@lru_cache(maxsize=256)
def _apart(keywords: tuple[str, ...]) -> tuple[dict[str, list[_Text]], list[_Text]]:
    """Return keywords without Han characters, by their first stem, and those with some."""
    read = [_read(keyword) for keyword in keywords]
    phrases: dict[str, list[_Text]] = {}
    for keyword in read:
        if not keyword.is_han and (stems := keyword.row.split()):
            phrases.setdefault(stems[0], []).append(keyword)
    return phrases, [keyword for keyword in read if keyword.is_han]


def _score(asked: _Text, category: Category) -> float:
    if category.name.lower() in LAST_RESORTS:
        return 0.0
    hits = [keyword.weight for keyword in asked.held(category.keywords)]
    told = asked.shared(_read(category.description))
    named = asked.shared(_read(category.name))
    examples = (_read(example) for example in category.examples)
    alike = (_overlap(asked, example) for example in examples if example.is_han <= asked.is_han)
    likest = max(alike, default=0.0)
    return (
        sum(hits)
        + _NAME * sum(map(rarity, named))
        + _DESCRIPTION * sum(map(rarity, told))
        + _EXAMPLE * likest
    )


def _overlap(one: _Text, other: _Text) -> float:
    """Return how alike two questions are; 0 unless they share more than one word, or half."""
    shared = one.terms & other.terms
    if len(shared) < 2:
        return 0.0
    both = sum(map(rarity, shared))
    either = sum(map(rarity, one.terms | other.terms))
    return both / either if both >= either / 2 else 0.0
