"""Data as YAML text: the only way in which this package makes YAML.

In: data. Out: text with a stable order and indented lists. Never: a line wrapped or an alias.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from loom.render.containers import Data, Quoted

if TYPE_CHECKING:
    from yaml import SafeDumper, ScalarNode


@cache
def _dumper() -> type[SafeDumper]:
    """Made when something is rendered: most runs load this module and render nothing."""
    from yaml import SafeDumper

    class Dumper(SafeDumper):
        """Indents lists below their key, as people write them."""

        def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
            del indentless
            super().increase_indent(flow, False)

        def ignore_aliases(self, data: object) -> bool:
            del data
            return True

    Dumper.add_representer(Quoted, _quoted)
    return Dumper


def _quoted(dumper: SafeDumper, text: Quoted) -> ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style="'")


def yaml_text(data: Mapping[str, Data], comment: str = "") -> str:
    """`data` below `comment`; keys keep their order."""
    import yaml

    head = "".join(f"# {line}\n" for line in comment.splitlines())
    return head + yaml.dump(_plain(data), Dumper=_dumper(), sort_keys=False, width=1 << 20, default_flow_style=False)


def _plain(data: Data) -> object:
    """Dicts and lists, which is what the dumper knows."""
    if isinstance(data, Mapping):
        return {key: _plain(value) for key, value in data.items()}
    if isinstance(data, Sequence) and not isinstance(data, str):
        return [_plain(item) for item in data]
    return data
