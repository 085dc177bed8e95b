"""What a crawl has to fetch, as plain data that survives a restart."""

import json
from dataclasses import dataclass
from typing import Literal

Role = Literal["start", "sitemap", "listing", "category", "product", "look", "photo"]
PRIORITY: dict[Role, int] = {
    "start": 50, "sitemap": 40, "listing": 30, "category": 30, "product": 20, "photo": 10, "look": 0,
}  # fmt: skip


@dataclass(frozen=True)
class Task:
    """One address to fetch: what it is expected to be, how far it is from a start page, and who named it."""

    url: str
    role: Role
    depth: int = 0
    parent: str | None = None
    render: bool = False
    optional: bool = False
    priority: int | None = None

    @property
    def key(self) -> str:
        """What makes it one task of a crawl: a page, its rendering and a photo at one address are three."""
        prefix = self.role if self.role in {"sitemap", "photo"} else ("render" if self.render else "page")
        return f"{prefix} {self.url}"

    @property
    def rank(self) -> int:
        """Tasks of higher rank are fetched first."""
        return PRIORITY[self.role] if self.priority is None else self.priority

    def dump(self) -> str:
        """Return the task as text."""
        return json.dumps(vars(self))

    @classmethod
    def load(cls, text: str) -> "Task":
        """Read a task from its text."""
        return cls(**json.loads(text))
