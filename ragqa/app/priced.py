"""A chat model whose replies say what they cost, by the price table of ``ragqa.toml``."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, closing
from dataclasses import dataclass, replace

from ragqa.contract import Usage
from ragqa.ports import ChatModel, ModelReply, ModelRequest, TraceConfig
from ragqa.settings import Price

_PER_TOKENS = 1_000_000


def cost_of(usage: Usage, price: Price) -> float:
    """Return what the tokens of a call cost; cached ones are a part of the prompt's.

    >>> cost_of(Usage(prompt_tokens=1_000_000), Price(prompt=2.5, completion=10))
    2.5
    """
    cached_price = price.prompt if price.cached is None else price.cached
    spent = (
        (usage.prompt_tokens - usage.cached_tokens) * price.prompt
        + usage.cached_tokens * cached_price
        + usage.completion_tokens * price.completion
    )
    return spent / _PER_TOKENS


def priced(model: ChatModel | None, price: Price | None) -> ChatModel | None:
    """Return the model itself, or one whose replies carry their cost."""
    return PricedModel(model, price) if model and price else model


@dataclass(frozen=True, slots=True)
class PricedModel:
    """Ask another model and add the cost to its replies.

    Attributes:
        inner: Whom to ask.
        price: What its tokens cost.
    """

    inner: ChatModel
    price: Price

    @property
    def name(self) -> str:
        """Name the model that is asked."""
        return self.inner.name

    def complete(self, request: ModelRequest, config: TraceConfig = None) -> ModelReply:
        """Return the whole reply."""
        return self.with_cost(self.inner.complete(request, config))

    async def acomplete(self, request: ModelRequest, config: TraceConfig = None) -> ModelReply:
        """Do the same without blocking the event loop."""
        return self.with_cost(await self.inner.acomplete(request, config))

    def stream(
        self, request: ModelRequest, config: TraceConfig = None
    ) -> Generator[str | ModelReply, None, None]:
        """Yield pieces of the reply as they come, last the whole reply."""
        with closing(self.inner.stream(request, config)) as pieces:
            for piece in pieces:
                yield piece if isinstance(piece, str) else self.with_cost(piece)

    async def astream(
        self, request: ModelRequest, config: TraceConfig = None
    ) -> AsyncGenerator[str | ModelReply, None]:
        """Do the same without blocking the event loop."""
        async with aclosing(self.inner.astream(request, config)) as pieces:
            async for piece in pieces:
                yield piece if isinstance(piece, str) else self.with_cost(piece)

    def with_cost(self, reply: ModelReply) -> ModelReply:
        """Return a reply of this model with what it cost."""
        cost = cost_of(reply.usage, self.price)
        return replace(reply, usage=reply.usage.model_copy(update={"cost": cost}))
