"""`python -m rocscope` is the command `rocscope`."""

from rocscope.cli import run

run()
