"""Hops through TLS: who answers must be who the address names, and every hop's address is checked like the first."""

import ipaddress
import ssl
from datetime import UTC, datetime, timedelta

import pytest
from conftest_shop import Answer, Server, jpeg, product_html
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from catalog.store import Catalog
from crawlers import fetch, run
from crawlers.errors import CrawlError
from crawlers.limits import CrawlLimits
from crawlers.sites import Site

NOW = datetime(2026, 6, 1, 3, tzinfo=UTC)


class Authority:
    """Makes certificates; ``file`` is its own, which whoever trusts it is given."""

    def __init__(self, folder):
        self.folder, self.key = folder, ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Testwick Authority")])
        self.file = folder / "authority.pem"
        own = x509.BasicConstraints(ca=True, path_length=0)
        self.file.write_bytes(self.signed(self.name, self.key, [(own, True)]))

    def signed(self, subject, key, extensions, days=30):
        begin = datetime.now(UTC) - timedelta(days=60)
        made = x509.CertificateBuilder().issuer_name(self.name).subject_name(subject).public_key(key.public_key())
        made = made.serial_number(x509.random_serial_number()).not_valid_before(begin)
        made = made.not_valid_after(datetime.now(UTC) + timedelta(days=days))
        for extension, critical in extensions:
            made = made.add_extension(extension, critical)
        return made.sign(self.key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)

    def context(self, host, days=30):
        """Return the context of a server that shows a certificate for ``host``."""
        key = ec.generate_private_key(ec.SECP256R1())
        try:
            named = x509.IPAddress(ipaddress.ip_address(host))
        except ValueError:
            named = x509.DNSName(host)
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
        file = self.folder / f"{host}{days}.pem"
        plain = serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
        private = key.private_bytes(serialization.Encoding.PEM, *plain)
        file.write_bytes(private + self.signed(subject, key, [(x509.SubjectAlternativeName([named]), False)], days))
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        made.load_cert_chain(file)
        return made


def secured(context):
    made = Server()
    made.httpd.socket = context.wrap_socket(made.httpd.socket, server_side=True)
    made.url = made.url.replace("http:", "https:")
    return made


@pytest.fixture
def authority(tmp_path, monkeypatch):
    folder = tmp_path / "tls"
    folder.mkdir()
    made = Authority(folder)
    monkeypatch.setenv("SSL_CERT_FILE", str(made.file))
    return made


@pytest.fixture
def good(authority):
    made = secured(authority.context("127.0.0.1"))
    yield made
    made.close()


