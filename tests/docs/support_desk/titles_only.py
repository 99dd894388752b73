"""A chain of one's own: which document speaks of it, and nothing else."""

from dataclasses import replace

from ragqa.flow import Pipeline, Stage
from ragqa.flow.runnable import ChainRunnable
from ragqa.stages.begin import begin
from ragqa.stages.draft import Draft
from ragqa.stages.judge import sealed_draft
from ragqa.stages.retrieve import retrieve
from ragqa.stages.whole import whole


def name_title(parts) -> Stage:
    """Answer with the title of what was found first; the gates judge it like any other answer."""

    def step(turn):
        titles = [passage.title for passage in turn.passages[:1]]
        response = parts.policy.schema(
            answer=f"See {titles[0]}." if titles else "Nothing speaks of it.",
            confidence=0.5,
            category=turn.category,
            sources=titles,
            follow_up=[],
            needs_human=not titles,
        )
        draft = Draft(response.model_dump_json(), abstained=not titles)
        return sealed_draft(replace(turn, notes={**turn.notes, "draft": draft}), parts)

    return Stage("name_title", step)


def pipeline(parts) -> Pipeline:
    return retrieve(parts) | name_title(parts)


def build(parts) -> ChainRunnable:
    return ChainRunnable("titles_only", whole(pipeline(parts), parts), begin(parts, "titles_only"))
