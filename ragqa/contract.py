"""The values that travel through ragqa and reach the caller.

Only values: nothing here reads a setting, opens a file or talks to a service.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, Self, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    SerializeAsAny,
    field_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import PydanticCustomError, PydanticKnownError

DEFAULT_CATEGORIES = ("pricing", "policy", "product", "stock", "other")
CHINESE_CATEGORIES = ("价格咨询", "售后政策", "产品参数", "库存查询", "其他")

EVERYONE = "*"
"""The reserved group of documents that everybody may see."""

MAX_QUESTION_CHARS = 4000

Status = Literal["answered", "repaired", "abstained", "degraded", "cached", "waiting"]
ScoreKind = Literal["bm25", "fused", "vector", "hybrid", "reranker", "keyword", "unknown"]


def _no_lone_surrogates(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as exc:
        raise PydanticCustomError(
            "string_unicode", "Text must not hold lone surrogate characters"
        ) from exc
    return text


def _not_blank(text: str) -> str:
    if not text.strip():
        raise PydanticKnownError("string_too_short", {"min_length": 1})
    return text


Text = Annotated[str, AfterValidator(_no_lone_surrogates)]
SaidText = Annotated[Text, AfterValidator(_not_blank)]
Finite = Annotated[float, Field(allow_inf_nan=False)]


class Entity(BaseModel):
    """A product that the answer names, as the documents list it."""

    model_config = ConfigDict(strict=True, extra="forbid")

    name: SaidText = Field(description="The product's name, exactly as it stands in the answer.")
    entity_id: Text | None = Field(
        description="The product's id exactly as a cited passage gives it, else null."
    )
    price: Finite | None = Field(
        description="The price as a plain number, as a cited passage gives it, else null."
    )


class QAResponse(BaseModel):
    """The answer that a program can consume: six fields, nothing coerced, nothing unknown.

    Subclass it to add fields or to change the limits:

    >>> class SupportResponse(QAResponse):
    ...     categories = ("billing", "technical", "other")
    ...     max_answer_chars = 400
    ...     ticket: str | None = None

    Attributes:
        categories: The values that ``category`` may take.
        max_answer_chars: The longest answer, in characters.
        max_follow_up: The most follow-up questions.
    """

    model_config = ConfigDict(strict=True, extra="forbid", validate_default=True)

    categories: ClassVar[tuple[str, ...]] = DEFAULT_CATEGORIES
    max_answer_chars: ClassVar[int] = 200
    max_follow_up: ClassVar[int] = 3

    answer: SaidText = Field(
        description=(
            "A short direct answer in the language of the question, in plain sentences; "
            "no raw search results, JSON, lists of fields or tables."
        )
    )
    confidence: Annotated[Finite, Field(ge=0, le=1)] = Field(
        description=(
            "From 0 to 1: how well the sources support the answer; at most 0.5 without sources."
        )
    )
    category: Text = Field(description="The kind of question.")
    sources: list[SaidText] = Field(
        description=("Titles of the passages that the answer rests on, copied exactly; [] if none.")
    )
    follow_up: list[SaidText] = Field(description="Questions the user may ask next; [] if none.")
    needs_human: bool = Field(
        description="true if the passages do not hold the answer or a person has to act."
    )

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Take over the limits of fields that a subclass declares anew."""
        super().__pydantic_init_subclass__(**kwargs)
        cls.categories = _literals(cls.model_fields["category"].annotation) or cls.categories
        cls.max_answer_chars = _max_length(cls, "answer") or cls.max_answer_chars
        cls.max_follow_up = _max_length(cls, "follow_up") or cls.max_follow_up

    @field_validator("answer")
    @classmethod
    def _answer_fits(cls, answer: str) -> str:
        if len(answer) > cls.max_answer_chars:
            raise PydanticKnownError("string_too_long", {"max_length": cls.max_answer_chars})
        return answer

    @field_validator("category")
    @classmethod
    def _category_is_listed(cls, category: str) -> str:
        if category not in cls.categories:
            expected = ", ".join(repr(name) for name in cls.categories)
            raise PydanticKnownError("literal_error", {"expected": expected})
        return category

    @field_validator("follow_up")
    @classmethod
    def _follow_up_fits(cls, follow_up: list[str]) -> list[str]:
        if len(follow_up) > cls.max_follow_up:
            raise PydanticKnownError(
                "too_long",
                {
                    "field_type": "List",
                    "max_length": cls.max_follow_up,
                    "actual_length": len(follow_up),
                },
            )
        return follow_up

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: Any, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Put the class's limits into its JSON schema, where the model reads them."""
        schema = handler.resolve_ref_schema(handler(core_schema))
        properties = schema.get("properties", {})
        limits: dict[str, dict[str, Any]] = {
            "answer": {"minLength": 1, "maxLength": cls.max_answer_chars},
            "category": {"enum": list(cls.categories)},
            "follow_up": {"maxItems": cls.max_follow_up},
        }
        for name, limit in limits.items():
            if name in properties:
                properties[name] = {**properties[name], **limit}
        return schema