@pytest.fixture(params=["unknown authority", "other name", "expired"])
def bad(authority, request, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    contexts = {
        "unknown authority": lambda: Authority(other).context("127.0.0.1"),
        "other name": lambda: authority.context("other.example"),
        "expired": lambda: authority.context("127.0.0.1", days=-1),
    }
    made = secured(contexts[request.param]())
    yield made
    made.close()


def away(url):
    return Answer(status=302, headers={"Location": url})


def crawl(server, tmp_path):
    where = Site(
        name="testwick",
        start_urls=[server.url + "/"],
        allow_loopback=True,
        delay=0,
        render="never",
        platform="generic",
        discover=["category"],
    )
    limits = CrawlLimits(page_seconds=20, photo_seconds=20, retries=0, seconds=90)
    return run.crawl(Catalog(tmp_path / "c"), [where], now=NOW, limits=limits, log=tmp_path / "log")


def rows(result, server):
    return {row["id"].removeprefix(server.url): (row["outcome"], row["reason"]) for row in result.ledger.to_pylist()}


@pytest.mark.slow
def test_every_hop_through_tls_is_checked(server, good, tmp_path):
    port, secure = server.url.rpartition(":")[2], good.url.rpartition(":")[2]
    ends = {
        "whole": f"{server.url}/p/1",
        "metadata": "http://169.254.169.254/latest/",
        "metadata-tls": "https://169.254.169.254/latest/",
        "file": "file:///etc/passwd",
        "name": f"http://localhost:{port}/secret",
        "name-tls": f"https://localhost:{secure}/secret",
        "number": f"https://2130706433:{secure}/secret",
        "user": f"https://a:b@127.0.0.1:{secure}/secret",
    }
    for name, end in ends.items():
        server.routes[f"/hop/{name}"] = away(f"{good.url}/hop/{name}")
        good.routes[f"/hop/{name}"] = away(f"{server.url}/back/{name}")
        server.routes[f"/back/{name}"] = away(f"{good.url}/last/{name}")
        good.routes[f"/last/{name}"] = away(end)
    server.routes["/p/1"] = Answer(product_html(1, photos=0).replace(b'"image": []', b'"image": ["/img/1.jpg"]'))
    server.routes["/img/1.jpg"] = away(f"{good.url}/img/1.jpg")
    good.routes["/img/1.jpg"] = Answer(jpeg(1), kind="image/jpeg")
    tiles = "".join(f'<li><a href="/hop/{name}"><img src="/img/1.jpg"></a></li>' for name in ends)
    server.routes["/"] = Answer(f"<!doctype html><title>shop</title><h1>Shop</h1><ul>{tiles}</ul>".encode())
    result = crawl(server, tmp_path)
    found = rows(result, server)
    assert found["/hop/whole"] == ("kept", "product")
    assert found["/img/1.jpg"] == ("kept", "new")
    assert found["/hop/file"] == ("dropped", "bad_redirect")
    others = {name for name in ends if name not in {"whole", "file"}}
    assert {found[f"/hop/{name}"] for name in others} == {("dropped", "refused_address")}
    assert server.hits["/secret"] == good.hits["/secret"] == 0
    assert good.hits["/last/file"] == 1


@pytest.mark.slow
def test_a_server_that_is_not_who_it_says_gives_nothing(server, bad, tmp_path):
    photos = f'"image": ["/img/1.jpg", "{bad.url}/img/2.jpg"]'.encode()
    server.routes["/p/1"] = Answer(product_html(1, photos=0).replace(b'"image": []', photos))
    bad.routes["/p/2"] = Answer(product_html(2, photos=0))
    server.routes["/p/2"] = away(f"{bad.url}/p/2")
    server.routes["/img/1.jpg"] = bad.routes["/img/2.jpg"] = Answer(jpeg(1), kind="image/jpeg")
    tiles = "".join(f'<li><a href="{url}"><img src="/t.jpg"></a></li>' for url in ("/p/1", "/p/2"))
    server.routes["/"] = Answer(f"<!doctype html><title>shop</title><h1>Shop</h1><ul>{tiles}</ul>".encode())
    found = rows(crawl(server, tmp_path), server)
    assert found["/p/1"] == ("kept", "product")
    assert found["/p/2"] == found[f"{bad.url}/img/2.jpg"] == ("dropped", "certificate")
    assert bad.seen == []
    with pytest.raises(CrawlError, match="certificate verify failed"):
        fetch.Visitor("LookBenchBot/0.1 (tests)", allow_loopback=True).get(bad.url + "/p/3")


def test_a_visitor_follows_hops_through_tls_and_checks_each(server, good):
    visitor = fetch.Visitor("LookBenchBot/0.1 (tests)", allow_loopback=True)
    server.routes["/a"] = away(f"{good.url}/b")
    good.routes["/b"] = away(f"{server.url}/c")
    server.routes["/c"] = Answer(b"<h1>whole</h1>")
    assert visitor.get(server.url + "/a").body == b"<h1>whole</h1>"
    for end, words in (("http://169.254.169.254/", "not a public"), ("file:///etc/passwd", "never fetched")):
        good.routes["/b"] = away(end)
        with pytest.raises(CrawlError, match=words):
            visitor.get(server.url + "/a")
