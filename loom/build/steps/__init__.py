"""The pure stages, each done once for each key."""
