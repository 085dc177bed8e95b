"""The version of the harness."""

__version__ = "0.1.0"
