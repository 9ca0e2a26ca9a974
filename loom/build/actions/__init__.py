"""Commands as values, run in a sandbox once for each key."""
