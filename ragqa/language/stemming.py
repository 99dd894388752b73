"""English stems, by the algorithm that the embedded index uses."""

from __future__ import annotations

import threading

_local = threading.local()


def stem(lowered: str) -> str:
    """Return the Snowball stem of a lower-case English word; other words stay as they are."""
    stemmer = getattr(_local, "stemmer", None)
    if stemmer is None:  # a stemmer must not be used by two threads at once
        import Stemmer

        # Its own cache takes four times as long as a stem.
        stemmer = _local.stemmer = Stemmer.Stemmer("english", 0)
    return str(stemmer.stemWord(lowered))
