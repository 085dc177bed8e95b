"""Page objects of the example shop: what its pages say in a way that no reader can guess.

Only the fields given here go before the reader's; a field that is None stays as read, and so does the whole page when
its page object raises.
"""

from typing import Any

from web_poet import WebPage, field, handle_urls


@handle_urls("shop.example/products/")
class ExampleProduct(WebPage[dict[str, Any]]):
    """A product whose colour stands in its breadcrumbs, and whose brand is the shop's own."""

    @field
    def color(self) -> str | None:
        """Return the last step of the trail."""
        found: str | None = self.css("nav.trail a:last-child::text").get()
        return found

    @field
    def brand(self) -> dict[str, str]:
        """Return the house brand."""
        return {"name": "Example"}
