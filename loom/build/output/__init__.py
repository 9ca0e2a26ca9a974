"""The output folder: the only thing that Loom writes for people, and what it never does to their edits."""
