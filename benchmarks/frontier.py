"""The durable frontier: its cost against Scrapy's in-memory scheduler, and its times with a million tasks.

``python benchmarks/frontier.py [PAGES] [TASKS]`` prints one JSON object. Bars: at most 15 % fewer pages per minute than
the in-memory scheduler over the same local server; with TASKS (default 1,000,000) tasks the time to lease and to commit
stays within 2 times that of an empty file, in less than 300 MiB of memory.
"""

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

SERVER = """
import asyncio, re, sys
FAN = 8
async def serve(reader, writer):
    while head := await reader.readline():
        while (await reader.readline()).strip():
            pass
        number = int(re.match(rb"GET /(\\d+)", head)[1])
        below = [number * FAN + step for step in range(1, FAN + 1)]
        links = "".join(f'<a href="/{child}">x</a>' for child in below if child < int(sys.argv[1]))
        body = f"<html><title>{number}</title>{links}{'<p>text</p>' * 200}</html>".encode()
        head = f"HTTP/1.1 200 OK\\r\\nContent-Type: text/html\\r\\nContent-Length: {len(body)}\\r\\n\\r\\n"
        writer.write(head.encode() + body)
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""
CRAWL = """
import sys, time
from pathlib import Path
sys.path.insert(0, {root!r})
import scrapy
from scrapy.crawler import CrawlerProcess
from crawlers.frontier import Frontier, Yield
from crawlers.tasks import Task
durable, base, path = sys.argv[1] == "durable", sys.argv[2], Path(sys.argv[3])
class Bench(scrapy.Spider):
    name = "bench"
    frontier = Frontier(path) if durable else None
    count = 0
    async def start(self):
        self.began, self.spent = time.perf_counter(), time.process_time()
        if durable:
            self.frontier.push([Task(base + "/0", "product")])
            return
        yield scrapy.Request(base + "/0", self.plain)
    def request_of(self, task):
        return scrapy.Request(task.url, self.kept, meta={{"task": task}})
    def links(self, response):
        Bench.count += 1
        return [response.urljoin(found) for found in response.css("a::attr(href)").getall()]
    def plain(self, response):
        for url in self.links(response):
            yield scrapy.Request(url, self.plain)
    def kept(self, response):
        found = [Task(url, "product") for url in self.links(response)]
        row = {{"id": response.url, "reason": "ok"}}
        brought = Yield(found, [("sightings", {{"url": response.url}})], [row], {{}})
        self.frontier.finish(response.meta["task"].key, brought)
    def closed(self, reason):
        spans = time.perf_counter() - self.began, time.process_time() - self.spent
        print(*(self.count / span * 60 for span in spans))
made = {{"LOG_LEVEL": "ERROR", "TELNETCONSOLE_ENABLED": False, "REMOTE_CONTROL_ENABLED": False,
        "CONCURRENT_REQUESTS": 16,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 16, "DOWNLOAD_DELAY": 0, "WARN_ON_GENERATOR_RETURN_VALUE": False}}
process = CrawlerProcess({{**made, **({{"SCHEDULER": "crawlers.scheduler.FrontierScheduler"}} if durable else {{}})}})
process.crawl(Bench)
process.start()
"""


def pages_per_minute(kind: str, base: str) -> tuple[float, float]:
    """Return the pages per minute, and per minute of processor time, of one crawl in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", CRAWL.format(root=str(ROOT)), kind, base, f"{folder}/f.sqlite"]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        return float(said[-2]), float(said[-1])


def against_memory(pages: int) -> dict[str, float]:
    """Compare both schedulers over one local server: the best of three runs each, in turn."""
    with subprocess.Popen([sys.executable, "-c", SERVER, str(pages)], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        base = f"http://127.0.0.1:{server.stdout.readline().strip()}"
        runs = [(pages_per_minute("memory", base), pages_per_minute("durable", base)) for _ in range(3)]
        server.kill()
    memory, durable = (max(run[side][0] for run in runs) for side in (0, 1))
    spent_memory, spent_durable = (max(run[side][1] for run in runs) for side in (0, 1))
    return {
        "memory_pages_per_minute": round(memory),
        "durable_pages_per_minute": round(durable),
        "cost": round(1 - durable / memory, 3),
        "cost_of_processor_time": round(1 - spent_durable / spent_memory, 3),
    }


def at_size(tasks: int) -> dict[str, float]:
    """Time leases and commits in an empty frontier and in one of ``tasks`` tasks."""
    from crawlers.frontier import Frontier, Yield
    from crawlers.tasks import Task

    with tempfile.TemporaryDirectory() as folder:
        frontier = Frontier(Path(folder) / "f.sqlite")

        def timed(number: int) -> tuple[float, float]:
            frontier.push(Task(f"https://shop.example/extra/{number}/{step}", "product") for step in range(600))
            lease, commit = [], []
            for _ in range(30):
                began = time.perf_counter()
                found = frontier.lease(16)
                lease.append(time.perf_counter() - began)
                for task in found:
                    began = time.perf_counter()
                    frontier.finish(task.key, Yield([], [("sightings", {"url": task.url})], [{"id": task.url}], {}))
                    commit.append(time.perf_counter() - began)
            return statistics.median(lease), statistics.median(commit)

        before = timed(0)
        for start in range(0, tasks, 10_000):
            frontier.push(
                Task(f"https://shop.example/p/{number}", "look") for number in range(start, min(start + 10_000, tasks))
            )
        after = timed(1)
        frontier.close()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "tasks": tasks,
        "lease_ms": round(1000 * after[0], 3),
        "commit_ms": round(1000 * after[1], 3),
        "lease_growth": round(after[0] / before[0], 2),
        "commit_growth": round(after[1] / before[1], 2),
        "memory_mib": round(memory),
    }


def main() -> int:
    """Print the figures; the exit status tells whether the bars are met."""
    given = [int(value) for value in sys.argv[1:3]]
    pages, tasks = (*given, *(3000, 1_000_000)[len(given) :])
    size, cost = at_size(tasks), against_memory(pages)
    met = cost["cost"] <= 0.15 and size["lease_growth"] <= 2 and size["commit_growth"] <= 2 and size["memory_mib"] < 300
    print(json.dumps({**size, **cost, "met": met}))
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
