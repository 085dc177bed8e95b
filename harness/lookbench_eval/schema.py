"""Where the JSON Schema of a result lies; its descriptions are the documentation of every key."""

from pathlib import Path
from typing import Final

SCHEMA_PATH: Final = Path(__file__).with_name("result.schema.json")
