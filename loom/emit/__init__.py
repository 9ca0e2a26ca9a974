"""Shared by all targets: what a backend is, how expressions and templates become text."""

from loom.emit.backend import Backend, DepsLock, Emitted, File, backend, backend_names, emit

__all__ = ["Backend", "DepsLock", "Emitted", "File", "backend", "backend_names", "emit"]
