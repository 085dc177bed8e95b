"""What goes wrong while crawling, in sentences a person can act on."""

from catalog.errors import LookbenchError


class CrawlError(LookbenchError):
    """A site that is down, empty or misdescribed; the message names the site."""


class SiteError(CrawlError):
    """A site file with an unknown key or an impossible value; the message names the file and the key."""
