"""A first look at a shop: what it says of itself, what its pages lack, what it allows, and the draft it leaves."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest_shop import Answer, listing_html, product_html

from crawlers import drafts, platforms, rendering, sites
from crawlers.errors import SiteError
from crawlers.fetch import Visitor
from crawlers.survey import survey

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
