"""Declarations of a context as every service must know them."""
