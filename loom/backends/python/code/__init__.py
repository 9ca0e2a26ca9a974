"""Types, expressions, queries and bodies as Python."""
