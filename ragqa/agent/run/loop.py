"""The agent's loop: LangChain's create_agent with our middleware, behind the face of a ChatModel.

To the stages an agent is a model whose reply took tools. ``stream`` yields pieces of text, None
where the text so far turned out to be no answer, and last the AgentReply.
"""

from __future__ import annotations

import asyncio
import shutil
import threading
import weakref
from collections.abc import AsyncGenerator, Generator
from contextlib import aclosing, closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from ragqa.agent.ledger.store import Ledger
from ragqa.agent.run.own_tools import TableDescriptions
from ragqa.agent.run.reply import AgentReply, Piece
from ragqa.agent.tools.toolbox import Toolbox
from ragqa.contract import Turn
from ragqa.ports import ModelReply, ModelRequest, Parts, TraceConfig, offered_by
from ragqa.stages.noted import Recorder, noted

if TYPE_CHECKING:
    from ragqa.agent.run.going import Going

LEDGER_FILE = "ledger.sqlite"
RESUMES = "resumes"
"""Note of a turn whose run goes on where it waited."""


class Agent:
    """What all runs of a chain share: its tools, its limits, its files.

    Args:
        parts: What the chain works with.
        box: The caller's tools.
    """

    def __init__(self, parts: Parts, box: Toolbox) -> None:
        self.parts = parts
        self.box = box
        self._own_folder: Path | None = None
        self._lock = threading.Lock()
        self._has_begun = False
        self._ledger: Ledger | None = None
        self.descriptions = TableDescriptions()

    @property
    def folder(self) -> Path:
        """Return the folder of ledger and steps."""
        if self.parts.home is not None:
            return self.parts.home()
        with self._lock:
            if self._own_folder is None:
                self._own_folder = Path(mkdtemp(prefix="ragqa-agent-"))
                weakref.finalize(self, shutil.rmtree, self._own_folder, ignore_errors=True)
            return self._own_folder

    @property
    def may_keep(self) -> bool:
        """Tell whether texts of runs may be kept; else none can wait, or go on after a kill."""
        runs = self.parts.runs
        return runs is None or runs.keeps != "none"

    @property
    def ledger(self) -> Ledger:
        """Return the records of tool calls."""
        path = self.folder / LEDGER_FILE
        with self._lock:
            if self._ledger is None:
                self._ledger = Ledger(path)
            return self._ledger

    def begins(self) -> bool:
        """Tell once that this is the first run: what earlier processes left open is looked up."""
        with self._lock:
            first, self._has_begun = not self._has_begun, True
            return first

    def model_for(self, turn: Turn) -> AgentModel:
        """Return the agent as the model of one ask."""
        return AgentModel(self, turn)


@dataclass(frozen=True, slots=True)
class AgentModel:
    """The agent as a ChatModel, for one ask.

    Attributes:
        agent: What all runs share.
        turn: The ask.
    """

    agent: Agent
    turn: Turn

    @property
    def name(self) -> str:
        """Name the model that is asked."""
        model = self.agent.parts.model
        return model.name if model is not None else "none"

    def complete(self, request: ModelRequest, config: TraceConfig = None) -> AgentReply:
        """Run the loop to its end, or to where it waits for a person."""
        with self._going(config, is_streamed=False) as going:
            with going.ending():
                if self.agent.begins():
                    going.run.executor.verify_pending(config)
                going.graph.invoke(going.input, going.config, **going.options)
            return self._noted(request, going.reply(going.graph.get_state(going.config)))

    async def acomplete(self, request: ModelRequest, config: TraceConfig = None) -> AgentReply:
        """Do the same without blocking the event loop."""
        with await asyncio.to_thread(self._going, config, is_streamed=False) as going:
            with going.ending():
                if self.agent.begins():
                    await going.run.executor.averify_pending(config)
                await going.graph.ainvoke(going.input, going.config, **going.options)
            reply = going.reply(await going.graph.aget_state(going.config))
            return self._noted(request, reply)

    def stream(
        self, request: ModelRequest, config: TraceConfig = None
    ) -> Generator[str | ModelReply | None, None, None]:
        """Yield pieces of text, None where they are no answer, last the AgentReply."""
        with self._going(config, is_streamed=True) as going:
            with going.ending():
                if self.agent.begins():
                    going.run.executor.verify_pending(config)
                events = going.graph.stream(
                    going.input, going.config, stream_mode="custom", **going.options
                )
                with closing(events):
                    for event in events:
                        if isinstance(event, Piece):
                            yield event.text
            yield self._noted(request, going.reply(going.graph.get_state(going.config)))

    async def astream(
        self, request: ModelRequest, config: TraceConfig = None
    ) -> AsyncGenerator[str | ModelReply | None, None]:
        """Do the same without blocking the event loop."""
        with await asyncio.to_thread(self._going, config, is_streamed=True) as going:
            with going.ending():
                if self.agent.begins():
                    await going.run.executor.averify_pending(config)
                events = going.graph.astream(
                    going.input, going.config, stream_mode="custom", **going.options
                )
                async with aclosing(events):
                    async for event in events:
                        if isinstance(event, Piece):
                            yield event.text
            yield self._noted(request, going.reply(await going.graph.aget_state(going.config)))

    def _noted(self, request: ModelRequest, reply: AgentReply) -> AgentReply:
        """Tell whoever notes the model's calls (a trial of the doctor) of the run's messages."""
        recorder: Recorder | None = offered_by(self.agent.parts.model, "recorder")
        if recorder is not None:
            call = recorder.begin(self.name, request)
            noted(call, reply)
            call.error = reply.error.code if reply.error is not None else ""
        return reply

    def _going(self, config: TraceConfig, *, is_streamed: bool) -> Going:
        from ragqa.agent.run.going import Going  # LangGraph takes a second to import

        return Going(self.agent, self.turn, config, is_streamed=is_streamed)
