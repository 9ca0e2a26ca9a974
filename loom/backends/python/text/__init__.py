"""How emitted Python looks: layout of long statements, import blocks."""
