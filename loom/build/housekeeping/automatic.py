"""Tidies a store at the end of a run, when it is due and nobody else uses it.

In: a project, its lease, the keys of its run. Out: what to tell. Never: a wait, or a run that fails for it.
"""

from __future__ import annotations

from loom.build.housekeeping.lease import Lease, alone
from loom.build.housekeeping.mark import is_due
from loom.build.project.settings import Project


def tidied(project: Project, lease: Lease, keys: set[str]) -> str:
    """Empty when there was nothing to do."""
    try:
        if not is_due(project.store, project.keep):
            return ""
        lease.release()
        return _tidied(project, keys)
    except OSError:
        return ""


def _tidied(project: Project, keys: set[str]) -> str:
    """What tidying needs is loaded once a day."""
    from loom.build.housekeeping.collect import collect
    from loom.build.housekeeping.commands import told
    from loom.build.housekeeping.pins import pinned

    own = alone(project.store, wait=False)
    if own is None:
        return ""
    try:
        done = collect(project.store, project.keep, pinned(project) | keys)
    finally:
        own.release()
    return told(done) if done.results + done.blobs + done.folders else ""
