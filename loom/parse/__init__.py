"""Text of `.ddd` files to syntax trees."""

from loom.parse.codec import decode_context, decode_file, dump, load
from loom.parse.parser import imports, parse
from loom.parse.printer import show
from loom.parse.report import report
from loom.parse.result import Origins, ParseResult
from loom.parse.tables import tables

__all__ = [
    "Origins",
    "ParseResult",
    "decode_context",
    "decode_file",
    "dump",
    "imports",
    "load",
    "parse",
    "report",
    "show",
    "tables",
]
