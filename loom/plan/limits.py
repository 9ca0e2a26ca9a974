"""What bounds a service, whatever it is written in: clients and operators notice when it is reached.

In: nothing. Out: two values, the same for every service.
"""

from __future__ import annotations

from loom.base import Value


class LimitsPlan(Value):
    """All but `head_bytes` can be set in the environment of a service.

    `request_seconds` is how long the head of a request may take to arrive, and then its body. A service holds at most
    `database_connections`, and a request waits `database_seconds` for one that others use. Told to stop, it takes
    requests for `drain_seconds` and then has `grace_seconds` for the answers that are due.
    """

    head_bytes: int = 16_384
    body_bytes: int = 1_048_576
    request_seconds: int = 30
    drain_seconds: int = 5
    grace_seconds: int = 20
    database_connections: int = 20
    database_seconds: int = 30


class ProbePlan(Value):
    """How a service is asked how it is, in seconds.

    Its image asks every `alive_interval` whether it lives; whoever runs it asks every `ready_interval` whether it can
    answer requests, and every `starting_interval` until then, and gives up after `ready_failures` in a row. An answer
    may take `timeout`, and for `start` after the start a failure does not count.
    """

    alive_interval: int = 10
    ready_interval: int = 5
    starting_interval: int = 1
    ready_failures: int = 10
    timeout: int = 3
    start: int = 30
