"""The version of the harness."""

VERSION = "0.1.0"
