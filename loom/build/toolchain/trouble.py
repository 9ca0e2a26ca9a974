"""Why a toolchain cannot be had.

In: nothing. Out: exceptions whose messages are for people. Never: anything heavy: most runs only have to name them.
"""

from __future__ import annotations


class FetchError(Exception):
    """A package could not be had; the message is the tool's own, or what to install."""


class PackageGone(FetchError):
    """The archive no longer has the locked version."""


class RootError(Exception):
    """A root was laid but does not work; the message has the tool's own words."""
