"""Projections: rows folded from events, and queries over what is stored."""
