"""The whole way, on a small release."""

from pathlib import Path

import lookbench_eval


def test_pixels_score_a_release(release: Path) -> None:
    result = lookbench_eval.evaluate(release, "pixels:16")
    print(result.table(160))
    assert result.document["overall"]["queries"] == 24
    assert result.value("Item@1") > 0.9
