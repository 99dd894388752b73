"""ragqa's gates, titles known."""

from __future__ import annotations

import json
import sys

from ragqa.contract import response_type
from ragqa.validation import check


def main() -> None:
    found = []
    for case in json.load(sys.stdin):
        verdict = check(
            case["raw"],
            titles=case["titles"],
            finish_reason=case["finish_reason"],
            schema=response_type(categories=tuple(case["categories"])),
        )
        response = verdict.response
        found.append(response.model_dump() if response is not None else None)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
