"""The demo shop: `build` makes a season's catalogue and pictures, `serve` puts it on loopback."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from demo.build import build
from demo.errors import ShopError
from demo.records import Catalogue, Look, Photo, Product, load
from demo.server import open_server, serve

__all__ = ["Catalogue", "Look", "Photo", "Product", "ShopError", "build", "load", "serve"]


def main(arguments: list[str] | None = None) -> int:
    """`python -m demo.shop --dir D --season 2 --port 8900 [--photos DIR] [--products N] [--looks N] [--seed S]`."""
    parser = argparse.ArgumentParser(
        prog="python -m demo.shop", description="Build one season of the demo shop and serve it on loopback."
    )
    parser.add_argument(
        "--dir", type=Path, required=True, help="folder for pictures and catalogues; shared by both seasons"
    )
    parser.add_argument("--season", type=int, choices=(1, 2), default=1)
    parser.add_argument("--port", type=int, default=8900, help="0 for any free port")
    parser.add_argument("--photos", type=Path, help="folder of real photos with photos.csv and images/")
    parser.add_argument("--products", type=int, help="products a season sells (drawn: 120; photos: all)")
    parser.add_argument("--looks", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--build-only", action="store_true", help="make the files and stop")
    options = parser.parse_args(arguments)

    def progress(done: int, total: int) -> None:
        if done == total or done % 50 == 0:
            print(f"pictures {done}/{total}", file=sys.stderr)

    try:
        catalogue = build(
            options.dir,
            options.season,
            options.seed,
            options.photos,
            options.products,
            options.looks,
            progress=progress,
        )
        print(
            f"season {options.season}: {len(catalogue.products)} products, {len(catalogue.looks)} looks",
            file=sys.stderr,
        )
        if options.build_only:
            return 0
        server = open_server(catalogue, options.port)
    except (ShopError, ValueError, OSError) as err:
        print(f"demo.shop: {err}", file=sys.stderr)
        return 1
    print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        return 0
    finally:
        server.server_close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
