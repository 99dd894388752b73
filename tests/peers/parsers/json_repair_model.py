"""json_repair, then the model: what many put behind a parser that fails."""

import json_repair

from tests.peers.reading import Answer, read

if __name__ == "__main__":
    read(lambda raw: Answer.model_validate(json_repair.loads(raw)))
