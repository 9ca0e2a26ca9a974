"""Workflows: their state, what starts and continues them, and what they answer."""
