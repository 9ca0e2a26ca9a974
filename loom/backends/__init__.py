"""One folder per target, found by looking; nothing else in Loom names one."""
