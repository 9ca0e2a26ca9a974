"""Which declaration each name of a model means, with the places of both."""
