"""What writes text."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from ragqa.contract import QAResponse, Usage
from ragqa.ports.running import TraceConfig

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call of a chat model.

    Attributes:
        messages: The prompt.
        schema: What the reply must look like, where the endpoint can enforce it.
        max_tokens: The longest reply.
        temperature: 0 for the most likely reply.
        timeout_s: Seconds until the call is given up.
    """

    messages: tuple[Message, ...]
    schema: type[QAResponse] | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    timeout_s: float | None = None


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a chat model sent back, whole.

    Attributes:
        text: The reply, whichever way the endpoint carried it.
        finish_reason: Why it ended; ``None`` means that the stream broke off.
        refusal: The model's own words, where it declined.
        usage: Tokens, one call.
        model: What the service says it ran.
    """

    text: str
    finish_reason: str | None = "stop"
    refusal: str | None = None
    usage: Usage = Usage(calls=1)
    model: str = ""


class AskedModel(Protocol):
    """A chat model, or an agent in the place of one: it may find out that its text is no answer."""

    @property
    def name(self) -> str:
        """Name model and endpoint kind, for records and cache keys; never a key."""

    def complete(self, request: ModelRequest, config: TraceConfig = None) -> ModelReply:
        """Return the whole reply."""

    async def acomplete(self, request: ModelRequest, config: TraceConfig = None) -> ModelReply:
        """Do the same without blocking the event loop."""

    def stream(
        self, request: ModelRequest, config: TraceConfig = None
    ) -> Generator[str | ModelReply | None, None, None]:
        """Yield pieces as they come, None where those so far are no answer, last the reply."""

    def astream(
        self, request: ModelRequest, config: TraceConfig = None
    ) -> AsyncGenerator[str | ModelReply | None, None]:
        """Do the same without blocking the event loop."""


class ChatModel(AskedModel, Protocol):
    """A chat model behind any provider. Every failure is a ProviderError."""

    def stream(
        self, request: ModelRequest, config: TraceConfig = None
    ) -> Generator[str | ModelReply, None, None]:
        """Yield pieces of the reply as they come, last the whole reply."""

    def astream(
        self, request: ModelRequest, config: TraceConfig = None
    ) -> AsyncGenerator[str | ModelReply, None]:
        """Do the same without blocking the event loop."""


def offered_by(model: ChatModel | None, name: str) -> Any:
    """Return what a model offers beyond the port, or one that it wraps as ``inner``; else None."""
    at: Any = model
    while at is not None and getattr(at, name, None) is None:
        at = getattr(at, "inner", None)
    return None if at is None else getattr(at, name)
