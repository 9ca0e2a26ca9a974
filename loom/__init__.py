"""Loom: one `.ddd` model in, several services out, proved by hermetic builds."""
