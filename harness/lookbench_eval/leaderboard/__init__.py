"""The leaderboard: one page made from results, and the check that a result must pass to be on it."""

from lookbench_eval.leaderboard.check import Finding, check
from lookbench_eval.leaderboard.page import build

__all__ = ["Finding", "build", "check"]
