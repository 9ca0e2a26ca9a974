"""The last answer of `generate`, given again without doit while nothing has changed, and how it is recorded."""
