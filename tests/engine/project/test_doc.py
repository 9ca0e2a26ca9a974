"""`loom doc`: what the page says, how a browser shows it, and what is never overwritten."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.bench.synth import Size, write
from tests.engine.project.browser import asked
from tests.engine.project.test_format import loom

MODEL = """\
enum SoilClass { Loam, Peat }
context PlotKeeping {
    event PlotLet { plot: GardenPlot id }

    aggregate GardenPlot with crudish {
        class: SoilClass
        HTTPLink: string
        label: string = "<b> & #"
        operation hire() { emit PlotLet { plot: id } }
    }

    repository GardenPlots for GardenPlot {}

    workflow HireGardenPlot {
        create(plot: GardenPlot id) {
            let found = GardenPlots.getById(plot)
            found.hire()
        }
    }
}
context ToolShed {
    aggregate HandTool with crudish {
        usedOn: GardenPlot id
        end: string
    }
}
system GardenPlots {
    storage primaryDatabase { type: postgres }
    resource plotState { for: PlotKeeping, kind: state, use: primaryDatabase }
    resource toolState { for: ToolShed, kind: state, use: primaryDatabase }
    deployable PlotService { platform: python, contexts: [PlotKeeping, ToolShed], dataSources: [plotState, toolState] }
}
"""

# What must hold for each page; each function gives what is wrong.
LINKS = "return [...document.querySelectorAll('a')].map(a=>a.getAttribute('href'))" \
    ".filter(h=>!h.startsWith('#')||!document.getElementById(decodeURIComponent(h.slice(1))))"  # fmt: skip
TWICE = "const ids=[...document.querySelectorAll('[id]')].map(e=>e.id);return ids.filter((x,i)=>ids.indexOf(x)!==i)"
HEADINGS = """let last=0;const wrong=[];
for(const h of document.querySelectorAll('h1,h2,h3,h4,h5')){const n=+h.tagName[1];
if(n>last+1)wrong.push(h.textContent);last=n}
if(document.querySelectorAll('h1').length!==1)wrong.push('h1');return wrong"""
PICTURES = """return [...document.querySelectorAll('svg')].filter(s=>
!document.getElementById(s.getAttribute('aria-labelledby'))?.textContent||
!document.getElementById(s.getAttribute('aria-describedby'))?.textContent).length"""
FOREIGN = "return [...document.querySelectorAll('[src],link')].map(e=>e.outerHTML).concat(" \
    "performance.getEntriesByType('resource').map(e=>e.name))"  # fmt: skip
WIDE = "return document.documentElement.scrollWidth-document.documentElement.clientWidth"
FITS = """return [...document.querySelectorAll('svg a')].filter(a=>{
const [r,t]=[a.querySelector('rect').getBBox(),a.querySelector('text').getBBox()];
return t.x<r.x||t.x+t.width>r.x+r.width}).map(a=>a.textContent)"""
APART = """const wrong=[];for(const s of document.querySelectorAll('svg')){
const r=[...s.querySelectorAll('rect')].map(e=>e.getBBox());
r.forEach((a,i)=>r.slice(i+1).forEach(b=>{
if(a.x<b.x+b.width&&b.x<a.x+a.width&&a.y<b.y+b.height&&b.y<a.y+a.height)
wrong.push(s.textContent.slice(0,40))}))}return wrong"""
CONTRAST = """const level=c=>{
const [r,g,b]=c.match(/[\\d.]+/g).map(v=>{v/=255;return v<=.03928?v/12.92:((v+.055)/1.055)**2.4});
return .2126*r+.7152*g+.0722*b};
const ratio=(a,b)=>{const [x,y]=[level(a),level(b)].sort((p,q)=>q-p);return (x+.05)/(y+.05)};
const paper=getComputedStyle(document.body).backgroundColor;const wrong=[];
for(const e of document.querySelectorAll('main p,main a,main th,main td,h1,h2,nav a,figcaption,pre span'))
if(ratio(getComputedStyle(e).color,paper)<4.5)wrong.push(e.textContent.slice(0,40));
for(const a of document.querySelectorAll('svg a'))
if(ratio(getComputedStyle(a.querySelector('text')).fill,getComputedStyle(a.querySelector('rect')).fill)<4.5)
wrong.push(a.textContent);
return wrong"""
SCHEME = "return matchMedia('(prefers-color-scheme:dark)').matches?'dark':'light'"


@pytest.fixture(scope="module")
def garden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("garden")
    (folder / "loom.yaml").write_text("systems: {garden: {entry: main.ddd}}\nstore: .store\n")
    (folder / "main.ddd").write_text(MODEL)
    done = loom(folder, "doc")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "wrote doc/garden.html"
    return folder


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("quarry")
    write(Size(1, 50, 1), folder)
    with (folder / "loom.yaml").open("a") as settings:
        settings.write("store: .store\n")
    assert loom(folder, "doc", "pages").returncode == 0
    return folder / "pages/quarry.html"


@pytest.fixture(params=["garden", "large"])
def page(request: pytest.FixtureRequest) -> Path:
    found = request.getfixturevalue(request.param)
    assert isinstance(found, Path)
    return found / "doc/garden.html" if request.param == "garden" else found


def test_every_link_leads_to_one_place_of_the_page(page: Path) -> None:
    assert asked(page, LINKS) == asked(page, TWICE) == []


def test_the_page_is_all_there_is(page: Path) -> None:
    assert asked(page, FOREIGN) == []


def test_headings_and_pictures_can_be_heard(page: Path) -> None:
    assert asked(page, HEADINGS) == []
    assert asked(page, PICTURES) == 0


@pytest.mark.parametrize("width", [500, 1280])
def test_nothing_sticks_out_and_labels_fit_their_boxes(page: Path, width: int) -> None:
    assert asked(page, WIDE, width=width) <= 0
    assert asked(page, FITS, width=width) == asked(page, APART, width=width) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_light_and_in_dark(page: Path, scheme: str) -> None:
    assert asked(page, SCHEME, scheme=scheme) == scheme
    assert asked(page, CONTRAST, scheme=scheme) == []


@pytest.mark.parametrize(
    ("before", "after", "script"),
    [('href="#deployment"', 'href="#nowhere"', LINKS), ('id="model"', 'id="deployment"', TWICE),
     ("<h3>Aggregates", "<h5>Aggregates", HEADINGS), ("--ink:#1c2430", "--ink:#d0d0d0", CONTRAST),
     (".scroll{overflow-x:auto}", ".scroll{min-width:3000px}", f"const w=(()=>{{{WIDE}}})();return w>0?[w]:[]"),
     ("<h1>", '<img src="https://tools.example/x.png"><h1>', FOREIGN)],
)  # fmt: skip
def test_what_is_wrong_with_a_page_is_noticed(
    garden: Path, before: str, after: str, script: str, tmp_path: Path
) -> None:
    text = (garden / "doc/garden.html").read_text("utf-8")
    assert before in text
    (tmp_path / "page.html").write_text(text.replace(before, after, 1), encoding="utf-8")
    assert asked(tmp_path / "page.html", script) != []


def test_pictures_say_who_hosts_uses_and_refers_to_whom(garden: Path) -> None:
    text = (garden / "doc/garden/deployment.mmd").read_text()
    assert _arrows(text) == {
        "PlotService -hosts-> PlotKeeping", "PlotService -hosts-> ToolShed", "ToolShed -refers to-> PlotKeeping",
        "PlotKeeping -state-> primaryDatabase (postgres)", "ToolShed -state-> primaryDatabase (postgres)",
    }  # fmt: skip
    assert _arrows((garden / "doc/garden/context-PlotKeeping.mmd").read_text()) == {
        "HireGardenPlot -reads, hire-> GardenPlot", "GardenPlot -hire-> PlotLet",
    }  # fmt: skip
    assert _arrows((garden / "doc/garden/context-ToolShed.mmd").read_text()) == {
        "HandTool -usedOn-> PlotKeeping.GardenPlot",
    }  # fmt: skip


def _arrows(text: str) -> set[str]:
    names = dict(re.findall(r'(box\d+)\["([^"]*)"\]', text))
    found = re.findall(r'(box\d+) -->\|"([^"]*)"\| (box\d+)', text)
    return {f"{names[start]} -{label}-> {names[end]}" for start, label, end in found}


def test_declarations_lead_to_their_lines(garden: Path) -> None:
    script = """return [...document.querySelectorAll('h4 .line a')].map(a=>[
a.closest('h4').firstChild.textContent.trim(),
document.getElementById(a.getAttribute('href').slice(1)).textContent])"""
    found = dict(asked(garden / "doc/garden.html", script))
    assert found["GardenPlot"].strip() == "aggregate GardenPlot with crudish {"
    assert found["HireGardenPlot"].strip() == "workflow HireGardenPlot {"
    assert found["enum SoilClass"].strip() == "enum SoilClass { Loam, Peat }"


def test_pages_are_the_same_each_time_and_of_others_none_is_replaced(garden: Path) -> None:
    page = garden / "doc/garden.html"
    before = page.read_bytes()
    assert loom(garden, "doc").returncode == 0
    assert page.read_bytes() == before
    (garden / "mine").mkdir()
    (garden / "mine/garden.html").write_text("mine")
    done = loom(garden, "doc", "mine")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "ERROR: mine/garden.html was not written by `loom doc`: move it, or name another folder\n"
    assert [path.name for path in (garden / "mine").iterdir()] == ["garden.html"]


def test_model_with_mistakes_has_no_page(tmp_path: Path) -> None:
    (tmp_path / "loom.yaml").write_text("systems: {garden: {entry: main.ddd}}\nstore: .store\n")
    (tmp_path / "main.ddd").write_text(MODEL.replace("class: SoilClass", "class: SoilKind"))
    done = loom(tmp_path, "doc")
    assert done.returncode == 1 and "error[loom.unknown-type]" in done.stderr
    assert not (tmp_path / "doc").exists()


def test_words_that_mean_nothing_are_answered_with_the_usage(tmp_path: Path) -> None:
    (tmp_path / "loom.yaml").write_text("systems: {garden: {entry: main.ddd}}\n")
    done = loom(tmp_path, "doc", "one", "two")
    assert done.returncode == 3 and done.stderr.startswith("usage: loom doc [FOLDER]")
