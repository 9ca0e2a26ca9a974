"""What runs inside the e2e sandbox: standard library only, so that any Python 3.11 can run it."""
