"""Everything made a second time in another world, to see whether it is the same."""
