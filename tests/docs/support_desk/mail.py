"""From a mail to the draft of a reply."""

from langchain_core.runnables import RunnableLambda

from support_desk.answering import answering


def question_of(mail: dict) -> dict:
    return {"question": mail["subject"], "principal": mail["from"]}


def draft_of(answer) -> str:
    if answer.response.needs_human:
        return f"[for a person: {answer.reason}]"
    sources = ", ".join(answer.response.sources)
    return f"{answer.response.answer}\n(see {sources})"


replying = RunnableLambda(question_of) | answering() | RunnableLambda(draft_of)
