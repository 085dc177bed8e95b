"""The one error every room's errors derive from."""


class LookbenchError(Exception):
    """A failure a person can act on: its message says what, where, the value and the remedy.

    The command line prints the message alone and exits non-zero.
    """
