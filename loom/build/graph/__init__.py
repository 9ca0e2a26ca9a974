"""The tasks of a project as a graph: what each needs, what each reads, and how that is asked, told and drawn."""
