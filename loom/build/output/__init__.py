"""The output folder: the only thing that Loom writes for people, and what it never does to their edits."""

from loom.build.output.clean import clean_output
from loom.build.output.content import OutputConflict, OutputContent, OutputFile, OutputFolder
from loom.build.output.memory import is_settled
from loom.build.output.write import Written, write_output, write_outputs

__all__ = [
    "OutputConflict",
    "OutputContent",
    "OutputFile",
    "OutputFolder",
    "Written",
    "clean_output",
    "is_settled",
    "write_output",
    "write_outputs",
]
