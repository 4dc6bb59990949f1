"""Releases of tables: quasi-identifiers as ranges and broader groups."""

from covey.release.table.model import PublishedColumn, TableRelease

__all__ = ["PublishedColumn", "TableRelease"]
