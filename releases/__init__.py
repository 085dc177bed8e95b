"""Releases: an edition assembled into subsets, gated, written, described, verified and published."""
