"""Words for testing the frame of the command line, spelled like those of `rocscope.cli`."""

WORDS = {
    "show": "Show one label in every format.",
    "many": "Print many lines.",
    "save": "Write a file.",
    "fail": "Fail in a chosen way.",
    "column": "Print a column of numbers.",
}
