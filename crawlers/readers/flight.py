"""Next.js flight data: rows in strings that scripts push, running across several pushes."""

import json
import re

from crawlers.readers.jsontext import MAX_STATE

_PUSH = re.compile(r"self\.__next_f\.push\(\s*(\[.*?\])\s*\)\s*;?\s*$", re.DOTALL)
_ROW = re.compile(rb"([0-9a-f]+):(?:T([0-9a-f]+),)?")


def rows(scripts: list[str]) -> list[str]:
    """Return the texts of Next.js flight rows: the pushed strings joined first, since rows run across pushes."""
    pushed: list[str] = []
    for script in scripts:
        if "__next_f" not in script:
            continue
        match = _PUSH.search(script.strip())
        if not match:
            continue
        try:
            entry = json.loads(match[1], strict=False)
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, list) and len(entry) > 1 and isinstance(entry[1], str):
            pushed.append(entry[1])
    data = "".join(pushed)[:MAX_STATE].encode(errors="replace")
    found, at = [], 0
    while at < len(data):
        head = _ROW.match(data, at)
        if not head:
            at = _next_line(data, at)
            continue
        if head[2]:
            length = int(head[2], 16)
            found.append(data[head.end() : head.end() + length].decode(errors="replace"))
            at = head.end() + length
        else:
            end = _next_line(data, head.end())
            found.append(data[head.end() : end].decode(errors="replace").strip())
            at = end
    return found


def _next_line(data: bytes, at: int) -> int:
    end = data.find(b"\n", at)
    return len(data) if end < 0 else end + 1
