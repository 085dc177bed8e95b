"""``lookbench site``: what concerns a single shop."""

from collections import defaultdict
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.options import Json, Root, Settings, emit, workshop

if TYPE_CHECKING:
    from crawlers.survey import Survey

site = typer.Typer(
    no_args_is_help=True, help="Look at one shop: a new one, its nights, its dead letters, its evidence."
)


@site.command("try")
def site_try(
    url: Annotated[str, typer.Argument(help="Home page of the shop; https:// where nothing else is said.")],
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

    url = url if "://" in url else f"https://{url}"
    agent = user_agent or USER_AGENT
    visitor = Visitor(agent, allow_loopback=allow_loopback, pause=pause)
    found = survey(url, visitor, _renderer(agent, allow_loopback=allow_loopback))
    shop = workshop(root, settings)
    made = drafts.draft(found, allow_loopback=allow_loopback)
    path = drafts.write(made, out or shop.path(shop.settings.sites), url)
    emit({**asdict(found), "draft": str(path)}, as_json, f"{screen(found)}\ndraft     {path}")


@site.command("evidence")
def site_evidence(
    subject: Annotated[str, typer.Argument(help="Address of a page, or the id of a photo: the page it came from.")],
    until: Annotated[datetime | None, typer.Option(help="The page as it was then; the latest when not given.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the page's bytes here.")] = None,
    root: Root = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Show when a page was there: its dates, whether they agree, and the bytes as fetched."""
    from flows.evidence import show

    found, body = show(workshop(root, settings).catalog, subject, until)
    if out:
        out.write_bytes(body)
    lines = [f"page      {found['at']}", f"seen      {found['seen_at']}, {found['how']}"]
    lines += [f"{name:<13} {value}" for name, value in found.get("dates", {}).items()]
    lines.append(f"bytes     {found['bytes']} in {found['warc']['file']} at {found['warc']['offset']}")
    emit(found, as_json, "\n".join([*lines, f"written   {out}"] if out else lines))


@site.command("report")
def site_report(
    name: Annotated[str, typer.Argument(help="Name of the site.")],
    nights: Annotated[int, typer.Option(min=1, help="How many nights, the latest.")] = 14,
    root: Root = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Tell what each night at a site brought, what failed and why."""
    from crawlers import nights as kept
    from crawlers.run import state_folder

    found = kept.report(state_folder(workshop(root, settings).catalog), name)
    found["nights"] = dict(list(found["nights"].items())[-nights:])
    lines = [line for night, figures in found["nights"].items() for line in _night(night, figures)]
    dead = found["dead_letters"]
    lines += [f"dead letters of the last night, to be tried again by `lookbench site retry {name}`:"] if dead else []
    lines += [f"  {row['reason']:<20} {row['url']}" for row in dead[:20]]
    lines += [f"  and {len(dead) - 20} more (--json tells all)"] if len(dead) > 20 else []
    emit(found, as_json, "\n".join(lines))


_NIGHT = (
    "{night}  {pages} pages ({pages_unchanged} unchanged), {products} products ({products_new} new, "
    "{products_changed} changed, {products_delisted} gone), {photos} photos ({photos_new} new), {mb:.1f} MB in "
    "{requests} requests, waited {waits:.0f} s, {ended}"
)


def _night(night: str, figures: dict[str, Any]) -> list[str]:
    """Return what a person wants to know of a night: one line, and one for each kind of trouble."""
    mb = figures.get("bytes", 0) / 1e6
    lines = [_NIGHT.format_map(defaultdict(int, {**figures, "night": night[:16], "mb": mb}))]
    for label in ("errors", "dead"):
        told = ", ".join(f"{kind} {count}" for kind, count in sorted(figures.get(label, {}).items()))
        lines += [f"  {label:<8} {told}"] if told else []
    return lines + ([f"  left     {figures['left']} not asked for"] if figures.get("left") else [])


@site.command("retry")
def site_retry(
    name: Annotated[str, typer.Argument(help="Name of the site.")],
    reason: Annotated[str | None, typer.Option(help="Only dead letters of this reason, such as timeout.")] = None,
    root: Root = None,
    settings: Settings = None,
    as_json: Json = False,
) -> None:
    """Try the dead letters of a site's last night once more, now, as part of that night."""
    from crawlers import nights
    from crawlers.run import state_folder
    from flows.nightly import nightly_crawl

    night, back = nights.retry(state_folder(workshop(root, settings).catalog), name, reason)
    figures = nightly_crawl([name], root=root, settings=settings, now=night)[name]
    left = nights.report(state_folder(workshop(root, settings).catalog), name)["dead_letters"]
    text = "\n".join([f"{back} tried again, {len(left)} still dead", *_night(night.isoformat(), figures)])
    emit({"tried": back, "dead_letters": left, **figures}, as_json, text)


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

    if not found.allowed:
        told = f"DISALLOWED for {found.url}: nothing more was asked, and no crawl will ask"
        return f"shop      {found.url}\nrobots    {told}"
    robots = "allowed" + (f", Crawl-delay {found.crawl_delay:g} s" if found.crawl_delay else "")
    rule = media.forbidden(found.rules)
    pages, maps = sum(one["pages"] for one in found.sitemaps), len(found.sitemaps)
    browsers = {
        "no": "no, the plain HTML has the products" if found.read else "not known: no product was read",
        "yes": f"yes, {len(found.shells)} pages have their product only after their scripts ran",
        "perhaps": f"perhaps: {len(found.shells)} pages hold scripts and no product; install a Chromium to find out",
        "does not help": f"{len(found.shells)} pages hold scripts and no product, with a browser neither",
    }
    more = "at least " if found.partly else "about "
    lines = [
        f"shop      {found.url}",
        f"platform  {found.platform}" + (f", feed {found.feed['url']}" if found.feed else ""),
        f"robots    {robots}" + (f"; its pages say {rule}: NO PHOTO MAY BE TAKEN" if rule else ""),
        f"sitemap   {pages:,} pages in {maps} file{'s' * (maps > 1)}" if pages else "sitemap   none",
        f"products  {more}{found.products:,}, by {found.counted}" if found.products else "products  none found",
        f"browser   {browsers[found.browser]}",
        f"language  {found.language or 'not said'}",
    ]
    for row in found.read:
        price = f"{row['price'] or '?'} {row['currency'] or '?'}"
        lines.append(
            f"  read    {str(row['name'])[:40]}, {price}, {row['photos']} photos ({row['source']}) {_short(row['url'])}"
        )
        lines += [f"          missing: {', '.join(row['missing'])}"] if row["missing"] else []
    rendered = found.shells if found.browser == "yes" else []
    unread = [row for row in found.unread if row["url"] not in rendered]
    lines += [f"  unread  {_short(row['url'])}: {row['reason']}" for row in unread[:4]]
    lines += [f"  trouble {text}" for text in found.troubles[:4]]
    return "\n".join(lines)


def _short(url: str) -> str:
    return url if len(url) <= 100 else f"{url[:99]}…"
