"""The database side of a service: tables, rows, repositories, queries."""
