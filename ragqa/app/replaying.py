"""Run a recorded ask again: today's code and index, the replies that models gave then."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ragqa.app.asking import MODEL_FREE, loaded_chain
from ragqa.app.parts import parts_for
from ragqa.contract import Caller, Usage
from ragqa.errors import ConfigError, ProviderError, RagqaError, TransportError
from ragqa.ports import KeptText, ModelReply, ModelRequest, Parts, Run, RunState, TraceConfig
from ragqa.settings import Settings


@dataclass(frozen=True, slots=True)
class Replay:
    """What a replay showed.

    Attributes:
        differences: What differs, with its value then and now.
        unused: How many recorded replies today's code did not ask for.
        notes: What may explain a difference that is none.
    """

    differences: tuple[dict[str, Any], ...]
    unused: int
    notes: tuple[str, ...]


def replayed(run: Run, settings: Settings) -> Replay:
    """Run an ask again with the recorded replies and compare.

    Raises:
        ConfigError: If what a replay needs was not kept.
    """
    _require_texts(run)
    module = loaded_chain(run.chain)
    replies = RecordedModel(run.record.get("calls", ()))
    store = _Captured(run.record.get("kept", "masked"))
    parts = _parts(run, settings, replies, store)
    _ask(run, module, parts)
    if store.run is None:
        raise ConfigError("The replay did not come to an end.")
    differences = tuple(_differences(_facts(run), _facts(store.run)))
    return Replay(differences, replies.left, tuple(_notes(run)))


def _require_texts(run: Run) -> None:
    if run.chain == "agent":
        raise ConfigError(
            f"The run {run.id} called tools, and tools are not called again for a replay.",
            hint="ragqa runs show prints its messages and tools.",
        )
    if run.record.get("kept") == "none":
        raise ConfigError(
            f"Of the run {run.id} no text was kept (RAGQA_RECORDS=none): it cannot be replayed.",
            hint="RAGQA_RECORDS=masked keeps what later runs need for it.",
        )
    if "passages" not in run.record:
        raise ConfigError(f"The run {run.id} is {run.state}: nothing is recorded of it yet.")


def _parts(run: Run, settings: Settings, replies: RecordedModel, store: _Captured) -> Parts:
    parts = parts_for(settings, with_model=False)
    model = None if run.chain == MODEL_FREE else replies
    return replace(
        parts,
        model=model,
        fallback_model=replies if len(replies.models) > 1 else None,
        policy=replace(parts.policy, raise_degraded=False),
        sessions=None,
        answers=None,
        runs=store,
    )


def _ask(run: Run, module: Any, parts: Parts) -> None:
    from ragqa import flow
    from ragqa.stages.begin import begin
    from ragqa.stages.record import recorded

    caller = Caller(principal=run.principal, groups=run.groups)
    turn = begin(parts, run.chain)({"question": run.question, "caller": caller})
    turn = replace(turn, search_text=run.record.get("search_text", ""))
    try:
        flow.invoke(recorded(module.pipeline(parts), parts), turn)
    except RagqaError:
        return  # the record of the replay says what it was


def _facts(run: Run) -> dict[str, Any]:
    """Return what is compared."""
    record = run.record
    answer: Mapping[str, Any] = record.get("answer", {})
    response: Mapping[str, Any] = answer.get("response", {})
    names = ("status", "reason", "chain")
    return {
        "state": run.state,
        "error": (run.last_error or {}).get("code"),
        "passages": [f"{each['id']}@{each['start']}" for each in record.get("passages", ())],
        "attempts": [
            {"verdict": each["verdict"], "code": each["code"], "repairs": list(each["repairs"])}
            for each in record.get("attempts", ())
        ],
        **{name: answer.get(name) for name in names},
        **{f"response.{name}": value for name, value in response.items()},
        "citations": [(each["id"], each["quote"]) for each in answer.get("citations", ())],
        "stage": record.get("stage"),
    }


def _differences(then: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for name in [*then, *(name for name in now if name not in then)]:
        old, new = _plain(then.get(name)), _plain(now.get(name))
        if old != new:
            yield {"what": name, "then": old, "now": new}


def _plain(value: Any) -> Any:
    """Return a value as it looks after a way through JSON: tuples are lists."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _notes(run: Run) -> Iterator[str]:
    if run.record.get("is_masked"):
        yield "Texts of the run were masked; a difference may come from that."
    if run.session_id:
        yield "The conversation before the question is not part of a replay."
    if "answered_by" in run.record:
        yield f"The answer was kept from the run {run.record['answered_by']}; a replay has none."


class _Captured:
    """Keeps the one run of a replay."""

    def __init__(self, keeps: KeptText) -> None:
        self.keeps: KeptText = keeps
        self.run: Run | None = None

    def begin(self, run: Run) -> Run | None:
        return None

    def save(self, run: Run) -> None:
        self.run = run

    def move(
        self,
        run_id: str,
        expected: Collection[RunState],
        state: RunState,
        last_error: Mapping[str, str] | None = None,
    ) -> bool:
        return False

    def note(self, run_id: str, values: Mapping[str, Any]) -> None:
        """Keep nothing."""

    def get(self, run_id: str) -> Run | None:
        return None

    def since(self, since_s: float, until_s: float | None = None) -> Iterator[Run]:
        return iter(())

    def forget(self, run_ids: Collection[str]) -> int:
        return 0


class RecordedModel:
    """A chat model that gives recorded replies in their order, and recorded errors.

    Args:
        calls: The calls of a record.
    """

    def __init__(self, calls: Sequence[Mapping[str, Any]]) -> None:
        self._calls = [call for call in calls if "reply" in call or call.get("error")]
        self._at = 0
        self.models = tuple(dict.fromkeys(call["model"] for call in self._calls))

    @property
    def name(self) -> str:
        """Name the model that gave the replies."""
        return self.models[0] if self.models else "recorded"

    @property
    def left(self) -> int:
        """Return how many calls were not asked for."""
        return len(self._calls) - self._at

    def complete(self, request: ModelRequest, config: TraceConfig = None) -> ModelReply:
        """Return the next reply.

        Raises:
            RagqaError: Of the kind that came in place of a reply, or where none is left.
        """
        if self._at == len(self._calls):
            raise TransportError("No recorded reply is left: more is asked for than then.")
        call = self._calls[self._at]
        self._at += 1
        if "reply" not in call:
            raise _error_of(call["error"])
        return ModelReply(
            text=call["reply"],
            finish_reason=call["finish_reason"],
            refusal=call.get("refusal"),
            usage=Usage(**call["usage"]),
            model=call.get("served_by", ""),
        )

    async def acomplete(self, request: ModelRequest, config: TraceConfig = None) -> ModelReply:
        """Do the same; nothing is waited for."""
        return self.complete(request, config)

    def stream(
        self, request: ModelRequest, config: TraceConfig = None
    ) -> Generator[str | ModelReply, None, None]:
        """Yield the next reply, whole."""
        yield self.complete(request, config)

    async def astream(
        self, request: ModelRequest, config: TraceConfig = None
    ) -> AsyncGenerator[str | ModelReply, None]:
        """Yield the next reply, whole."""
        yield self.complete(request, config)


def _error_of(code: str) -> RagqaError:
    """Return an error of the class that bears a code."""
    kinds: list[type[ProviderError]] = [ProviderError]
    while kinds:
        kind = kinds.pop()
        if kind.code == code:
            return kind("The call failed when the run was recorded.")
        kinds += kind.__subclasses__()
    return TransportError(f"The call failed when the run was recorded ({code}).")