def _literals(annotation: Any) -> tuple[str, ...]:
    return get_args(annotation) if get_origin(annotation) is Literal else ()


def _max_length(model: type[BaseModel], name: str) -> int | None:
    lengths = (getattr(limit, "max_length", None) for limit in model.model_fields[name].metadata)
    return next((length for length in lengths if length is not None), None)


class QAResponseWithEntities(QAResponse):
    """A QAResponse that also lists the products it names."""

    entities: list[Entity] = Field(
        description="The products that the answer names, with id and price; [] if none."
    )


def response_type(
    *,
    categories: tuple[str, ...] = DEFAULT_CATEGORIES,
    max_answer_chars: int = 200,
    entities: bool = False,
) -> type[QAResponse]:
    """Return a response class for a category list and a length, without forking anything.

    Args:
        categories: The values that ``category`` may take, at least one.
        max_answer_chars: The longest answer, in characters.
        entities: Whether products are listed with id and price.
    """
    parent = QAResponseWithEntities if entities else QAResponse
    if categories == parent.categories and max_answer_chars == parent.max_answer_chars:
        return parent
    limits = {"categories": categories, "max_answer_chars": max_answer_chars}
    return type(parent.__name__, (parent,), {"__module__": __name__, "__doc__": None, **limits})


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: decides what may be retrieved, cited, reused and done.

    Attributes:
        principal: A stable name of the person or program.
        groups: The groups it belongs to; ``*`` is implied.
        token: The user's own token, where a service trims by it. Never logged.
    """

    principal: str = "local"
    groups: tuple[str, ...] = ()
    token: str | None = field(default=None, repr=False)

    def may_see(self, groups: tuple[str, ...]) -> bool:
        """Tell whether a document of these groups is visible to this caller."""
        return EVERYONE in groups or any(group in groups for group in self.groups)


class Passage(BaseModel):
    """A piece of a document that was retrieved.

    ``text`` equals the characters ``start`` to ``end`` of its document (of page ``page``, where
    there are pages), so that a quote from it has exact offsets. Its JSON holds only what a
    consumer may see in bulk: ``id, title, score, score_kind``.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    title: str
    score: float = 0.0
    score_kind: ScoreKind = "unknown"
    text: str = Field(exclude=True)
    chunk_id: str = Field(default="", exclude=True)
    path: str | None = Field(default=None, exclude=True)
    page: int | None = Field(default=None, exclude=True)
    heading: str = Field(default="", exclude=True)
    start: int = Field(default=0, exclude=True)
    end: int = Field(default=0, exclude=True)
    groups: tuple[str, ...] = Field(default=(EVERYONE,), exclude=True)
    highlight: str | None = Field(default=None, exclude=True)
    metadata: dict[str, Any] = Field(default_factory=dict, exclude=True)


class Citation(BaseModel):
    """A verbatim quote that supports the answer, and where it stands.

    ``quote`` is exactly the slice ``start:end`` of the decoded document (of page ``page``, where
    there are pages). ``verified`` says that the quote holds the figures and names of the sentence
    it stands for.
    """

    model_config = ConfigDict(frozen=True)

    title: str
    id: str
    path: str | None = None
    page: int | None = None
    quote: str
    start: int
    end: int
    verified: bool


