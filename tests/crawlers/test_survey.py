"""A first look at a shop: what it says of itself, what its pages lack, what it allows, and the draft it leaves."""

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from conftest_shop import Answer, jpeg, listing_html, product_html

from catalog.store import Catalog
from crawlers import drafts, platforms, rendering, run, sites
from crawlers.errors import SiteError
from crawlers.fetch import AnsweredError, Visitor
from crawlers.limits import CrawlLimits
from crawlers.survey import Survey, survey
from flows.site_commands import screen

AGENT = "LookBenchBot/0.1 (tests)"


def look(server, render=None, path="/"):
    return survey(server.url + path, Visitor(AGENT, allow_loopback=True), render)


def test_a_shop_with_a_sitemap(shop):
    found = look(shop)
    assert (found.platform, found.allowed, found.language, found.browser) == ("generic", True, "en", "no")
    assert (found.products, found.counted) == (6, "sitemap")  # the category's six are in no sitemap
    assert len(found.read) == 5
    for row in found.read:
        number = row["url"].rsplit("/", 1)[1]
        assert (row["name"], row["price"], row["currency"]) == (
            f"Linen Shirt {number}",
            f"{10 + int(number)}.50",
            "EUR",
        )
        assert row["photos"] == 2
        assert row["missing"] == ["breadcrumbs", "description"]
    assert shop.hits["/private/x"] == 0
    assert shop.hits["/robots.txt"] == 1


def test_a_shop_without_a_sitemap_is_read_by_its_links(shop):
    del shop.routes["/sitemap.xml"]
    found = look(shop)
    assert (found.counted, found.products, len(found.read)) == ("links of two pages", 3, 3)


def test_sections_of_a_sitemap_are_told_apart(server):
    urls = [f"/blog/{n}" for n in range(60)] + [f"/kleid/{n}" for n in range(40)]
    xml = "".join(f"<url><loc>{server.url}{url}</loc></url>" for url in urls)
    server.routes["/sitemap.xml"] = Answer(f"<urlset>{xml}</urlset>".encode(), kind="application/xml")
    server.routes["/"] = Answer(b'<html lang="de"><title>Laden</title><h1>Laden</h1>')
    for n in range(60):
        server.routes[f"/blog/{n}"] = Answer(b"<title>News</title><h1>News</h1><p>" + b"word " * 300)
    for n in range(40):
        server.routes[f"/kleid/{n}"] = Answer(product_html(n))
    found = look(server)
    assert (found.products, found.counted, len(found.read)) == (40, "sitemap", 5)
    assert server.hits.total() <= 25
    assert len({row["url"] for row in found.read}) == 5
    assert any(int(row["url"].rsplit("/", 1)[1]) > 30 for row in found.read), "samples are spread"


def test_languages_of_a_sitemap_are_one_shop(shop):
    shop.routes["/"] = Answer(b"", 302, {"Location": "/en/"})
    shop.routes["/en/"] = Answer(b'<html lang="en"><title>Testwick</title><h1>Testwick</h1>')
    urls = [f"{shop.url}/{place}/p/{n}" for place in ("de", "en") for n in range(6)]
    for url in urls:
        shop.routes[url.removeprefix(shop.url)] = Answer(
            product_html(int(url[-1])).replace(b'href="/p/', b'href="/en/p/')
        )
    xml = "".join(f"<url><loc>{url}</loc></url>" for url in urls)
    shop.routes["/sitemap.xml"] = Answer(f"<urlset>{xml}</urlset>".encode(), kind="application/xml")
    found = look(shop)
    assert (found.products, len(found.read)) == (6, 5)
    assert all("/en/p/" in row["url"] for row in found.read)


def test_refused_by_robots_or_by_the_pages(shop):
    shop.routes["/p/8"] = Answer(product_html(8, extra='<meta name="robots" content="noai">'))
    assert "noai" in look(shop).rules
    shop.routes["/robots.txt"] = Answer(b"User-agent: *\nDisallow: /\nCrawl-delay: 7\n", kind="text/plain")
    before = shop.hits.total()
    found = look(shop)
    assert (found.allowed, found.crawl_delay) == (False, 7)
    assert shop.hits.total() == before + 1
    site = drafts.draft(found, allow_loopback=True)
    assert (site.enabled, site.delay) == (False, 7)
    assert "robots.txt disallows" in site.note


def test_a_scripted_shop_needs_a_browser(server):
    shell = b'<html lang="en"><title>Shop</title><div id="app"></div><script src="/a.js"></script>'
    for n in range(6):
        server.routes[f"/products/{n}"] = Answer(shell)
    server.routes["/"] = Answer(listing_html(range(6)).replace(b"/p/", b"/products/"))
    assert look(server).browser == "perhaps"
    found = look(server, render=lambda url: product_html(3).decode())
    assert (found.browser, found.read[0]["name"]) == ("yes", "Linen Shirt 3")
    assert drafts.draft(found, allow_loopback=True).render == "auto"
    assert look(server, render=lambda url: shell.decode()).browser == "does not help"


