"""make bench: the foundation beside its peers."""

from benchmarks import foundation
from benchmarks.harness import main

main("The foundation", foundation.tasks)
