"""Fixtures of the crawler tests: a real server on loopback."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from conftest_shop import server, shop  # noqa: F401 - fixtures
