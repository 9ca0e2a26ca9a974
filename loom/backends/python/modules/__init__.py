"""What each emitted module says: domain, storage, messages, routes, workflows, tests."""
