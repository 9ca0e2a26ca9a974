"""Statements of every kind of body, with their targets resolved."""
