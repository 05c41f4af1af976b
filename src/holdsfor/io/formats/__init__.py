"""Reads files with a header or a schema as tables in pieces: CSV, JSON lines, JSON documents and Parquet."""

from holdsfor.io.formats.choice import columns_of, format_of, parts
from holdsfor.io.formats.part import TablePart, require_columns, table_part

__all__ = ["TablePart", "columns_of", "format_of", "parts", "require_columns", "table_part"]
