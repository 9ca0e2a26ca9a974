"""What every model has without declaring it: members of built-in types, and the prelude."""
