"""What goes wrong with a release."""

from catalog.errors import LookbenchError


class ReleaseError(LookbenchError):
    """A release that cannot be written, read or published."""
