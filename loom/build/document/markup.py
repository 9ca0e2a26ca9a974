"""Elements of HTML, and the style of the page.

In: text, and elements that are made. Out: elements as text. Never: text that is not escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from loom.build.document.diagram import Diagram
from loom.build.document.mermaid import mermaid
from loom.build.document.svg import svg

STYLE = """
:root{color-scheme:light dark;--paper:#fff;--ink:#1c2430;--soft:#566072;--line:#c3cad5;--band:#f3f5f9;--link:#0b57a4;
--one:#e3effb;--two:#e6f4ea;--three:#fff0d6}
@media(prefers-color-scheme:dark){:root{--paper:#14181f;--ink:#e6e9ef;--soft:#a5afbf;--line:#46505f;--band:#1d232d;
--link:#8ec3ff;--one:#1d3a57;--two:#1e4230;--three:#4d3a16}}
*{box-sizing:border-box}html{scroll-padding-top:1rem}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,"Segoe UI","DejaVu Sans",sans-serif}
a{color:var(--link)}a:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-999px}.skip:focus{left:1rem;top:1rem;background:var(--paper);padding:.5rem}
.sheet{display:grid;grid-template-columns:17rem minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1rem;border-right:1px solid var(--line);font-size:.9rem}
nav ul{list-style:none;margin:0;padding-left:.8rem}nav>ul{padding:0}nav summary{cursor:pointer}
main{padding:1rem 2rem 4rem;max-width:90rem}
h1{margin:.2rem 0}h2{margin-top:3rem;border-bottom:2px solid var(--line)}h4{margin:1.6rem 0 .3rem}
.line{font-size:.8rem;font-weight:normal;margin-left:.6rem}.soft{color:var(--soft)}
table{border-collapse:collapse;margin:.5rem 0}th,td{text-align:left;vertical-align:top;padding:.25rem .9rem .25rem 0;
border-bottom:1px solid var(--line)}caption{text-align:left;font-weight:600}
.scroll{overflow-x:auto}code,pre{font-family:ui-monospace,"DejaVu Sans Mono",Consolas,monospace;font-size:.86rem}
pre{background:var(--band);padding:.8rem;overflow-x:auto}figure{margin:1rem 0}figcaption{color:var(--soft)}
svg text{font:13px ui-monospace,"DejaVu Sans Mono",Consolas,monospace;fill:var(--ink);text-anchor:middle}
svg text.heading{text-anchor:start;fill:var(--soft);font-weight:bold}
svg rect{stroke:var(--line);stroke-width:1.5}svg a:hover rect,svg a:focus rect{stroke:var(--link);stroke-width:3}
.column0{fill:var(--one)}.column1{fill:var(--two)}.column2{fill:var(--three)}
.arrow{fill:none;stroke:var(--soft);stroke-width:1.4}.arrow:hover{stroke:var(--link);stroke-width:3}
.source span{display:block;min-height:1.3em}
.source span::before{content:attr(data-line);display:inline-block;width:3.5em;
color:var(--soft);user-select:none}
:target{background:var(--three);scroll-margin-top:1rem}
@media(max-width:50rem){.sheet{display:block}nav{position:static;height:auto;border:0}main{padding:1rem}}
@media print{nav{display:none}.sheet{display:block}}
"""


def code(text: str) -> str:
    return f"<code>{escape(text)}</code>"


def link(anchor: str, text: str) -> str:
    return f'<a href="#{escape(anchor)}">{escape(text)}</a>'


def links(pairs: Iterable[tuple[str, str]]) -> str:
    """Links to the declarations of these anchors and names, or that there are none."""
    return ", ".join(link(*pair) for pair in pairs) or "none"


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Rows of cells that are elements already; nothing when there are no rows."""
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>\n" for row in rows)
    if not body:
        return ""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in heads)
    return (
        f'<div class="scroll"><table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>\n'
        f"<tbody>{body}</tbody></table></div>\n"
    )


def figure(diagram: Diagram) -> str:
    """The picture, what it shows in words, and its Mermaid source."""
    if not diagram.columns:
        return ""
    boxes = diagram.boxes()
    said = "".join(
        f"<li>{escape(boxes[one.start].label)} → {escape(boxes[one.end].label)}: {escape(one.label)}</li>\n"
        for one in diagram.arrows
    )
    words = f"<ul>{said}</ul>" if said else "<p>Nothing in it leads to anything else.</p>"
    return (
        f'<figure><div class="scroll">{svg(diagram)}</div><figcaption>{escape(diagram.title)}</figcaption>\n'
        f'<details><summary>The same in words</summary><div id="words-{escape(diagram.name)}">{words}</div></details>\n'
        f"<details><summary>Mermaid</summary><pre>{escape(mermaid(diagram))}</pre></details></figure>\n"
    )
