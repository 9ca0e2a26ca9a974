"""Rules of meaning that no single declaration shows."""

from loom.validate.checks import validate_context, validate_shared, validate_system, validate_wiring

__all__ = ["validate_context", "validate_shared", "validate_system", "validate_wiring"]
