"""Macros and capabilities, written out as syntax trees."""

from loom.lower.expansion.expand import Capabilities, assigned_by, can_soft_delete, expand
from loom.lower.expansion.scaffold import is_update_only
from loom.lower.expansion.supplied import SUPPLIED, TENANT_CAPABILITIES, tenant_owned

__all__ = [
    "SUPPLIED",
    "TENANT_CAPABILITIES",
    "Capabilities",
    "assigned_by",
    "can_soft_delete",
    "expand",
    "is_update_only",
    "tenant_owned",
]
