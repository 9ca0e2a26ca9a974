"""The Node backend: TypeScript services on Hono, drizzle and PostgreSQL."""

from loom.backends.node.backend import NodeBackend

BACKEND = NodeBackend()

__all__ = ["BACKEND"]
