"""What `generate` says again when nothing has changed since, without doit: the answer that still stands, its record."""
