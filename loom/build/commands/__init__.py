"""What the commands of `loom` show that no task does."""
