"""The fashion taxonomy as data: categories, facets and values, their typed model, and text matching."""

from taxonomy.matching import Match, match
from taxonomy.model import Category, Facet, Mapping, Taxonomy, TaxonomyError, Value
from taxonomy.reader import PATH, load, read

__all__ = [
    "PATH",
    "Category",
    "Facet",
    "Mapping",
    "Match",
    "Taxonomy",
    "TaxonomyError",
    "Value",
    "load",
    "match",
    "read",
]
