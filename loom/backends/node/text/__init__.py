"""How TypeScript is laid out: shapes of statements, import blocks."""
