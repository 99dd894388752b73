"""QAResponse: what an answer must look like, and how callers extend it."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal, get_args, get_origin

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    field_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import PydanticCustomError, PydanticKnownError

DEFAULT_CATEGORIES = ("pricing", "policy", "product", "stock", "other")
CHINESE_CATEGORIES = ("价格咨询", "售后政策", "产品参数", "库存查询", "其他")


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


@lru_cache(maxsize=256)
def response_type(
    *,
    categories: tuple[str, ...] = DEFAULT_CATEGORIES,
    max_answer_chars: int = 200,
    entities: bool = False,
) -> type[QAResponse]:
    """Return a response class for a category list and a length, without forking anything.

    The same arguments give the same class, so that what is derived from it is derived once. Classes
    that were not asked for lately are let go: a service may check against lists without end.

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
