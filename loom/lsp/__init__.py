"""The language server: what an editor wants to know while a model is being written."""
