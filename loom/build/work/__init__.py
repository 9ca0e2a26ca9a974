"""The tasks as the engine sees them, whatever doit thinks of them."""
