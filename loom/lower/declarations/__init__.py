"""Declarations of a context: types, aggregates, repositories."""
