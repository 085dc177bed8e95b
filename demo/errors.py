"""What can go wrong with the shop, in one sentence each."""


class ShopError(Exception):
    """The shop cannot be built or opened; the message says what, where and what to do."""
