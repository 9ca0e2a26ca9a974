"""Expressions, types and statements as TypeScript."""