def test_a_draft_is_a_site_file_and_is_never_written_over(shop, tmp_path):
    found = look(shop)
    path = drafts.write(drafts.draft(found, allow_loopback=True), tmp_path, shop.url)
    (site,) = sites.load(path)
    assert (site.start_urls, site.enabled, site.render, site.language) == ((found.url,), False, "never", "en")
    assert "Ask the shop first" in path.read_text()
    with pytest.raises(SiteError, match="exists already"):
        drafts.write(site, tmp_path, shop.url)


@pytest.mark.parametrize(
    ("markup", "system"),
    [
        ('<link href="//cdn.shopify.com/s/files/1/t.css">', "shopify"),
        ('<link href="/wp-content/plugins/woocommerce/assets/a.css">', "woocommerce"),
        ('<script type="text/x-magento-init">{}</script>', "magento"),
        ('<img src="/on/demandware.static/-/Sites/a.jpg">', "salesforce"),
        ("<p>We print on shirts and sell to shops that run on any system.</p>", "generic"),
    ],
)
def test_platforms(markup, system):
    assert platforms.of(markup.encode(), {}) == system
    assert platforms.of(b"", {"x-shopid": "1"}) == "shopify"


def test_a_shop_that_is_busy_or_refuses_is_told_as_that_and_left_alone(shop):
    shop.routes["/p/11"] = shop.routes["/p/6"] = Answer(b"slow down", 429)
    found = look(shop)
    assert [path for path, _ in shop.seen].count("/p/11") + [path for path, _ in shop.seen].count("/p/6") == 1
    assert shop.seen[-1][0] in {"/p/6", "/p/11"}, "it was asked again"
    (trouble,) = found.troubles
    assert trouble.endswith("answered 429: the shop wants no more requests now; try again later")
    shop.seen.clear()
    shop.routes["/"] = Answer(b"Forbidden", 403)
    with pytest.raises(AnsweredError, match="answered 403: the shop refuses this crawler; ask it") as refused:
        look(shop)
    assert refused.value.status == 403
    shop.routes["/robots.txt"] = Answer(b"", 503)
    shop.seen.clear()
    with pytest.raises(AnsweredError, match=r"robots\.txt answered 503: the shop is busy"):  # that disallows nothing
        look(shop)
    assert len(shop.seen) == 1


def test_a_long_crawl_delay_is_kept_by_looking_at_one_page(shop):
    shop.routes["/robots.txt"] = Answer(b"User-agent: *\nCrawl-delay: 3600\n", kind="text/plain")
    found = look(shop)
    assert [path for path, _ in shop.seen] == ["/robots.txt", "/"]
    assert found.troubles == ["3600 s must lie between two pages: only the home page was looked at"]
    assert drafts.draft(found, allow_loopback=True).delay == 600
    assert "not known: no product was read" in screen(found)


def test_what_a_screen_says_is_so(shop):
    del shop.routes["/sitemap.xml"]
    told = screen(look(shop))
    assert "sitemap   none" in told
    assert "trouble" not in told  # nobody named the sitemap that is not there
    shop.routes["/robots.txt"] = Answer(b"User-agent: *\nDisallow: /\n", kind="text/plain")
    lines = screen(look(shop)).splitlines()
    assert len(lines) == 2
    assert "DISALLOWED" in lines[1]


def test_more_sitemaps_than_are_read_are_told_as_at_least(server):
    names = [f"/map{number}.xml" for number in range(14)]
    index = "".join(f"<sitemap><loc>{server.url}{name}</loc></sitemap>" for name in names)
    server.routes["/sitemap.xml"] = Answer(f"<sitemapindex>{index}</sitemapindex>".encode(), kind="text/xml")
    padding = "<!--" + "x" * 11_000_000 + "-->"  # larger than any page may be, and no larger than sitemaps are
    for place, name in enumerate(names):
        urls = "".join(f"<url><loc>{server.url}/p/{place * 10 + n}</loc></url>" for n in range(10))
        body = f"<urlset>{padding if not place else ''}{urls}</urlset>"
        server.routes[name] = Answer(body.encode(), kind="text/xml")
    server.routes |= {f"/p/{n}": Answer(product_html(n)) for n in range(140)}
    server.routes["/"] = Answer(b'<html lang="en"><title>Shop</title><h1>Shop</h1>')
    found = look(server)
    assert (found.products, found.partly, len(found.sitemaps)) == (50, True, 12)
    assert "products  at least 50, by sitemap" in screen(found)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://www.bücher.example/", "xn--bcher-kva.example"),
        ("http://[2606:4700::1]:8080/", "2606-4700-1"),
        ("https://_shop.example/", "shop.example"),
        (f"https://{'long.' * 30}example/", ("long." * 12)),
    ],
)
def test_every_host_gives_a_site_file(url, name, tmp_path):
    path = drafts.write(drafts.draft(Survey(url)), tmp_path, url)
    assert path.name == f"{name[:60]}.yaml"
    (site,) = sites.load(path)
    assert site.start_urls == (url,)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["links", "shopify", "woocommerce"])
