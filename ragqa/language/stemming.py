"""English stems, by the algorithm that the embedded index uses."""

from __future__ import annotations

import threading

_local = threading.local()


def stem(lowered: str) -> str:
    """Return the Snowball stem of a lower-case English word; other words stay as they are."""
    stemmer = getattr(_local, "stemmer", None)
    if stemmer is None:  # a stemmer must not be used by two threads at once
        import Stemmer

        stemmer = _local.stemmer = Stemmer.Stemmer("english")
    return str(stemmer.stemWord(lowered))
