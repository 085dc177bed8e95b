"""The official code agrees where it is right: Recall of label equality, on data without ties."""

import numpy as np
import pytest

from lookbench_eval import Samples, ask, parse, score
from lookbench_eval.measures import parse_all
from lookbench_eval.search import blocks, check

torch = pytest.importorskip("torch")
rank = pytest.importorskip("look_bench.metrics.rank")
mrr = pytest.importorskip("look_bench.metrics.mrr")


@pytest.mark.parametrize("seed", range(3))
def test_recall_and_reciprocal_rank_of_equal_labels(seed: int) -> None:
    rng = np.random.default_rng(seed)
    query, gallery = rng.normal(size=(17, 24)).astype(np.float32), rng.normal(size=(300, 24)).astype(np.float32)
    asked, answers = rng.integers(0, 40, 17), np.concatenate([np.arange(40), rng.integers(0, 40, 260)])
    queries = Samples.of([{"id": f"q{row}", "category": f"c{label}"} for row, label in enumerate(asked)])
    rows = Samples.of([{"id": f"g{row}", "category": f"c{label}"} for row, label in enumerate(answers)])
    measures = parse_all(["Coarse@1 Coarse@5 Coarse@10 Coarse@20 MRR(rel=coarse)@20"])
    vectors = check([query], queries.ids, "query"), check([gallery], rows.ids, "gallery")
    found = score(ask(queries, rows, measures), blocks(*vectors))
    assert not found.tied.any()
    words = torch.from_numpy(query), asked, torch.from_numpy(gallery), answers
    recall = rank.RankEvaluator(rank_values=[1, 5, 10, 20]).evaluate(*words)
    reciprocal = mrr.MRREvaluator(rank_values=[20]).evaluate(*words)
    for k in (1, 5, 10, 20):
        assert round(100 * found.values[parse(f"Coarse@{k}")].mean(), 2) == pytest.approx(recall[f"recall@{k}"])
    assert round(100 * found.values[parse("MRR(rel=coarse)@20")].mean(), 2) == pytest.approx(reciprocal["mrr@20"])
