"""A project of two files for an editor, `main.ddd` and NAME.

Their names have several words, an acronym and reserved words; one text has a character that UTF-16 counts twice.
"""

from __future__ import annotations

from pathlib import Path

NAME = "rooms.ddd"
MAIN = """\
import "./rooms.ddd"

enum SoilClass { Loam, Peat }

valueobject PlotSize {
    width: decimal
    length: decimal

    derived area: decimal = width * length

    function isWiderThan(other: PlotSize): bool = width > other.width
}

system GardenPlots {
    storage primaryDatabase { type: postgres }
    resource plotState { for: PlotKeeping, kind: state, use: primaryDatabase }
    api PlotApi from Keeping

    deployable PlotService {
        platform: python
        contexts: [PlotKeeping]
        dataSources: [plotState]
        serves: PlotApi
        port: 8123
    }

    test e2e "a plot is let" against PlotService {
        let plot = api.gardenPlots.create({ label: "north", size: { width: 1, length: 2 }, class: "Peat" })
        api.workflows.hireGardenPlots({ HTTPLink: "x" })
        api.workflows.hireGardenPlots.planted({ label: "south", size: { width: 1, length: 2 } })
        expect api.gardenPlots.hire(plot, { HTTPLink: "x" }).toThrow(422)
        let seen = api.gardenPlots.getById(plot)
        expect seen.label.toBe("north")
    }
}
"""
ROOMS = """\
subdomain Keeping {
    context PlotKeeping {
        enum PlotState { Free, Let }

        event PlotLet { plot: GardenPlot id, HTTPLink: string }

        aggregate GardenPlot {
            label: string = "\U0001f331" immutable // a seedling
            size: PlotSize
            class: SoilClass
            state: PlotState managed = Free
            contains beds: FlowerBed[]

            entity FlowerBed {
                order: int
            }

            derived bedCount: int = beds.count
            derived display: string = `{label} of {bedCount}`

            create(label: string, size: PlotSize, class: SoilClass) {
                label := label
                size := size
                class := class
            }

            operation hire(HTTPLink: string) when state == Free {
                precondition beds.any(bed => bed.order > 0)
                let link = HTTPLink
                state := Let
                emit PlotLet { plot: id, HTTPLink: link }
            }
        }

        repository GardenPlots for GardenPlot {
            find inState(state: PlotState): GardenPlot[] where this.state == state
        }

        workflow HireGardenPlots {
            create(HTTPLink: string) {
                for plot in GardenPlots.inState(Free) {
                    plot.hire(HTTPLink)
                }
            }

            create planted(label: string, size: PlotSize) {
                let added = GardenPlot.create(label: label, size: size, class: Peat)
                added.hire(label)
            }
        }
    }
}
"""


def write(root: Path) -> Path:
    (root / "loom.yaml").write_text("systems: {garden_plots: {entry: main.ddd}}\n")
    (root / "main.ddd").write_text(MAIN)
    (root / NAME).write_text(ROOMS)
    return root
