"""Winnow harvests structured data and keeps only what can be trusted."""

__version__ = "0.1.0"
