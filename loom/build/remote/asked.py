"""The wish that actions run remotely, on the terms that are said elsewhere.

In: nothing. Out: the name of the variable that says so, as the option `--remote-exec` does. Never: anything to load.
"""

ASKED = "LOOM_REMOTE_EXEC"