class Usage(BaseModel):
    """What the model calls of an answer took. ``cost`` is in the unit of the price table."""

    model_config = ConfigDict(frozen=True)

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = None

    def __add__(self, other: Usage) -> Usage:
        """Add two usages; a cost that neither knows stays unknown."""
        costs = [cost for cost in (self.cost, other.cost) if cost is not None]
        return Usage(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            cost=sum(costs) if costs else None,
        )


class Attempt(BaseModel):
    """How the gates judged one reply."""

    model_config = ConfigDict(frozen=True)

    verdict: Literal["accepted", "rejected"]
    code: str
    repairs: tuple[str, ...] = ()


class Answer(BaseModel):
    """A validated response with everything that a program may want to know about it.

    ``model_dump(mode="json")`` is what ``ragqa ask --json`` prints.
    """

    response: SerializeAsAny[QAResponse]
    status: Status
    reason: str | None = None
    chain: str
    citations: tuple[Citation, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    tools: tuple[dict[str, Any], ...] = ()
    passages: tuple[Passage, ...] = ()
    usage: Usage = Usage()
    timings_ms: dict[str, float] = Field(default_factory=dict)
    run_id: str
    session_id: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question that has been tidied: no control or invisible marks, no blank edges.

    Use :meth:`of` to make one from what a user typed.
    """

    text: str

    @classmethod
    def of(cls, raw: str) -> Self:
        """Tidy what a user typed.

        Raises:
            ValueError: If nothing is left of it, or it is longer than 4,000 characters.
        """
        text = " ".join(_visible(raw).split())
        if not text:
            raise ValueError("The question is empty.")
        if len(text) > MAX_QUESTION_CHARS:
            raise ValueError(
                f"The question has {len(text)} characters; at most {MAX_QUESTION_CHARS} fit."
            )
        return cls(text)


_JOINERS = "\u200c\u200d"  # carry meaning in Persian, Hindi and emoji; the other Cf marks do not


def _visible(raw: str) -> str:
    """Drop control, format and surrogate characters; keep line breaks and joiners."""
    return "".join(
        char
        for char in raw
        if char in _JOINERS
        or char.isspace()
        or unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co", "Cn"}
    )


@dataclass(frozen=True, slots=True)
class Strategy:
    """How documents are looked up for a question: which, how many, in which way."""

    filter: dict[str, Any] = field(default_factory=dict)
    k: int | None = None
    search_type: str | None = None
    boost: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ContextBlock:
    """The sentences of one passage that the writer sees, under a number.

    ``spans`` are the kept slices of ``passage.text``; ``text`` joins them.
    """

    number: int
    passage: Passage
    spans: tuple[tuple[int, int], ...]
    text: str


@dataclass(frozen=True, slots=True)
class Turn:
    """All that is known of one ask; every stage returns the next one.

    Attributes:
        question: What the user asked.
        run_id: Names this ask in records and logs.
        chain: Name of the chain that runs.
        caller: Who asks.
        search_text: What retrieval looks for; the question unless a session resolved it.
        session_id: The conversation, if any.
        deadline_s: Moment on the parts' clock after which nothing may start.
        category: What the intent step took the question for.
        strategy: How documents are looked up.
        passages: What was retrieved, best first.
        context: What of it the writer sees.
        history: Earlier turns as the prompt shows them.
        answer: Set by the last stage.
        attempts, usage, timings_ms: What has been spent so far.
        notes: What stages tell later ones, by stage name.
    """

    question: Question
    run_id: str
    chain: str = ""
    caller: Caller = Caller()
    search_text: str = ""
    session_id: str | None = None
    deadline_s: float | None = None
    category: str | None = None
    strategy: Strategy = Strategy()
    passages: tuple[Passage, ...] = ()
    context: tuple[ContextBlock, ...] = ()
    history: tuple[str, ...] = ()
    answer: Answer | None = None
    attempts: tuple[Attempt, ...] = ()
    usage: Usage = Usage()
    timings_ms: dict[str, float] = field(default_factory=dict)
    notes: dict[str, Any] = field(default_factory=dict)
