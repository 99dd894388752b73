"""Whether anybody listens: without listeners, LangChain's management of runs can be left out.

What is left out is what only listeners would notice: runs, their events, copies of what goes in and
out. It is a good part of what an ask costs beside the model's own time.
"""

from __future__ import annotations

import os
import sys
from typing import Any

_PACKAGES = ("langchain_core", "langsmith")
_VARIABLES = ("LANGCHAIN_", "LANGSMITH_")


class Unheard(dict[str, Any]):
    """A configuration of which is known that nobody hears of its calls."""


def is_heard(config: Any, callbacks: Any = None, *, verbose: bool = False) -> bool:
    """Tell whether any callback would hear of a call: a caller's, a tracer's or LangChain's own.

    LangChain itself puts them together, so that handlers of contexts and of the environment count.

    Args:
        config: The RunnableConfig of the call, or None.
        callbacks: Those of the object that is called.
        verbose: Whether that object tells on the terminal what it does.
    """
    if not (callbacks or verbose) and isinstance(config, Unheard):
        return False
    if not (config or callbacks or verbose) and _can_nobody_listen():
        return False
    from langchain_core.callbacks import CallbackManager
    from langchain_core.runnables.config import ensure_config

    inherited = ensure_config(config).get("callbacks")
    return bool(CallbackManager.configure(inherited, callbacks, verbose=verbose).handlers)


def _can_nobody_listen() -> bool:
    """Tell whether LangChain is not loaded, and no variable says that it should be.

    Who asks on the command line then need not wait for it.
    """
    return not any(name in sys.modules for name in _PACKAGES) and not any(
        name.startswith(_VARIABLES) for name in os.environ
    )
