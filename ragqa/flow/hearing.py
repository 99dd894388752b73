"""Whether anybody listens: without listeners, LangChain's management of runs can be left out.

What is left out is what only listeners would notice: runs, their events, copies of what goes in and
out. It is a good part of what an ask costs beside the model's own time.
"""

from __future__ import annotations

from typing import Any


def is_heard(config: Any, callbacks: Any = None, *, verbose: bool = False) -> bool:
    """Tell whether any callback would hear of a call: a caller's, a tracer's or LangChain's own.

    LangChain itself puts them together, so that handlers of contexts and of the environment count.

    Args:
        config: The RunnableConfig of the call, or None.
        callbacks: Those of the object that is called.
        verbose: Whether that object tells on the terminal what it does.
    """
    from langchain_core.callbacks import CallbackManager
    from langchain_core.runnables.config import ensure_config

    inherited = ensure_config(config).get("callbacks")
    return bool(CallbackManager.configure(inherited, callbacks, verbose=verbose).handlers)
