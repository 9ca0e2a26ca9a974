"""Statements as steps, and questions about trees of expressions."""
