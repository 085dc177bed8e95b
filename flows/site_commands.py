"""``lookbench site``: what concerns a single shop."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.options import Json, Root, Settings, emit, workshop

if TYPE_CHECKING:
    from crawlers.survey import Survey

site = typer.Typer(no_args_is_help=True, help="Look at a new shop.")


@site.command("try")
def site_try(
    url: Annotated[str, typer.Argument(help="Home page of the shop.")],
    out: Annotated[Path | None, typer.Option(help="Folder for the draft; the settings' folder of sites.")] = None,
    user_agent: Annotated[str | None, typer.Option(help="User agent with a contact.")] = None,
    pause: Annotated[float, typer.Option(min=0, help="Seconds between two requests; robots.txt may ask for more.")] = 1,
    allow_loopback: Annotated[bool, typer.Option(help="Look at a shop on this machine too.")] = False,
    root: Root = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Look at a shop in some 25 requests: what it runs on, sells, lacks and allows; write a draft of its site file."""
    from crawlers import drafts
    from crawlers.fetch import Visitor
    from crawlers.job import USER_AGENT
    from crawlers.survey import survey

    agent = user_agent or USER_AGENT
    visitor = Visitor(agent, allow_loopback=allow_loopback, pause=pause)
    found = survey(url, visitor, _renderer(agent, allow_loopback=allow_loopback))
    shop = workshop(root, settings)
    made = drafts.draft(found, allow_loopback=allow_loopback)
    path = drafts.write(made, out or shop.path(shop.settings.sites), url)
    emit({**asdict(found), "draft": str(path)}, as_json, f"{screen(found)}\ndraft     {path}")


def _renderer(agent: str, *, allow_loopback: bool) -> Any:
    """Return what renders one page, or None on a machine without a browser."""
    import asyncio
    from urllib.parse import urlsplit

    from crawlers import rendering

    path = rendering.browser()
    if path is None:
        return None

    def render(url: str) -> str | None:
        hosts = frozenset({urlsplit(url).hostname or ""}) if allow_loopback else frozenset()
        return asyncio.run(rendering.render(path, url, agent, hosts))

    return render


def screen(found: "Survey") -> str:
    """Return a survey on one screen."""
    from crawlers import media

    robots = "allowed" if found.allowed else "DISALLOWED: this shop does not want to be crawled"
    robots += f", Crawl-delay {found.crawl_delay:g} s" if found.crawl_delay else ""
    rule = media.forbidden(found.rules)
    pages = sum(one["pages"] for one in found.sitemaps)
    browsers = {
        "no": "no, the plain HTML has the products",
        "yes": f"yes, {len(found.shells)} pages have their product only after their scripts ran",
        "perhaps": f"perhaps: {len(found.shells)} pages hold scripts and no product; install a Chromium to find out",
        "does not help": f"{len(found.shells)} pages hold scripts and no product, with a browser neither",
    }
    more = "at least " if found.feed and found.feed["more"] and found.counted == "feed" else "about "
    lines = [
        f"shop      {found.url}",
        f"platform  {found.platform}" + (f", feed {found.feed['url']}" if found.feed else ""),
        f"robots    {robots}" + (f"; its pages say {rule}: NO PHOTO MAY BE TAKEN" if rule else ""),
        f"sitemap   {pages} pages in {len(found.sitemaps)} files" if pages else "sitemap   none",
        f"products  {more}{found.products}, by {found.counted}" if found.products else "products  none found",
        f"browser   {browsers[found.browser]}",
        f"language  {found.language or 'not said'}",
    ]
    for row in found.read:
        price = f"{row['price'] or '?'} {row['currency'] or '?'}"
        lines.append(
            f"  read    {str(row['name'])[:40]}, {price}, {row['photos']} photos ({row['source']}) {row['url']}"
        )
        lines += [f"          missing: {', '.join(row['missing'])}"] if row["missing"] else []
    lines += [f"  unread  {row['url']}: {row['reason']}" for row in found.unread[:4]]
    lines += [f"  trouble {text}" for text in found.troubles[:4]]
    return "\n".join(lines)
