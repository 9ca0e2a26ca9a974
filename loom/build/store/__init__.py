"""Bytes by digest, results by key, folders as values: what outlives a run."""
