"""What every answer of the desk must look like."""

from pydantic import Field

import ragqa
from ragqa.validation.rules import Refuse


class DeskResponse(ragqa.QAResponse):
    categories = ("returns", "delivery", "products", "other")
    max_answer_chars = 300

    urgent: bool = Field(description="true if the customer must act within three days.")


def promises(response: DeskResponse) -> bool:
    return "guarantee" in response.answer.lower()


def answering():
    return ragqa.chain(
        "stuff",
        schema=DeskResponse,
        rules=[Refuse(promises, "Do not guarantee anything.", "no_guarantee", field="answer")],
    )
