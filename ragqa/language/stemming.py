"""English stems, by the algorithm that the embedded index uses."""

from __future__ import annotations

import threading

_local = threading.local()


def stems(lowered: list[str]) -> list[str]:
    """Return the Snowball stems of lower-case English words; other words stay as they are."""
    stemmer = getattr(_local, "stemmer", None)
    if stemmer is None:  # a stemmer must not be used by two threads at once
        import Stemmer

        stemmer = _local.stemmer = Stemmer.Stemmer("english")
    return list(stemmer.stemWords(lowered))