def test_a_crawl_with_the_draft_gets_what_was_promised(server, tmp_path, kind):
    head = {"links": "", "shopify": '<link href="//cdn.shopify.com/t.css">'}
    head["woocommerce"] = '<link href="/wp-content/plugins/woocommerce/a.css">'
    server.routes["/"] = Answer(listing_html(range(4)).replace(b"<head>", f"<head>{head[kind]}".encode()))
    server.routes |= {f"/p/{n}": Answer(product_html(n)) for n in range(6)}
    server.routes |= {
        f"/img/{n}-{shot}.jpg": Answer(jpeg(2 * n + shot), kind="image/jpeg") for n in range(6) for shot in (0, 1)
    }
    prices = {"price": "1150", "regular_price": "1150", "currency_code": "EUR", "currency_minor_unit": 2}
    goods = [
        {"id": n, "name": f"Linen Shirt {n}", "permalink": f"{server.url}/p/{n}", "prices": prices,
         "images": [{"src": f"{server.url}/img/{n}-0.jpg"}]}
        for n in range(6)
    ]  # fmt: skip
    variant = {"id": 1, "title": "S", "price": "11.50", "available": True}
    items = [
        {"id": n, "title": f"Linen Shirt {n}", "handle": f"p-{n}", "body_html": "", "variants": [variant],
         "images": [{"src": f"{server.url}/img/{n}-0.jpg"}]}
        for n in range(6)
    ]  # fmt: skip
    if kind == "shopify":
        server.routes["/products.json?limit=250&page=1"] = Answer(
            json.dumps({"products": items}).encode(), kind="application/json"
        )
        server.routes |= {
            f"/products/p-{n}": Answer(product_html(n).replace(b'href="/p/%d"' % n, b'href="/products/p-%d"' % n))
            for n in range(6)
        }
    elif kind == "woocommerce":
        server.routes["/wp-json/wc/store/v1/products?per_page=100&page=1"] = Answer(
            json.dumps(goods).encode(), kind="application/json", headers={"X-WP-Total": "6"}
        )
    found = look(server)
    assert (found.products, found.counted) == ((4, "links of two pages") if kind == "links" else (6, "feed"))
    path = drafts.write(drafts.draft(found, allow_loopback=True), tmp_path, server.url)
    text = path.read_text().replace("enabled: false", "enabled: true").replace("delay: 1.0", "delay: 0.0")
    path.write_text(text)
    limits = CrawlLimits(page_seconds=20, photo_seconds=20, retries=0, seconds=90)
    now = datetime(2026, 6, 1, 3, tzinfo=UTC)
    result = run.crawl(Catalog(tmp_path / "c"), sites.load(path), now=now, limits=limits, log=tmp_path / "log")
    (report,) = result.report.values()
    names = {row["name"] for row in Catalog(tmp_path / "c").read("products").to_pylist()}
    assert names == {f"Linen Shirt {n}" for n in range(found.products)}
    assert (report["ended"], report["errors"]) == ("finished", {})


@pytest.mark.slow
@pytest.mark.skipif(rendering.browser() is None, reason="no Chromium on this machine")
def test_the_command_looks_with_a_real_browser_and_leaves_a_draft(server, tmp_path):
    script = (
        b'<script>document.getElementById("app").innerHTML = "<main><h1>Peat Coat</h1><p class=price>\\u20ac80.00</p>'
    )
    script += b"<img src='/img/a.jpg' width=300 height=400><button>Add to bag</button></main>\"</script>"
    for n in range(6):
        server.routes[f"/products/{n}"] = Answer(
            b'<html lang="en"><title>Shop</title><div id="app"></div>' + script + b"<script>fetch('/secret')</script>"
        )
    server.routes["/"] = Answer(listing_html(range(6)).replace(b"/p/", b"/products/"))
    command = [sys.executable, "-m", "flows.cli", "site", "try", server.url + "/", "--json", "--allow-loopback"]
    done = subprocess.run(
        [*command, "--pause", "0", "--out", str(tmp_path)], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["browser"] == "yes"
    assert told["read"][0]["name"] == "Peat Coat"
    (drafted,) = sites.load(Path(told["draft"]))
    assert drafted.render == "auto"
