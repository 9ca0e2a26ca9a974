"""What names mean: shapes of declarations, tables of a context, types, frames."""
