"""The measures, one small module each; they parse and print like `nDCG@5` and `Fine@1`."""

from lookbench_eval.measures.names import DEFAULT, Measure, evaluate, parse, parse_all

__all__ = ["DEFAULT", "Measure", "evaluate", "parse", "parse_all"]
