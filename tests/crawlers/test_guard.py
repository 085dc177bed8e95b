"""The guard: which addresses a crawl may connect to."""

import ipaddress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawlers import guard

REFUSED = [
    "127.0.0.1",
    "127.8.8.8",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "0.0.0.0",
    "100.64.0.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::1",
    "::",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd12::1",
    "ff02::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "2002:7f00:1::",
    "2001:db8::1",
    "192.0.2.1",
    "198.18.0.1",
    "fec0::1",  # site-local, RFC 3879
    "::127.0.0.1",
    "::ffff:0:7f00:1",
    "2001:0:4136:e378:8000:63bf:f5ff:fffe",  # Teredo of 10.0.0.1
    "4000::1",
    "no address",
]


@pytest.mark.parametrize("address", REFUSED)
def test_refused(address):
    assert guard.refusal(address)


@pytest.mark.parametrize("address", ["93.184.216.34", "8.8.8.8", "2606:4700::1111", "64:ff9b::808:808"])
def test_public(address):
    assert guard.refusal(address) is None


def test_loopback_only_where_the_site_allows_it():
    assert guard.refusal("127.0.0.1", allow_loopback=True) is None
    assert guard.refusal("::1", allow_loopback=True) is None
    assert guard.refusal("::ffff:127.0.0.1", allow_loopback=True) is None
    assert guard.refusal("10.0.0.1", allow_loopback=True)
    hosts = frozenset({"127.0.0.1"})
    assert guard.check_url("http://127.0.0.1:8000/x", hosts) is None
    assert guard.check_url("http://[::1]:8000/x", hosts)
    assert guard.check_url("http://localhost/", hosts)


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://x/y",
        "data:text/html,x",
        "gopher://x/",
        "http://",
        "http://[zz/",
        "http://169.254.169.254/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://0177.0.0.1/",
        "http://127.1:8000/",
        "http://0/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::1]/",
        "http://[fe80::1%25eth0]/",
        "http://127.0.0.1./",
        "http://localhost./",
        "http://shop.localhost/",
        "http://shop.example:pw@10.0.0.1/",
        "http://me@shop.example/",
        "http://shop.example\\@10.0.0.1/",
    ],
)
def test_urls_refused(url):
    assert guard.check_url(url)


@settings(max_examples=200, deadline=None)
@given(st.ip_addresses(v=4))
def test_agrees_with_the_registry_of_global_addresses(ip):
    assert (guard.refusal(str(ip)) is None) == (ip.is_global and not ip.is_multicast)
    assert guard.refusal(f"::ffff:{ip}") == guard.refusal(str(ipaddress.ip_address(ip)))
    assert guard.check_url(f"http://{int(ip)}/") == guard.check_url(f"http://{ip}/") == guard.refusal(str(ip))


@settings(max_examples=200, deadline=None)
@given(st.ip_addresses(v=6))
def test_no_address_outside_global_unicast_is_public(ip):
    if str(ip).startswith("64:ff9b::") or ip.ipv4_mapped:
        return
    if not 0x2 <= int(ip) >> 124 <= 0x3:
        assert guard.refusal(str(ip))


def test_resolver_hands_out_permitted_addresses_only():
    class Address:
        def __init__(self, host):
            self.host = host

    class Receiver:
        def __init__(self):
            self.got = []

        def resolutionBegan(self, resolution):  # noqa: N802
            pass

        def resolutionComplete(self):  # noqa: N802
            pass

        def addressResolved(self, address):  # noqa: N802
            self.got.append(address.host)

    class Inner:
        def resolveHostName(self, receiver, host, *args, **kwargs):  # noqa: N802
            for address in ("10.0.0.1", "93.184.216.34", "127.0.0.1"):
                receiver.addressResolved(Address(address))

    class Reactor:
        nameResolver = Inner()  # noqa: N815

    receiver = Receiver()
    guard.Resolver(Reactor(), frozenset()).resolveHostName(receiver, "rebind.example", 80)
    assert receiver.got == ["93.184.216.34"]
    assert "rebind.example" in guard.refused
    receiver = Receiver()
    guard.Resolver(Reactor(), frozenset({"demo.example"})).resolveHostName(receiver, "demo.example", 80)
    assert receiver.got == ["93.184.216.34", "127.0.0.1"]
