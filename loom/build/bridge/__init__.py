"""How doit runs the engine: it orders the tasks, the digests decide."""
