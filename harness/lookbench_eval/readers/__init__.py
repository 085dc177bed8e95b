"""Readers: releases of this project, the published LookBench, and older data sets."""

from lookbench_eval.readers.base import NOISE, SUBSETS, Release, Split, Subset
from lookbench_eval.readers.detect import LAYOUTS, open_release

__all__ = ["LAYOUTS", "NOISE", "SUBSETS", "Release", "Split", "Subset", "open_release"]
