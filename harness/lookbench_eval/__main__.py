"""`python -m lookbench_eval` is the command `lookbench-eval`."""

import sys

from lookbench_eval.cli import main

sys.exit(main())
