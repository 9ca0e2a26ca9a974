"""Entities as tables, and how a database gets from one set of tables to the next."""
