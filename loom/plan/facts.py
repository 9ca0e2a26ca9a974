"""What the system says about one context: its storage's names and the style of its urls.

In: the system. Out: ContextFacts, small enough that another context's change leaves it equal.
Never: deployables.
"""

from __future__ import annotations

from loom.base import Value
from loom.ir.deployment import System
from loom.plan import names
from loom.plan.isolation import SQL, strictest


class ContextFacts(Value):
    """`indexes` are (entity, fields) pairs; `schema_name` is never empty.

    With `resource_style` an operation's path segment is a plural noun. `isolation` is the level of transactions that
    name none, in the words of SQL, or empty.
    """

    schema_name: str
    table_prefix: str = ""
    indexes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    resource_style: bool = False
    isolation: str = ""


def context_facts(system: System, context: str) -> ContextFacts:
    """The facts of one context, from its state resource and the apis over its subdomain."""
    states = [item for item in system.resources if item.context == context and item.kind == "state"]
    subdomains = {item.name for item in system.subdomains if context in item.contexts}
    return ContextFacts(
        schema_name=next((item.schema_name for item in states if item.schema_name), names.schema_name(context)),
        table_prefix=next((item.table_prefix for item in states if item.table_prefix), ""),
        indexes=tuple(index for item in states for index in item.indexes),
        isolation=strictest(SQL[item.isolation] for item in states if item.isolation),
        resource_style=any(api.resource_style for api in system.apis if api.subdomain in subdomains),
    )
