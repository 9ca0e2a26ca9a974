"""`.ddd` text in its one canonical layout."""

from loom.parse.formatter.edits import Edit, edits, format_lines
from loom.parse.formatter.format import Unreadable, format_text

__all__ = ["Edit", "Unreadable", "edits", "format_lines", "format_text"]
