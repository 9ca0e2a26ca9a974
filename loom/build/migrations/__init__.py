"""The committed history of a system's databases: read, compared with, and added to."""
