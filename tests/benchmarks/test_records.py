"""What a record costs an ask: the same asks with and without, in turns, so that load hits both."""

import statistics
import time

import pytest

import chains
from ragqa import flow
from ragqa.ports import Parts
from ragqa.records.store import SqliteRuns
from ragqa.stages.begin import begin
from ragqa.stages.whole import whole
from tests.unit.stages.test_record import GOOD, QUESTION, Found, Says

ASKS = 500
MAX_COST_MS = 0.5


class Always(Says):
    """A model that says the same whenever it is asked."""

    def complete(self, request, config=None):
        self.script = [GOOD]
        return super().complete(request, config)


def asking(chain, runs):
    parts = Parts(retriever=Found(), model=Always(), runs=runs)
    pipeline, first = whole(chains.load(chain).pipeline(parts), parts), begin(parts, chain)

    def ask():
        turn = first(QUESTION)
        started_s = time.perf_counter()
        flow.invoke(pipeline, turn)
        return (time.perf_counter() - started_s) * 1000

    return ask


@pytest.mark.parametrize("chain", ["extractive", "stuff"])
def test_what_a_record_costs(benchmark, tmp_path, chain):
    runs = SqliteRuns(tmp_path)
    without, recorded = asking(chain, None), asking(chain, runs)
    for _ in range(20):
        without()
        recorded()
    pairs = []
    benchmark.pedantic(lambda: pairs.append((without(), recorded())), rounds=ASKS)
    runs.close()
    cost_ms = statistics.median(after - before for before, after in pairs)
    benchmark.extra_info["cost_ms"] = round(cost_ms, 3)
    print(f"\n{chain}: a record costs {cost_ms:.3f} ms of an ask (p50)")
    assert cost_ms <= MAX_COST_MS
