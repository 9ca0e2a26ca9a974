"""A diagram as Mermaid, for programs that draw it themselves.

In: a diagram. Out: its text. Never: a name that Mermaid could take for a word of its own: boxes are numbered.
"""

from __future__ import annotations

from loom.build.document.diagram import Diagram

HEAD = "%% written by `loom doc`"


def mermaid(diagram: Diagram) -> str:
    names = {key: f"box{number}" for number, key in enumerate(diagram.boxes())}
    lines = [HEAD, "flowchart LR", f"    accTitle: {_plain(diagram.title)}"]
    for number, column in enumerate(diagram.columns):
        lines.append(f'    subgraph column{number}["{_plain(column.heading)}"]')
        lines += [f'        {names[box.key]}["{_plain(box.label)}"]' for box in column.boxes]
        lines.append("    end")
    lines += [f'    {names[one.start]} -->|"{_plain(one.label)}"| {names[one.end]}' for one in diagram.arrows]
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    return text.replace("#", "#35;").replace('"', "#quot;")
