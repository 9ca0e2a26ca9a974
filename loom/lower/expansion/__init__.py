"""Macros and capabilities, written out as syntax trees."""

from loom.lower.expansion.expand import Capabilities, can_soft_delete, expand
from loom.lower.expansion.supplied import SUPPLIED

__all__ = ["SUPPLIED", "Capabilities", "can_soft_delete", "expand"]
