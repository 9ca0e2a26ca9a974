"""The program as everything that all targets must agree on; `stage.py` is the way in.

Nothing is imported here: whoever needs one of the types would pay for all of planning.
"""
