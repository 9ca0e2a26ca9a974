"""Histories that no context of the model goes on with: it was renamed or removed, and its tables may hold rows.

In: a system and the names of its contexts, what is recorded. Out: the histories left over, diagnostics.
Never: a guess which context was renamed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loom.base import Diagnostic, snake, words
from loom.ir.places import Places
from loom.plan.database.problems import MigrationDestructive, MigrationPending
from loom.plan.history import Recorded


def abandoned(system: str, contexts: Iterable[str], recorded: Recorded) -> Recorded:
    """What is recorded of contexts that are none of `contexts`."""
    known = {f"{system}/{snake(words(name))}" for name in contexts}
    left = tuple(item for item in recorded.histories if item.folder not in known)
    return recorded.model_copy(update={"histories": left})


def abandoned_problems(left: Recorded, places: Places) -> Iterator[Diagnostic]:
    """To drop the tables of a context needs a decision, as it does for those of an aggregate."""
    for item in left.histories:
        if not left.may_lose_data:
            named = "`, `".join(item.tables)
            yield MigrationDestructive(at=places.at(), case="context", context=item.folder, name=named)
        if left.is_closed:
            yield MigrationPending(at=places.at(), context=item.folder)
